/** The sweep's work for schedules. */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { schedulesFromEnv } from "../../adapters/env/schedules.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { OttoError, type Result } from "../../core/base/errors.ts";
import { pauseSchedule } from "../../core/schedules/change.ts";
import { unwrap } from "../http/unwrap.ts";

/** An alarm that is this late may be lost. */
const OVERDUE_MS = 60_000;
/** Schedules that one run wakes, and schedules of a tenant that are erased at once. */
const MAX_AT_ONCE = 500;

/** Lists the schedules whose alarm is overdue, the longest overdue first. */
export async function listOverdueSchedules(env: Env, now: number) {
  return unwrap(await databaseFromEnv(env).schedules.overdue(now - OVERDUE_MS, MAX_AT_ONCE));
}

/** Wakes a schedule. Recreates a lost object from its row: it is empty, but was not deleted. */
export async function wakeSchedule(env: Env, tenant: string, schedule: string): Promise<void> {
  const poked = await schedulesFromEnv(env)(tenant, schedule).poke();
  if (poked.ok) return;
  if (poked.error.code !== "not_found") throw new OttoError(poked.error);
  await recreateSchedule(env, tenant, schedule);
}

/**
 * Recreates a lost schedule. A deletion by an earlier release left nothing in the object, so a schedule whose row
 * that release wrote may be deleted: it returns paused, so that no deleted schedule runs and no lost one disappears
 * silently.
 */
async function recreateSchedule(env: Env, tenant: string, schedule: string): Promise<void> {
  const { schedules } = databaseFromEnv(env);
  const object = schedulesFromEnv(env)(tenant, schedule);
  const row = await schedules.find(tenant, schedule);
  if (isMissing(row)) return;
  const { state, report, isTracked } = unwrap(row);
  const restored = isTracked ? state : pauseSchedule(state, Date.now());
  unwrap(await object.create(restored, report));
  // A deletion that found the object empty removed only the row.
  if (isMissing(await schedules.find(tenant, schedule))) return await object.erase();
  const how = isTracked ? "created again" : "created again, paused, since an earlier release may have deleted it";
  console.warn(JSON.stringify({ level: "warn", sweep: `the object of ${schedule} was lost and is ${how}`, tenant }));
}

function isMissing(found: Result<unknown>): boolean {
  return !found.ok && found.error.code === "not_found";
}

/** Erases some schedules; false if more are left. Their tenant is gone, so they can create no more tasks. */
export async function eraseSchedules(env: Env, tenant: string): Promise<boolean> {
  const { schedules } = databaseFromEnv(env);
  const some = unwrap(await schedules.listIds(tenant, MAX_AT_ONCE));
  for (const schedule of some) {
    await schedulesFromEnv(env)(tenant, schedule).erase();
    unwrap(await schedules.remove(tenant, schedule, null));
  }
  return some.length < MAX_AT_ONCE;
}
