/** Reaches a schedule by the tenant of the key and the schedule's id, and in no other way. */
import { z } from "zod";
import { schedulesFromEnv } from "../../adapters/env/schedules.ts";
import { raise } from "../../core/base/errors.ts";
import { isId } from "../../core/base/ids.ts";
import type { ScheduleRpc } from "../../core/schedules/rpc.ts";
import type { AppContext } from "../http/context.ts";
import { getTenant } from "../http/principal.ts";

/** The path of every route of one schedule. */
export const scheduleParams = z.object({ id: z.string().describe("The schedule's id, `sch_…`") });

/** Returns the object of a schedule. An invalid id is `not_found`, without a call to an object. */
export function scheduleStub(c: AppContext, id: string): ScheduleRpc {
  if (!isId("schedule", id)) raise("not_found", "There is no such schedule.");
  return schedulesFromEnv(c.env)(getTenant(c), id);
}
