/** The objects of schedules. */
import type { Env } from "./bindings.ts";
import { stubOf } from "./object-stub.ts";
import type { ScheduleRpc } from "../../core/schedules/rpc.ts";

/** A schedule's object, by tenant and id. */
export function schedulesFromEnv(env: Env): (tenant: string, schedule: string) => ScheduleRpc {
  return (tenant, schedule) => stubOf<ScheduleRpc>(env.SCHEDULES, `${tenant}/${schedule}`);
}
