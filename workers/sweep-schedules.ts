/** What the sweep does for schedules. */
import { databaseFromEnv, schedulesFromEnv, type Env } from "../adapters/from-env.ts";
import { unwrap } from "./task-access.ts";

/** An alarm that is this late may be lost. */
const OVERDUE_MS = 60_000;
/** Schedules that one run wakes, and those of a tenant that are erased at once. */
const MAX_AT_ONCE = 500;

/** The schedules whose alarm should have gone off, the longest overdue first. */
export async function overdueSchedules(env: Env, now: number) {
  return unwrap(await databaseFromEnv(env).schedules.overdue(now - OVERDUE_MS, MAX_AT_ONCE));
}

/** A row whose object knows no schedule is what a deleting that was cut off left. */
export async function wakeSchedule(env: Env, tenant: string, schedule: string): Promise<void> {
  const poked = await schedulesFromEnv(env)(tenant, schedule).poke();
  if (!poked.ok) unwrap(await databaseFromEnv(env).schedules.remove(tenant, schedule, null));
}

/** Some of them; false: there are more. They can make no tasks any more, since their tenant is gone. */
export async function eraseSchedules(env: Env, tenant: string): Promise<boolean> {
  const { schedules } = databaseFromEnv(env);
  const some = unwrap(await schedules.some(tenant, MAX_AT_ONCE));
  for (const schedule of some) {
    await schedulesFromEnv(env)(tenant, schedule).erase();
    unwrap(await schedules.remove(tenant, schedule, null));
  }
  return some.length < MAX_AT_ONCE;
}
