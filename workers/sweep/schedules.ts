/** What the sweep does for schedules. */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { schedulesFromEnv } from "../../adapters/env/schedules.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { OttoError, type Result } from "../../core/base/errors.ts";
import { pauseSchedule } from "../../core/schedules/change.ts";
import { unwrap } from "../http/unwrap.ts";

/** An alarm that is this late may be lost. */
const OVERDUE_MS = 60_000;
/** Schedules that one run wakes, and those of a tenant that are erased at once. */
const MAX_AT_ONCE = 500;

/** The schedules whose alarm should have gone off, the longest overdue first. */
export async function overdueSchedules(env: Env, now: number) {
  return unwrap(await databaseFromEnv(env).schedules.overdue(now - OVERDUE_MS, MAX_AT_ONCE));
}

/** Wakes a schedule. An object that is empty although it was not deleted was lost: it is created again from the row. */
export async function wakeSchedule(env: Env, tenant: string, schedule: string): Promise<void> {
  const poked = await schedulesFromEnv(env)(tenant, schedule).poke();
  if (poked.ok) return;
  if (poked.error.code !== "not_found") throw new OttoError(poked.error);
  await recreateSchedule(env, tenant, schedule);
}

/**
 * A deletion by an earlier release left nothing in the object. So one whose row that release wrote may be deleted, and comes
 * back paused: nothing runs that somebody deleted, and nothing that was lost goes silently.
 */
async function recreateSchedule(env: Env, tenant: string, schedule: string): Promise<void> {
  const { schedules } = databaseFromEnv(env);
  const object = schedulesFromEnv(env)(tenant, schedule);
  const row = await schedules.find(tenant, schedule);
  if (isMissing(row)) return;
  const { state, report, isTracked } = unwrap(row);
  const restored = isTracked ? state : pauseSchedule(state, Date.now());
  unwrap(await object.create(restored, report));
  // A deletion that found the object empty removed the row alone.
  if (isMissing(await schedules.find(tenant, schedule))) return await object.erase();
  const how = isTracked ? "created again" : "created again, paused, since an earlier release may have deleted it";
  console.warn(JSON.stringify({ level: "warn", sweep: `the object of ${schedule} was lost and is ${how}`, tenant }));
}

function isMissing(found: Result<unknown>): boolean {
  return !found.ok && found.error.code === "not_found";
}

/** Some of them; false: there are more. They can make no tasks any more, since their tenant is gone. */
export async function eraseSchedules(env: Env, tenant: string): Promise<boolean> {
  const { schedules } = databaseFromEnv(env);
  const some = unwrap(await schedules.listIds(tenant, MAX_AT_ONCE));
  for (const schedule of some) {
    await schedulesFromEnv(env)(tenant, schedule).erase();
    unwrap(await schedules.remove(tenant, schedule, null));
  }
  return some.length < MAX_AT_ONCE;
}
