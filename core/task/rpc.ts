/** The methods of a task's object. Expected failures are `Result` values; everything is structured-cloneable. */
import type { Result } from "../base/errors.ts";
import type { NewMemory } from "../memory/memory.ts";
import type { Place } from "../model/label-parts.ts";
import type { Label } from "../provenance/label.ts";
import type {
  ApprovalDecision,
  LedgerQuery,
  NewTask,
  QuestionAnswer,
  SubtaskWaits,
  UnknownDecision,
} from "./commands.ts";
import type { LedgerRow, Spend } from "./decision.ts";
import type { TaskEvent } from "./events.ts";
import type { NoticeFacts, ToldNotice } from "./notice.ts";
import type { OpenWait } from "./open-waits.ts";
import type { Amount, Attachment, TaskFacts } from "./state.ts";
import type { TaskView } from "./view.ts";

/** A page of the log. `done`: the log will never grow beyond what this page ends with. */
export interface EventPage {
  readonly events: readonly TaskEvent[];
  readonly last: number;
  readonly done: boolean;
}

/** A page of the ledger, in order. `next` is the call to go on after; null: this was the last page. */
export interface LedgerPage {
  readonly rows: readonly LedgerRow[];
  readonly next: string | null;
}

/**
 * The task object. Every method of a task that does not exist here answers `not_found`. `request` names a request that
 * may be sent again (null: it carries no `Idempotency-Key`): a command whose request was applied before changes nothing
 * and answers as if it had been applied now.
 */
export interface TaskRpc {
  /** Making it again changes nothing. */
  create(task: NewTask): Promise<Result<TaskView>>;
  view(): Promise<Result<TaskView>>;
  facts(): Promise<Result<TaskFacts>>;
  /** The task's line in the index as it stands, without news. Changes nothing. */
  indexRow(): Promise<Result<TaskReport>>;
  start(request: string | null): Promise<Result<TaskView>>;
  /**
   * `own`: how many UTF-16 units of `text`, from its beginning, its sender wrote; the rest is from outside. Absent: all.
   * `outside`: the places that are from outside, in order. It replaces `own`, which is what an earlier release reads.
   */
  message(text: string, request: string | null, own?: number, outside?: readonly Place[]): Promise<Result<TaskView>>;
  answer(question: string, answer: QuestionAnswer, request: string | null): Promise<Result<TaskView>>;
  /**
   * Decides an approval: the first decision counts. With `arguments`, the call is made with those in the place of the ones
   * that were asked for, once they were checked and hashed anew.
   */
  decideApproval(approval: string, decision: ApprovalDecision, request: string | null): Promise<Result<TaskView>>;
  /** Decides a call whose outcome nobody knows; `conflict` when the task is not parked on it. */
  decideUnknown(callId: string, decision: UnknownDecision, request: string | null): Promise<Result<LedgerRow>>;
  /** Cancels the task, and everything below it soon after. */
  cancel(by: string): Promise<Result<TaskView>>;
  /** The tenant stops: the hop under way is cut off, with a few seconds for tool calls to end, and none begins. */
  halt(message: string): Promise<void>;
  /** The tenant has a place for the task, or was released. */
  called(): Promise<void>;
  /** At the root of a tree: takes one more subtask into the tree's count; `quota_exceeded` when it is full. */
  enroll(subtask: string): Promise<Result<void>>;
  /**
   * A subtask has ended. Reported again until this returns. `label` is the join over everything that it read; `OUTSIDE` when
   * a subtask of an earlier release omits it.
   */
  subtaskEnded(subtask: TaskView, label?: Label): Promise<void>;
  /**
   * A subtask tells what it and those below it wait for from people, and whether its time stands. An older `version` than
   * one before is dropped.
   */
  subtaskWaits(subtask: string, version: number, told: SubtaskWaits): Promise<void>;
  /** The subtasks of this task itself, in the order in which they were dispatched. */
  subtasks(): Promise<Result<readonly string[]>>;
  /** A settled call, with what the model read of it; `not_found` otherwise. */
  call(callId: string): Promise<Result<LedgerRow>>;
  /** What the task spent so far, one row for each model call and each subtask that ended. */
  spending(): Promise<Result<readonly Spend[]>>;
  /** What the task leaves in memory; null: nothing. */
  summary(): Promise<Result<NewMemory | null>>;
  /** Events with a sequence number over `after`: at most `limit` (≤ 500), and fewer when they are large (over 4 MB). */
  events(after: number, limit: number): Promise<Result<EventPage>>;
  /** Calls after `after` (null: from the start), at most `limit` (≤ 500) and 4 MB. Without results, rows are small. */
  ledger(page: LedgerQuery): Promise<Result<LedgerPage>>;
  /** Marks a file for delivery, for a call that was made from outside the task's own steps. */
  attach(file: Attachment): Promise<Result<TaskView>>;
  /** Takes a hidden task as its own, so that cancelling or erasing this one reaches it; `conflict` once this one ended. */
  adopt(task: string): Promise<Result<TaskView>>;
  /** A hidden task has ended: it counts no more against those that may be open, and is still erased with this one. */
  disown(task: string): Promise<Result<TaskView>>;
  /**
   * Sets the alarm again from the stored state, and reports again in the background. False: nothing is stored. Undefined: an
   * object of an earlier release, which does not say.
   */
  poke(): Promise<boolean | undefined>;
  /**
   * Forgets everything, its subtasks and the hidden tasks that it adopted first; `conflict` while the task lives. What
   * cannot be erased now fails the whole, which can be done again. With `keepsMemory`, the summary that it left in memory stays.
   */
  erase(keepsMemory?: boolean): Promise<Result<void>>;
  /** When the last task of the tree at and below this one ended; null: one lives, or has still to report its end. */
  treeEndedAt(): Promise<Result<number | null>>;
  /** True while the tree at and below this one stores a part that `trim` removes. */
  hasPart(part: TrimmedPart): Promise<Result<boolean>>;
  /** Removes a part of what the tree at and below this one stores; `conflict` while one of it lives. Can be done again. */
  trim(part: TrimmedPart): Promise<Result<void>>;
}

/** One line of the index that a task reports to its tenant. `version` only grows. */
export interface TaskReport {
  readonly task: string;
  readonly version: number;
  readonly view: TaskView;
  readonly hidden: boolean;
  /** When its alarm is due; null: it waits for something from outside. */
  readonly wakeAt: number | null;
  /** The key or the schedule that its tree was made by; null: neither. */
  readonly key: string | null;
  /** What the task itself used so far, without its subtasks. */
  readonly used: Amount;
  /** What the task itself waits for from people; absent: nothing. */
  readonly waits?: readonly OpenWait[];
  /** The root of its tree; absent: it is one itself. */
  readonly root?: string;
  /** What happened since the last report that the world may want to hear of; absent: nothing. */
  readonly news?: { readonly facts: NoticeFacts; readonly notices: readonly ToldNotice[] };
}

/** What a task's own objects remove of it while it stays. */
export type TrimmedPart = "logs" | "results";
