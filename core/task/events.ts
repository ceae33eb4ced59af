/**
 * The entries of a task's append-only log, which streams, webhooks and the console show. The store gives each a
 * sequence number, except `message.delta`, which is never stored.
 */

/** Every type of event, as in the `event:` field of a stream. */
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
  "connection.requested",
  "connection.ready",
  "subtask.created",
  "subtask.ended",
  "skill.loaded",
  "file.attached",
  "budget.warning",
  "task.waiting",
  "task.resumed",
  "task.completed",
  "task.failed",
  "task.cancelled",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** An event as `decide` creates it. `data` is snake_case JSON; the store adds `task_id` and `at`. */
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

/** True for the last event of a log. */
export function isTerminalEvent(type: EventType): boolean {
  return type === "task.completed" || type === "task.failed" || type === "task.cancelled";
}
