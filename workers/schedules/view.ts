/** Formats schedules, their occurrences and due times for the API. */
import { z } from "zod";
import { CONNECT_REASONS } from "../../core/connections/account.ts";
import { findClearedCaller, findScheduleCaller } from "../../core/schedules/acts-for.ts";
import type { AppState } from "../../core/schedules/app-states.ts";
import type { DueClock } from "../../core/schedules/due.ts";
import { type Occurrence, OCCURRENCE_STATES } from "../../core/schedules/occurrence.ts";
import { type ScheduleState, scheduleConfigSchema } from "../../core/schedules/schedule.ts";
import { TASK_STATUSES } from "../../core/task/status.ts";
import { iso } from "../../core/base/iso.ts";

/** Due times in one reply. */
export const MAX_DUE_TIMES = 100;
export const DEFAULT_DUE_TIMES = 10;

const time = z.iso.datetime();

export const scheduleSchema = scheduleConfigSchema
  .extend({
    id: z.string(),
    version: z.int().describe("Increases when the configuration changes."),
    paused: z.boolean(),
    next_at: time.nullable().describe("The next due time, before any jitter; null if paused or ended."),
    created_at: time,
    updated_at: time,
    acts_for: z
      .strictObject({ person_id: z.string(), name: z.string() })
      .nullable()
      .describe(
        "The person for whom its tasks act: who created the schedule or last confirmed it. Null: nobody, so its tasks use shared accounts only.",
      ),
    acts_for_cleared: z
      .boolean()
      .describe("True after somebody else changed `task`, which cleared `acts_for`, until a person confirms it."),
  })
  .meta({ id: "Schedule" });

const appStateSchema = z
  .strictObject({
    app: z.string(),
    state: z.enum(["active", ...CONNECT_REASONS]).describe("`active`: a run can use the app now. Otherwise why not."),
    connection_id: z.string().nullable().describe("The connection that a run would use; null without one."),
    owner: z.enum(["shared", "person"]).describe("Whose account it is or has to be: of `acts_for`, or everyone's."),
    unattended: z.boolean().describe("Whether runs may use the account while its owner is away."),
    why: z.string().nullable(),
  })
  .meta({ id: "ScheduleApp" });

/** One schedule, with what its runs may use. */
export const scheduleDetailsSchema = scheduleSchema
  .extend({
    apps: z
      .array(appStateSchema)
      .nullable()
      .describe("The apps that its agent may use; null while they cannot be read."),
  })
  .meta({ id: "ScheduleDetails" });

export const occurrenceSchema = z
  .strictObject({
    key: z.string().describe("The due time, or `run/…` for a run on request."),
    due_at: time,
    is_manual: z.boolean(),
    state: z
      .enum(OCCURRENCE_STATES)
      .describe(
        "`starting`: its task is being created. `queued`: it waits for an earlier one. `fired`: its task is running. `finished`, `failed`, `skipped` and `coalesced` (merged into a later one) have ended.",
      ),
    why: z.string().nullable(),
    is_late: z.boolean().describe("It did not end within the time of its alert."),
    attempts_failed: z.int(),
    task_id: z.string().nullable(),
    task_status: z.enum(TASK_STATUSES).nullable().describe("How its task ended."),
    judged_at: time,
    fired_at: time.nullable(),
    ended_at: time.nullable(),
  })
  .meta({ id: "Occurrence" });

export const dueTimeSchema = z.strictObject({ data: z.array(time) }).meta({ id: "DueMoments" });

export function toScheduleView(state: ScheduleState) {
  const { id, version, config, paused, next, createdAt, updatedAt } = state;
  const caller = findScheduleCaller(state);
  return {
    id,
    version,
    ...config,
    paused,
    next_at: next === null ? null : iso(next.due),
    created_at: iso(createdAt),
    updated_at: iso(updatedAt),
    acts_for: caller === null ? null : { person_id: caller.person, name: caller.name },
    acts_for_cleared: findClearedCaller(state) !== null,
  };
}

export function toScheduleDetails(state: ScheduleState, apps: readonly AppState[] | null) {
  const shown = apps?.map(({ app, status, connection, owner, unattended, why }) => {
    return { app, state: status, connection_id: connection, owner, unattended, why };
  });
  return { ...toScheduleView(state), apps: shown ?? null };
}

export function toOccurrenceView(occurrence: Occurrence) {
  const { key, due, isManual, state, why, isLate, failures, task, status } = occurrence;
  const { judgedAt, firedAt, endedAt } = occurrence;
  return {
    key,
    due_at: iso(due),
    is_manual: isManual,
    state,
    why,
    is_late: isLate,
    attempts_failed: failures,
    task_id: task,
    task_status: status,
    judged_at: iso(judgedAt),
    fired_at: firedAt === null ? null : iso(firedAt),
    ended_at: endedAt === null ? null : iso(endedAt),
  };
}

/** Returns the next due times after a time. */
export function toDueTimes(clock: DueClock, after: number, count: number) {
  const data: string[] = [];
  for (let next = clock.nextAfter(after); next !== null && data.length < count; next = clock.nextAfter(next))
    data.push(iso(next));
  return { data };
}
