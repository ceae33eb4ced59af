/** Formats schedules, their occurrences and due times for the API. */
import { z } from "zod";
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
  })
  .meta({ id: "Schedule" });

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

export function toScheduleView({ id, version, config, paused, next, createdAt, updatedAt }: ScheduleState) {
  return {
    id,
    version,
    ...config,
    paused,
    next_at: next === null ? null : iso(next.due),
    created_at: iso(createdAt),
    updated_at: iso(updatedAt),
  };
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
