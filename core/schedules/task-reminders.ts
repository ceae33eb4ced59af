/** Reminders that tasks set: each is a schedule that tells its text when it is due. */
import type { DeliverTo } from "../task/source.ts";
import { type Failure, failed, ok, type Result } from "../base/errors.ts";
import type { PersonRecord } from "../people/person.ts";
import { storable } from "../base/storable.ts";
import { type ScheduleConfig, scheduleConfigSchema, type ScheduleState } from "./schedule.ts";
import type { ReminderRequest, RemindersPort, ReminderState } from "../ports/reminders.ts";
import { toMoment, openZone } from "../base/time-zone.ts";

/** What reminders of one task are made by. */
export interface ReminderMaker {
  /** Where what the task says goes. */
  readonly places: readonly DeliverTo[];
  /** Whom a name means; null: the tenant has no people. */
  person(name: string): Promise<Result<Pick<PersonRecord, "id" | "timeZone"> | null>>;
  /** The schedule that was made under this key; null: none was. */
  made(key: string): Promise<Result<ScheduleState | null>>;
  make(key: string, config: ScheduleConfig, now: number): Promise<Result<ScheduleState>>;
}

/** A schedule is named by the first of what it says. */
const MAX_NAME = 100;
const NO_PEOPLE = failed("not_found", "There are no people yet. An administrator adds one: POST /v1/people.", {
  field: "person",
});
const WITH_OFFSET = /(?:Z|[+-]\d{2}:?\d{2})$/i;

export function openReminders(maker: ReminderMaker): RemindersPort {
  return {
    async set(asked) {
      const before = await maker.made(asked.key);
      if (!before.ok) return before;
      if (before.value !== null) return ok(shown(before.value));
      const config = await configOf(maker, asked);
      if (!config.ok) return config;
      const made = await maker.make(asked.key, config.value, asked.now);
      return made.ok ? ok(shown(made.value)) : { ok: false, error: ofTheTool(made.error, asked) };
    },
  };
}

/** The name of a schedule that tells this text. */
export function reminderName(text: string): string {
  return storable(`Reminder: ${text}`.slice(0, MAX_NAME));
}

async function configOf(maker: ReminderMaker, asked: ReminderRequest): Promise<Result<ScheduleConfig>> {
  const person = asked.person === null ? ok(null) : await maker.person(asked.person);
  if (!person.ok) return { ok: false, error: { ...person.error, field: "person" } };
  if (asked.person !== null && person.value === null) return NO_PEOPLE;
  const timeZone = asked.timeZone ?? person.value?.timeZone ?? "UTC";
  const when = whenOf(asked, timeZone);
  if (!when.ok) return when;
  const to = person.value === null ? maker.places : [{ channel: "person", to: person.value.id } as const];
  if (to.length === 0)
    return failed("not_available", "Nobody would be told: what this task says goes nowhere. Name a person.", {
      field: "person",
    });
  const config = scheduleConfigSchema.safeParse({
    name: reminderName(asked.message),
    when: when.value,
    time_zone: timeZone,
    reminder: { text: storable(asked.message), to },
    overlap: "allow",
  });
  return config.success ? ok(config.data) : failed("invalid_input", config.error.message);
}

function whenOf({ when, now }: ReminderRequest, timeZone: string): Result<ScheduleConfig["when"]> {
  if ("every" in when) return everyOf(when.every);
  const zone = openZone(timeZone);
  if (zone === null)
    return failed("invalid_input", `time_zone: ${timeZone} is no IANA time zone, such as Europe/Lisbon`, {
      field: "time_zone",
    });
  const at = WITH_OFFSET.test(when.at) ? Date.parse(when.at) : toMoment(zone, Date.parse(`${when.at}Z`));
  if (Number.isNaN(at)) return failed("invalid_input", "at: is no moment", { field: "at" });
  if (at <= now)
    return failed("invalid_input", `at: is past; it is ${new Date(now).toISOString()} now`, { field: "at" });
  return ok({ kind: "once", at: new Date(at).toISOString() });
}

/** One minute of the hour, so that nobody is reminded more often than once an hour. */
function everyOf(every: string): Result<ScheduleConfig["when"]> {
  const expression = every.trim();
  if (!/^(?:\d{1,2}\s|@)/.test(expression))
    return failed(
      "invalid_input",
      "every: begin with one minute, such as `0 9 * * MON-FRI`: once an hour at the most",
      {
        field: "every",
      },
    );
  return ok({ kind: "cron", expression });
}

function shown({ id, next, config }: ScheduleState): ReminderState {
  return { id, next: next?.due ?? null, timeZone: config.time_zone };
}

/** A failure names the field of a schedule: here, the argument that made it. */
function ofTheTool(error: Failure, { when }: ReminderRequest): Failure {
  const { field = "" } = error;
  const argument = field.startsWith("reminder.to") ? "person" : "every" in when ? "every" : "at";
  if (field === "" || field === "time_zone") return error;
  return { ...error, field: argument, message: error.message.replace(field, argument) };
}
