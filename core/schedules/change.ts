/** Creates and changes schedules. Pure; failures name the field. */
import { failed, ok, type Result } from "../base/errors.ts";
import type { Actor } from "../connections/actors.ts";
import { changeScheduleCaller, startScheduleCaller } from "./acts-for.ts";
import {
  checkSchedule,
  findNextDue,
  type ScheduleConfig,
  type SchedulePerson,
  type ScheduleState,
} from "./schedule.ts";

/** A schedule to create. `actsFor`: the person who creates it; null or absent for a creator without a record. */
export interface NewSchedule extends Pick<ScheduleState, "tenant" | "id" | "config"> {
  readonly actsFor?: SchedulePerson | null;
}

export function createSchedule(
  { tenant, id, config, actsFor = null }: NewSchedule,
  now: number,
): Result<ScheduleState> {
  const clock = checkSchedule(config, now, now);
  if (!clock.ok) return clock;
  const next = findNextDue({ id, config }, clock.value, now);
  const made = { format: 1, tenant, id, version: 1, config, paused: false, createdAt: now, updatedAt: now } as const;
  return ok({ ...made, next, last: null, ...startScheduleCaller(actsFor, now) });
}

/** A change. `by` is null or absent for an unknown author. */
interface ScheduleChange {
  readonly config: ScheduleConfig;
  /** Null accepts any version. */
  readonly ifVersion: number | null;
  readonly by?: Actor | null;
}

/**
 * Replaces the configuration. Occurrences that were due before now are decided already; one that waits for its jitter
 * stays due if the new rule has it too. `conflict` when the version is not `ifVersion`.
 */
export function changeSchedule(
  state: ScheduleState,
  { config, ifVersion, by = null }: ScheduleChange,
  now: number,
): Result<ScheduleState> {
  if (ifVersion !== null && ifVersion !== state.version)
    return failed("conflict", `The latest version is ${state.version}. Read it and try again.`, {
      field: "If-Match",
    });
  const clock = checkSchedule(config, state.createdAt, now);
  if (!clock.ok) return clock;
  const pending = state.next === null ? now : Math.min(now, state.next.due - 1);
  const after = Math.max(pending, state.last ?? -Infinity);
  const next = state.paused ? null : findNextDue({ id: state.id, config }, clock.value, after);
  const version = state.version + 1;
  return ok({
    ...state,
    ...changeScheduleCaller(state, { config, version }, by),
    config,
    version,
    updatedAt: now,
    next,
  });
}

/** Pauses a schedule: no occurrence is due until it is resumed. Running tasks continue. */
export function pauseSchedule(state: ScheduleState, now: number): ScheduleState {
  return state.paused ? state : { ...state, paused: true, next: null, updatedAt: now };
}

/** Resumes a schedule from now on; occurrences of the pause were not missed. `conflict` when it has no further occurrence. */
export function resumeSchedule(state: ScheduleState, now: number): Result<ScheduleState> {
  if (!state.paused) return ok(state);
  const clock = checkSchedule(state.config, state.createdAt, now);
  if (!clock.ok) return failed("conflict", "The schedule has no further occurrence. Change it first.");
  const next = findNextDue(state, clock.value, Math.max(now, state.last ?? -Infinity));
  return ok({ ...state, paused: false, next, updatedAt: now });
}

/** True when an ended schedule becomes due or resumable again, and so counts against the tenant's limit. */
export function isReactivated(before: ScheduleState, after: ScheduleState): boolean {
  return isEnded(before) && !isEnded(after);
}

function isEnded({ next, paused }: ScheduleState): boolean {
  return next === null && !paused;
}
