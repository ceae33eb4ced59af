/** What the world may want to hear of a task: the events that webhooks, people and conversations are told of. */
import type { EventType } from "./events.ts";
import type { TaskFacts } from "./state.ts";
import type { DeliverTo, WayIn } from "./source.ts";

/** Events of every task that become notices. The endpoints of webhooks choose among those that begin with a noun they know. */
export const NOTICE_TYPES = [
  "task.created",
  "task.started",
  "task.waiting",
  "task.resumed",
  "question.asked",
  "question.answered",
  "question.expired",
  "approval.requested",
  "approval.decided",
  "approval.expired",
  "call.unknown",
  "budget.warning",
  "task.completed",
  "task.failed",
  "task.cancelled",
] as const satisfies readonly EventType[];
export type NoticeType = (typeof NOTICE_TYPES)[number];

/** Further ones of a task that has somebody who follows it: what it does. */
export const PROGRESS_TYPES = [
  "step.started",
  "call.started",
  "subtask.created",
] as const satisfies readonly EventType[];

/** What notices of one task have in common. */
export interface NoticeFacts {
  readonly task: string;
  readonly rootId: string;
  readonly parentId: string | null;
  readonly isHidden: boolean;
  readonly project: string | null;
  readonly agent: { readonly id: string; readonly version: number };
  readonly via: WayIn;
  readonly deliver: readonly DeliverTo[];
}

/** An event of a task, told in order, maybe more than once. `seq` is its number in the task's log. */
export interface Notice {
  readonly facts: NoticeFacts;
  readonly seq: number;
  readonly type: NoticeType | (typeof PROGRESS_TYPES)[number];
  /** ISO 8601 in UTC. */
  readonly at: string;
  /** The event's data without what can be large (`LEFT_OUT`), which the task itself shows. */
  readonly data: Readonly<Record<string, unknown>>;
  /**
   * Absent: no endpoint wants it. Else a list of the tenant's endpoints that was read under this stamp is the one to go by:
   * the stamp is another whenever they may have changed.
   */
  readonly endpointsStamp?: string;
}

/** A notice as its task tells it; `facts` are told once for all of them. */
export type ToldNotice = Omit<Notice, "facts" | "endpointsStamp">;

const LEFT_OUT: readonly string[] = ["input", "output", "arguments"];

/** What a notice keeps of an event's data. */
export function noticeData(data: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(data).filter(([name]) => !LEFT_OUT.includes(name)));
}

/** The events of a task that are told. Somebody follows one that delivers to a conversation. */
export function toldTypes({ deliver }: Pick<TaskFacts, "deliver">): readonly Notice["type"][] {
  return deliver.some(({ channel }) => channel === "slack") ? [...NOTICE_TYPES, ...PROGRESS_TYPES] : NOTICE_TYPES;
}

/** What notices say of the facts of their task. */
export function noticeFacts(facts: TaskFacts): NoticeFacts {
  const { id, rootId, parentId, kind, project, agent, via, deliver } = facts;
  return {
    task: id,
    rootId,
    parentId,
    isHidden: kind === "call",
    project,
    agent: { id: agent.id, version: agent.version },
    via,
    deliver,
  };
}
