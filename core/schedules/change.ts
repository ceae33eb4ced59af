/** How a schedule is made and changed. Pure; failures name the field. */
import { failed, ok, type Result } from "../base/errors.ts";
import { checkSchedule, nextDue, type ScheduleConfig, type ScheduleState } from "./schedule.ts";

export function newSchedule(
  { tenant, id, config }: Pick<ScheduleState, "tenant" | "id" | "config">,
  now: number,
): Result<ScheduleState> {
  const clock = checkSchedule(config, now, now);
  if (!clock.ok) return clock;
  const next = nextDue({ id, config }, clock.value, now);
  const made = { format: 1, tenant, id, version: 1, config, paused: false, createdAt: now, updatedAt: now } as const;
  return ok({ ...made, next, last: null });
}

/**
 * Another configuration. What was due by now under the one before was decided about; a moment whose jitter is not over stays
 * due, if it is due by the new rule too. `conflict` when the version is another than `ifVersion` (null: any will do).
 */
export function changedSchedule(
  state: ScheduleState,
  { config, ifVersion }: { config: ScheduleConfig; ifVersion: number | null },
  now: number,
): Result<ScheduleState> {
  if (ifVersion !== null && ifVersion !== state.version)
    return failed("conflict", `The latest version is ${state.version}. Read it and decide anew.`, {
      field: "If-Match",
    });
  const clock = checkSchedule(config, state.createdAt, now);
  if (!clock.ok) return clock;
  const pending = state.next === null ? now : Math.min(now, state.next.due - 1);
  const after = Math.max(pending, state.last ?? -Infinity);
  const next = state.paused ? null : nextDue({ id: state.id, config }, clock.value, after);
  return ok({ ...state, config, version: state.version + 1, updatedAt: now, next });
}

/** It is due no more until it is resumed. What has begun goes on. */
export function pausedSchedule(state: ScheduleState, now: number): ScheduleState {
  return state.paused ? state : { ...state, paused: true, next: null, updatedAt: now };
}

/** It is due again from now on; what was due meanwhile was not missed. `conflict` when it is never due any more. */
export function resumedSchedule(state: ScheduleState, now: number): Result<ScheduleState> {
  if (!state.paused) return ok(state);
  const clock = checkSchedule(state.config, state.createdAt, now);
  if (!clock.ok) return failed("conflict", "The schedule is never due any more. Change it first.");
  const next = nextDue(state, clock.value, Math.max(now, state.last ?? -Infinity));
  return ok({ ...state, paused: false, next, updatedAt: now });
}

/** Whether one that was over is not any more: it may be due again, or be resumed, and counts among the tenant's. */
export function comesBack(before: ScheduleState, after: ScheduleState): boolean {
  return isOver(before) && !isOver(after);
}

function isOver({ next, paused }: ScheduleState): boolean {
  return next === null && !paused;
}
