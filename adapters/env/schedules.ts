/** The objects of schedules. */
import type { Env } from "./bindings.ts";
import { getStub } from "./object-stub.ts";
import type { ScheduleRpc } from "../../core/schedules/rpc.ts";

/** The object of a schedule, by tenant and id. */
export function schedulesFromEnv(env: Env): (tenant: string, schedule: string) => ScheduleRpc {
  return (tenant, schedule) => getStub<ScheduleRpc>(env.SCHEDULES, `${tenant}/${schedule}`);
}
