/**
 * The entries of a task's append-only log: what streams, webhooks and the console show. The store gives each one its
 * sequence number; `message.delta` has none, because it is never kept.
 */

/** Every kind of event, as it stands in the `event:` field of a stream. */
export const EVENT_TYPES = [
  "task.created",
  "task.started",
  "step.started",
  "step.completed",
  "message.delta",
  "message.completed",
  "call.started",
  "call.completed",
  "call.unknown",
  "tool-data",
  "question.asked",
  "question.answered",
  "question.expired",
  "approval.requested",
  "approval.decided",
  "approval.expired",
  "subtask.created",
  "subtask.ended",
  "file.attached",
  "budget.warning",
  "task.waiting",
  "task.resumed",
  "task.completed",
  "task.failed",
  "task.cancelled",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** An event as `decide` makes it. `data` is snake_case JSON; `task_id` and `at` are added when it is stored. */
export interface NewEvent {
  readonly type: EventType;
  readonly data: Readonly<Record<string, unknown>>;
}

/** An event as it is stored and sent: `at` is ISO 8601 in UTC. */
export interface TaskEvent {
  readonly seq: number;
  readonly type: EventType;
  readonly data: Readonly<Record<string, unknown>> & { readonly task_id: string; readonly at: string };
}

/** True for the event after which a log never grows. */
export function isTerminalEvent(type: EventType): boolean {
  return type === "task.completed" || type === "task.failed" || type === "task.cancelled";
}
