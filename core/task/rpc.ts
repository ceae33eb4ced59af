/** The methods of a task's object. Expected failures are `Result` values; everything is structured-cloneable. */
import type { Result } from "../base/errors.ts";
import type { Actor, Actors } from "../connections/actors.ts";
import type { NewMemory } from "../memory/memory.ts";
import type { TextRange } from "../model/label-parts.ts";
import type { Label } from "../provenance/label.ts";
import type {
  ApprovalDecision,
  ConnectionSkip,
  LedgerQuery,
  NewTask,
  QuestionAnswer,
  SubtaskWaits,
  UnknownDecision,
} from "./commands.ts";
import type { LedgerRow, Spend } from "./decision.ts";
import type { TaskEvent } from "./events.ts";
import type { NoticeFacts, ReportedNotice } from "./notice.ts";
import type { OpenWait } from "./open-waits.ts";
import type { ShortPermit } from "./short-permit.ts";
import type { Amount, Attachment, TaskFacts } from "./state.ts";
import type { TaskView } from "./view.ts";

/** A page of the log. `done`: the log has ended and this is its last page. */
export interface EventPage {
  readonly events: readonly TaskEvent[];
  readonly last: number;
  readonly done: boolean;
}

/** A page of the ledger, in order. `next` is the call after which the next page begins; null on the last page. */
export interface LedgerPage {
  readonly rows: readonly LedgerRow[];
  readonly next: string | null;
}

/**
 * The last arguments of a call that may begin a run. `depth`: how deeply the call is nested; absent: `REQUEST_DEPTH`.
 * `permit`: lets the task run without a request to its tenant.
 */
export type Wake = readonly [depth?: number, permit?: ShortPermit | null];

/**
 * The task object. Every method of a task that does not exist returns `not_found`. `request` names a request that may
 * be repeated (null without an `Idempotency-Key`): a repeated command changes nothing and returns the same result.
 */
