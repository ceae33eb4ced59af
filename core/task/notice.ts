/** Notices: the events of a task that webhooks, people and conversations are notified of. */
import type { EventType } from "./events.ts";
import type { TaskFacts } from "./state.ts";
import type { DeliverTo, TaskSource } from "./source.ts";

/** Events of every task that become notices. Webhook endpoints subscribe to some of them. */
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
  "connection.requested",
  "connection.ready",
  "call.unknown",
  "budget.warning",
  "task.completed",
  "task.failed",
  "task.cancelled",
] as const satisfies readonly EventType[];
export type NoticeType = (typeof NOTICE_TYPES)[number];

/** Progress events, which become notices only when a conversation follows the task. */
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
  readonly via: TaskSource;
  readonly deliver: readonly DeliverTo[];
}

/** An event of a task, delivered in order, at least once. `seq` is its number in the task's log. */
export interface Notice {
  readonly facts: NoticeFacts;
  readonly seq: number;
  readonly type: NoticeType | (typeof PROGRESS_TYPES)[number];
  /** ISO 8601 in UTC. */
  readonly at: string;
  /** The event's data without the large fields of `OMITTED_FIELDS`, which the task itself returns. */
  readonly data: Readonly<Record<string, unknown>>;
  /**
   * Absent if no endpoint wants it. Otherwise, names the version of the tenant's list of endpoints: it changes whenever
   * they may have changed.
   */
  readonly endpointsStamp?: string;
}

/** A notice as its task reports it; one report has the `facts` once. */
export type ReportedNotice = Omit<Notice, "facts" | "endpointsStamp">;

const OMITTED_FIELDS: readonly string[] = ["input", "output", "arguments"];

/** Removes the large fields of an event's data. */
export function toNoticeData(data: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(data).filter(([name]) => !OMITTED_FIELDS.includes(name)));
}

/** Returns the events of a task that become notices. A task that delivers to Slack is followed. */
export function getNoticeTypes({ deliver }: Pick<TaskFacts, "deliver">): readonly Notice["type"][] {
  return deliver.some(({ channel }) => channel === "slack") ? [...NOTICE_TYPES, ...PROGRESS_TYPES] : NOTICE_TYPES;
}

export function toNoticeFacts(facts: TaskFacts): NoticeFacts {
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
