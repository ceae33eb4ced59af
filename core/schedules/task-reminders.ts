/** Reminders that tasks set: each is a schedule that delivers its text when due. */
import type { DeliverTo } from "../task/source.ts";
import { type Failure, failed, ok, type Result } from "../base/errors.ts";
import type { PersonRecord } from "../people/person.ts";
import { storable } from "../base/storable.ts";
import { type ScheduleConfig, scheduleConfigSchema, type ScheduleState } from "./schedule.ts";
import type { ReminderRequest, RemindersPort, ReminderState } from "../ports/reminders.ts";
import { toMoment, openZone } from "../base/time-zone.ts";

/** Creates the schedules of one task's reminders. */
export interface ReminderMaker {
  /** Where the task delivers its messages. */
  readonly destinations: readonly DeliverTo[];
  /** Finds a person by name; null when the tenant has no people. */
  person(name: string): Promise<Result<Pick<PersonRecord, "id" | "timeZone"> | null>>;
  /** The schedule with this key; null without one. */
  find(key: string): Promise<Result<ScheduleState | null>>;
  create(key: string, config: ScheduleConfig, now: number): Promise<Result<ScheduleState>>;
}

/** A schedule's name is the start of its text. */
const MAX_NAME = 100;
const NO_PEOPLE = failed("not_found", "There are no people yet. An administrator adds one: POST /v1/people.", {
  field: "person",
});
const WITH_OFFSET = /(?:Z|[+-]\d{2}:?\d{2})$/i;

export function openReminders(maker: ReminderMaker): RemindersPort {
  return {
    async set(asked) {
      const before = await maker.find(asked.key);
      if (!before.ok) return before;
      if (before.value !== null) return ok(toResult(before.value));
      const config = await toConfig(maker, asked);
      if (!config.ok) return config;
      const made = await maker.create(asked.key, config.value, asked.now);
      return made.ok ? ok(toResult(made.value)) : { ok: false, error: toToolFailure(made.error, asked) };
    },
  };
}

/** The name of a reminder's schedule. */
export function getReminderName(text: string): string {
  return storable(`Reminder: ${text}`.slice(0, MAX_NAME));
}

async function toConfig(maker: ReminderMaker, asked: ReminderRequest): Promise<Result<ScheduleConfig>> {
  const person = asked.person === null ? ok(null) : await maker.person(asked.person);
  if (!person.ok) return { ok: false, error: { ...person.error, field: "person" } };
  if (asked.person !== null && person.value === null) return NO_PEOPLE;
  const timeZone = asked.timeZone ?? person.value?.timeZone ?? "UTC";
  const when = toWhen(asked, timeZone);
  if (!when.ok) return when;
  const to = person.value === null ? maker.destinations : [{ channel: "person", to: person.value.id } as const];
  if (to.length === 0)
    return failed("not_available", "The reminder has no recipient: this task delivers nowhere. Name a person.", {
      field: "person",
    });
  const config = scheduleConfigSchema.safeParse({
    name: getReminderName(asked.message),
    when: when.value,
    time_zone: timeZone,
    reminder: { text: storable(asked.message), to },
    overlap: "allow",
  });
  return config.success ? ok(config.data) : failed("invalid_input", config.error.message);
}

function toWhen({ when, now }: ReminderRequest, timeZone: string): Result<ScheduleConfig["when"]> {
  if ("every" in when) return toEvery(when.every);
  const zone = openZone(timeZone);
  if (zone === null)
    return failed("invalid_input", `time_zone: ${timeZone} is not an IANA time zone, such as Europe/Lisbon`, {
      field: "time_zone",
    });
  const at = WITH_OFFSET.test(when.at) ? Date.parse(when.at) : toMoment(zone, Date.parse(`${when.at}Z`));
  if (Number.isNaN(at)) return failed("invalid_input", "at: is not a time", { field: "at" });
  if (at <= now)
    return failed("invalid_input", `at: is past; the time is ${new Date(now).toISOString()}`, { field: "at" });
  return ok({ kind: "once", at: new Date(at).toISOString() });
}

/** One minute of the hour, so at most one reminder an hour. */
function toEvery(every: string): Result<ScheduleConfig["when"]> {
  const expression = every.trim();
  if (!/^(?:\d{1,2}\s|@)/.test(expression))
    return failed("invalid_input", "every: begin with one minute, such as `0 9 * * MON-FRI`: at most once an hour", {
      field: "every",
    });
  return ok({ kind: "cron", expression });
}

function toResult({ id, next, config }: ScheduleState): ReminderState {
  return { id, next: next?.due ?? null, timeZone: config.time_zone };
}

/** Replaces the schedule's field in a failure by the tool's argument. */
function toToolFailure(error: Failure, { when }: ReminderRequest): Failure {
  const { field = "" } = error;
  const argument = field.startsWith("reminder.to") ? "person" : "every" in when ? "every" : "at";
  if (field === "" || field === "time_zone") return error;
  return { ...error, field: argument, message: error.message.replace(field, argument) };
}