export interface TaskRpc {
  /** Idempotent. */
  create(task: NewTask, ...wake: Wake): Promise<Result<TaskView>>;
  view(): Promise<Result<TaskView>>;
  facts(): Promise<Result<TaskFacts>>;
  /** Returns the task's current index row, without notices. Changes nothing. */
  indexRow(): Promise<Result<TaskReport>>;
  start(request: string | null, ...wake: Wake): Promise<Result<TaskView>>;
  /**
   * `own`: how many UTF-16 units at the start of `text` the sender wrote; the rest is from outside. Absent: all of it.
   * `by`: the author; null or absent if unknown. `hint`: what the model reads after the text, which the author did not
   * write; empty or absent: nothing.
   */
  message(
    text: string,
    request: string | null,
    own?: number,
    outside?: readonly TextRange[],
    by?: Actor | null,
    hint?: string,
  ): Promise<Result<TaskView>>;
  answer(question: string, answer: QuestionAnswer, request: string | null, ...wake: Wake): Promise<Result<TaskView>>;
  /**
   * Decides an approval; the first decision counts. With `arguments`, the call runs with those instead, after they are
   * validated and hashed.
   */
  decideApproval(
    approval: string,
    decision: ApprovalDecision,
    request: string | null,
    ...wake: Wake
  ): Promise<Result<TaskView>>;
  /** Decides a call of unknown outcome; `conflict` if the task does not wait for that. */
  decideUnknown(callId: string, decision: UnknownDecision, request: string | null): Promise<Result<LedgerRow>>;
  /**
   * The connection that a call waits for may be usable: its account is chosen again. A wait that is not open changes
   * nothing. An object of an earlier release has no such method.
   */
  connected(wait: string, ...wake: Wake): Promise<Result<void>>;
  /** Continues without a connection; the first decision counts. */
  skipConnection(
    wait: string,
    decision: ConnectionSkip,
    request: string | null,
    ...wake: Wake
  ): Promise<Result<TaskView>>;
  /** Cancels the task, and soon after everything below it. */
  cancel(by: string, depth?: number): Promise<Result<TaskView>>;
  /**
   * The tenant stopped: cuts off the current runner call, with a few seconds for tool calls to end, and begins no
   * other.
   */
  halt(message: string): Promise<void>;
  /** The tenant offers the task a slot, or was released. */
  called(): Promise<void>;
  /** At the root of a tree: counts one more subtask; `quota_exceeded` when the tree is full. */
  enroll(subtask: string): Promise<Result<void>>;
  /**
   * A subtask has ended. Repeated until this returns. `label` joins everything that it read; a subtask of an earlier
   * release omits it, which means `OUTSIDE`. The permit is what is left of the subtask's own. `actors` steered it; absent
   * from an earlier release: unknown.
   */
  subtaskEnded(
    subtask: TaskView,
    label?: Label,
    depth?: number,
    permit?: ShortPermit | null,
    actors?: Actors,
  ): Promise<void>;
  /**
   * A subtask reports what its tree waits for from people, and whether its clock is stopped (`stands`). An older
   * `version` is dropped.
   */
  subtaskWaits(subtask: string, version: number, waits: SubtaskWaits): Promise<void>;
  /** The task's own subtasks, in the order of their dispatch. */
  subtasks(): Promise<Result<readonly string[]>>;
  /** Who steered the task so far. An object of an earlier release has no such method. */
  actors(): Promise<Result<Actors>>;
  /** A settled call, with the text that the model read; `not_found` otherwise. */
  call(callId: string): Promise<Result<LedgerRow>>;
  /** The task's spending so far, one row for each model call and each ended subtask. */
  spending(): Promise<Result<readonly Spend[]>>;
  /** The task's summary for memory; null if it has none. */
  summary(): Promise<Result<NewMemory | null>>;
  /** Events with a sequence number above `after`: at most `limit` (≤ 500), and fewer when they exceed 4 MB. */
  events(after: number, limit: number): Promise<Result<EventPage>>;
  /** Calls after `after` (null: from the start), at most `limit` (≤ 500) and 4 MB. Without results, rows are small. */
  ledger(page: LedgerQuery): Promise<Result<LedgerPage>>;
  /** Marks a file for delivery, for a call from outside the task's own steps. */
  attach(file: Attachment): Promise<Result<TaskView>>;
  /** Adds a hidden task, so that cancelling or deleting this task reaches it; `conflict` once this one ended. */
  adopt(task: string): Promise<Result<TaskView>>;
  /** A hidden task has ended. It no longer counts as open, and is still deleted with this task. */
  disown(task: string): Promise<Result<TaskView>>;
  /**
   * Sets the alarm from the stored state, and reports again in the background. False if nothing is stored; undefined
   * from an object of an earlier release.
   */
  poke(): Promise<boolean | undefined>;
  /**
   * Deletes the task, after its subtasks and hidden tasks; `conflict` while it has not ended. Fails as a whole if a
   * part cannot be deleted now, and may be repeated. With `keepsMemory`, its summary in memory remains.
   */
  erase(keepsMemory?: boolean): Promise<Result<void>>;
  /**
   * When the last task of the tree below and including this one ended; null while one is open or has not reported its
   * end.
   */
  treeEndedAt(): Promise<Result<number | null>>;
  /** True while the tree below and including this task stores a part that `trim` removes. */
  hasPart(part: TrimmedPart): Promise<Result<boolean>>;
  /** Removes a part of the tree below and including this task; `conflict` while one is open. May be repeated. */
  trim(part: TrimmedPart): Promise<Result<void>>;
}

/** A row of the index that a task reports to its tenant. `version` only grows. */
export interface TaskReport {
  readonly task: string;
  readonly version: number;
  readonly view: TaskView;
  readonly hidden: boolean;
  /** When its alarm is due; null while it waits for an outside event. */
  readonly wakeAt: number | null;
  /** The key or the schedule that created its tree, if any. */
  readonly key: string | null;
  /** The task's own use so far, without its subtasks. */
  readonly used: Amount;
  /** What the task itself waits for from people, if anything. */
  readonly waits?: readonly OpenWait[];
  /** The root of its tree; absent for a root. */
  readonly root?: string;
  /** Notices since the last report, if any. */
  readonly news?: { readonly facts: NoticeFacts; readonly notices: readonly ReportedNotice[] };
}

/** The parts that a task's own object removes while the task remains. */
export type TrimmedPart = "logs" | "results";
