/** A schedule's configuration and stored state. */
import { z } from "zod";
import { deliverSchema } from "../task/source.ts";
import { failed, type Result } from "../base/errors.ts";
import { taskRequestSchema } from "../task/new-task.ts";
import { type DueClock, type DueRule, openDueClock } from "./due.ts";
import { MAX_EXPRESSION } from "./cron.ts";

/** Limits of a tenant: schedules that may be due again, and all of them, since ended ones are retained for a while. */
export const MAX_SCHEDULES = 1_000;
export const MAX_STORED_SCHEDULES = 10_000;
const MIN_INTERVAL_S = 60;
const YEAR_S = 366 * 86_400;
const MAX_JITTER_S = 3_600;
const MAX_WINDOW_S = 7 * 86_400;
/** Latest time of any schedule: about a century ahead. */
const LAST_YEAR = Date.UTC(2127, 0, 1);

const MISSED_POLICIES = ["skip", "once", "all"] as const;
const OVERLAP_POLICIES = ["skip", "queue", "cancel_previous", "allow"] as const;

const moment = z.iso.datetime({ offset: true }).refine((text) => Date.parse(text) < LAST_YEAR, "is too far away");
const destinations = deliverSchema.min(1);

const whenSchema = z.discriminatedUnion("kind", [
  z
    .strictObject({ kind: z.literal("cron"), expression: z.string().min(1).max(MAX_EXPRESSION) })
    .meta({ id: "CronTiming" }),
  z
    .strictObject({
      kind: z.literal("interval"),
      every_seconds: z.int().min(MIN_INTERVAL_S).max(YEAR_S),
      anchor: moment
        .optional()
        .describe("The time from which the intervals are counted; the schedule's creation by default."),
    })
    .meta({ id: "IntervalTiming" }),
  z.strictObject({ kind: z.literal("once"), at: moment }).meta({ id: "OnceTiming" }),
]);

const missedSchema = z.strictObject({
  policy: z.enum(MISSED_POLICIES),
  window_seconds: z.int().min(MIN_INTERVAL_S).max(MAX_WINDOW_S),
});

/** The fields that determine when it is due; also the body of a preview. */
const timing = {
  when: whenSchema,
  time_zone: z.string().min(1).max(100).default("UTC"),
  starts_at: moment.optional(),
  ends_at: moment.optional(),
};
export const timingSchema = z.strictObject(timing);

export const scheduleConfigSchema = z.strictObject({
  name: z.string().min(1).max(200),
  ...timing,
  jitter_seconds: z.int().min(0).max(MAX_JITTER_S).default(0),
  missed: missedSchema.default({ policy: "once", window_seconds: 86_400 }),
  overlap: z.enum(OVERLAP_POLICIES).default("skip"),
  task: taskRequestSchema.optional(),
  reminder: z.strictObject({ text: z.string().min(1).max(10_000), to: destinations }).optional(),
  alert: z
    .strictObject({
      deliver: destinations,
      if_not_finished_within_seconds: z.int().min(1).max(MAX_WINDOW_S).optional(),
    })
    .optional(),
});
export type ScheduleConfig = z.infer<typeof scheduleConfigSchema>;
export type Timing = z.infer<typeof timingSchema>;

/** A due time, and when it runs: later by the jitter. */
export interface NextDue {
  readonly due: number;
  readonly at: number;
}

/** A person as a schedule names them: by id, with the name at that time. */
export interface SchedulePerson {
  readonly person: string;
  readonly name: string;
}

/** For whom the tasks act. */
export interface ScheduleCaller extends SchedulePerson {
  /** The version of the configuration to which it is bound. The person did not make or confirm any other version. */
  readonly version: number;
  /** When the person created or confirmed the schedule, in milliseconds since the epoch. */
  readonly at: number;
}

/** For whom the tasks acted until somebody else changed them. */
export interface ClearedCaller extends SchedulePerson {
  /** The version of that change. */
  readonly version: number;
  /** The name of who changed it. */
  readonly by: string;
}

/** The stored state of a schedule. */
export interface ScheduleState {
  readonly format: 1;
  readonly tenant: string;
  readonly id: string;
  /** Grows when its configuration changes. */
  readonly version: number;
  readonly config: ScheduleConfig;
  readonly paused: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The first undecided occurrence; null when paused or ended. */
  readonly next: NextDue | null;
  /** The last decided occurrence. */
  readonly last: number | null;
  /** Read by `findScheduleCaller`. Absent or null: nobody. */
  readonly actsFor?: ScheduleCaller | null;
  /** Whose confirmation is missing since a change. Absent or null: nobody's. */
  readonly cleared?: ClearedCaller | null;
}

/** The timing rule. Intervals without an anchor are counted from the schedule's creation. */
export function toDueRule({ when, time_zone, starts_at, ends_at }: Timing, createdAt: number): DueRule {
  const bounds = { timeZone: time_zone, startsAt: parseOrNull(starts_at), endsAt: parseOrNull(ends_at) };
  switch (when.kind) {
    case "cron":
      return { when, ...bounds };
    case "once":
      return { when: { kind: "once", at: Date.parse(when.at) }, ...bounds };
    case "interval": {
      const anchor = parseOrNull(when.anchor) ?? createdAt;
      return { when: { kind: "interval", everyMs: when.every_seconds * 1000, anchor }, ...bounds };
    }
  }
}

/** Checks a configuration and compiles its timing. Failures name the field. */
export function checkSchedule(config: ScheduleConfig, createdAt: number, now: number): Result<DueClock> {
  if ((config.task === undefined) === (config.reminder === undefined))
    return failField("task", "give either a task or a reminder");
  if (config.task?.hold === true) return failField("task.hold", "a scheduled task cannot be a draft");
  if (config.task?.mode === "staged")
    return failed("not_available", "Staged mode is not available yet.", { field: "task.mode" });
  const clock = openDueClock(toDueRule(config, createdAt));
  if (!clock.ok) return clock;
  if (clock.value.nextAfter(now) === null) return failField(getTimingField(config), "is never due from now on");
  return clock;
}

/** The next occurrence after another, and when it runs: before the following one, with any jitter. */
export function findNextDue(
  { id, config }: Pick<ScheduleState, "id" | "config">,
  clock: DueClock,
  after: number,
): NextDue | null {
  const due = clock.nextAfter(after);
  if (due === null) return null;
  const widest = config.jitter_seconds * 1000;
  const room = widest === 0 ? 0 : Math.min(widest, (clock.nextAfter(due) ?? Infinity) - due);
  return { due, at: due + (room === 0 ? 0 : toHash(`${id} ${due}`) % room) };
}

function getTimingField({ when, ends_at }: Timing): string {
  if (ends_at !== undefined) return "ends_at";
  return when.kind === "once" ? "when.at" : "when";
}

function failField(field: string, why: string) {
  return failed("invalid_input", `${field}: ${why}`, { field });
}

function parseOrNull(text: string | undefined): number | null {
  return text === undefined ? null : Date.parse(text);
}

/** A 32-bit hash of the text: FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/). */
function toHash(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
