/** What a schedule tells people: reminders, and alerts of runs that failed or did not end in time. */
import type { OutMessage } from "../channels/outbox/message.ts";
import { plainMessage } from "../channels/outbox/message-delivery.ts";
import type { Telling } from "../channels/rpc.ts";
import type { DeliverTo } from "../task/source.ts";
import type { Occurrence } from "./occurrence.ts";
import type { ScheduleState } from "./schedule.ts";

/** A message that the runner of channels is asked for until it took it. The same `id` is told once. */
export interface Tell {
  readonly id: string;
  readonly deliver: readonly DeliverTo[];
  readonly message: OutMessage;
  readonly telling: Telling;
}

/** The reminder of an occurrence; null: the schedule makes tasks. */
export function reminderOf({ id, config }: ScheduleState, { key, due }: Occurrence): Tell | null {
  const { reminder, name } = config;
  if (reminder === undefined) return null;
  const seed = `${id}/${key}/reminder`;
  const message = plainMessage(name, reminder.text);
  return { id: seed, deliver: reminder.to, message, telling: { kind: "reminder", seed, at: due } };
}

/** The alert of an occurrence; null: nobody is to be told. */
export function alertOf({ id, config }: ScheduleState, occurrence: Occurrence, now: number): Tell | null {
  const { alert, name } = config;
  if (alert === undefined) return null;
  const { key, due, state, why, task } = occurrence;
  const what = state === "failed" ? "failed" : "has not ended in its time";
  const seed = `${id}/${key}/${state === "failed" ? "failed" : "late"}`;
  const lines = [
    `The run of the schedule **${escaped(name)}** that was due at ${new Date(due).toISOString()} ${what}.`,
    ...(why === null ? [] : [escaped(why)]),
    ...(task === null ? [] : [`Task: ${task}`]),
  ];
  const message = plainMessage(`${name}: a run ${what}`, lines.join("\n\n"));
  const about = task === null ? {} : { task };
  return { id: seed, deliver: alert.deliver, message, telling: { kind: "alert", seed, at: now, ...about } };
}

/** Text that means only itself in Markdown. */
function escaped(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>#|~]/g, String.raw`\$&`);
}
