/** The messages of a schedule: reminders, and alerts about runs that failed or are late. */
import type { OutMessage } from "../channels/outbox/message.ts";
import { createPlainMessage, escapeMarkdown } from "../channels/outbox/message-delivery.ts";
import { formatArguments } from "../people/format-call.ts";
import type { MessageCause } from "../channels/rpc.ts";
import type { DeliverTo } from "../task/source.ts";
import type { Occurrence } from "./occurrence.ts";
import type { ScheduleState } from "./schedule.ts";
import { findClearedCaller } from "./acts-for.ts";

/** A message to deliver; it is sent to the channel runner until that accepts it. The same `id` is delivered once. */
export interface ScheduleNotification {
  readonly id: string;
  readonly deliver: readonly DeliverTo[];
  readonly message: OutMessage;
  readonly telling: MessageCause;
}

/** The reminder of an occurrence; null for a schedule with tasks. */
export function toReminder({ id, config }: ScheduleState, { key, due }: Occurrence): ScheduleNotification | null {
  const { reminder, name } = config;
  if (reminder === undefined) return null;
  const seed = `${id}/${key}/reminder`;
  const message = createPlainMessage(name, reminder.text);
  return { id: seed, deliver: reminder.to, message, telling: { kind: "reminder", seed, at: due } };
}

/** The alert of an occurrence; null when no alert is configured. */
export function toAlert(
  { id, config }: ScheduleState,
  occurrence: Occurrence,
  now: number,
): ScheduleNotification | null {
  const { alert, name } = config;
  if (alert === undefined) return null;
  const { key, due, state, why, task } = occurrence;
  const what = state === "failed" ? "failed" : "has not ended in time";
  const seed = `${id}/${key}/${state === "failed" ? "failed" : "late"}`;
  const lines = [
    `The run of the schedule **${escapeMarkdown(name)}** that was due at ${new Date(due).toISOString()} ${what}.`,
    ...(why === null ? [] : [escapeMarkdown(why)]),
    ...(task === null ? [] : [`Task: ${task}`]),
  ];
  const message = createPlainMessage(`${name}: a run ${what}`, lines.join("\n\n"));
  const about = task === null ? {} : { task };
  return { id: seed, deliver: alert.deliver, message, telling: { kind: "alert", seed, at: now, ...about } };
}

/**
 * The message to the person for whom a schedule acted until this version; null for any other version. It shows the task
 * that they would confirm. `origin` is the public address of the console; null if unknown.
 */
export function toClearedNotification(
  state: ScheduleState,
  origin: string | null,
  now: number,
): ScheduleNotification | null {
  const { id, version, config } = state;
  const cleared = findClearedCaller(state);
  if (cleared?.version !== version) return null;
  const name = escapeMarkdown(config.name);
  const where = origin === null ? "in the console" : `here: ${origin}/schedules/${id}`;
  const text = [
    `${escapeMarkdown(cleared.by)} changed the task of the schedule **${name}**. Its runs no longer act for you and use none of your accounts.`,
    `If the task is right, confirm it, and they act for you again. You can read and confirm it ${where}.`,
  ].join("\n\n");
  const task = config.task === undefined || formatArguments(config.task) === null ? null : config.task;
  const message = {
    ...createPlainMessage(`Confirm the schedule ${config.name}`, text),
    confirm: { schedule: id, version, task },
  };
  const seed = `${id}/cleared/${version}`;
  const deliver = [{ channel: "person", to: cleared.person } as const];
  return { id: seed, deliver, message, telling: { kind: "notification", seed, at: now } };
}
