/**
 * Refuses to create or start anything while the tenant is stopped. The refusal is not stored, so a repeat runs after
 * the release.
 */
import type { MiddlewareHandler } from "hono";
import { raise } from "../../../core/base/errors.ts";
import { formatStopMessage } from "../../../core/tenant/stop-message.ts";
import type { AppEnv } from "../context.ts";
import { readTenantFacts } from "../tenant-facts.ts";

export const refuseStopped: MiddlewareHandler<AppEnv> = async function refuseStopped(c, next) {
  const { stopped: stop } = await readTenantFacts(c);
  if (stop !== null) {
    c.set("isReplyTemporary", true);
    raise("conflict", formatStopMessage(stop));
  }
  await next();
};
