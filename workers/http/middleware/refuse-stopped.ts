/** While the tenant is stopped, nothing is made or started. The refusal is not kept for repeats: after the release they run. */
import type { MiddlewareHandler } from "hono";
import { raise } from "../../../core/base/errors.ts";
import { formatStopMessage } from "../../../core/tenant/stop-message.ts";
import type { AppEnv } from "../context.ts";

export const refuseStopped: MiddlewareHandler<AppEnv> = async function refuseStopped(c, next) {
  const stop = c.get("stopped");
  if (stop !== null) {
    c.set("isTurnedAway", true);
    raise("conflict", formatStopMessage(stop));
  }
  await next();
};
