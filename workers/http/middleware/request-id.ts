/** Gives every request an id for its reply, its problem and the log. */
import type { MiddlewareHandler } from "hono";
import { makeId } from "../../../core/base/ids.ts";
import type { AppEnv } from "../context.ts";

export const requestId: MiddlewareHandler<AppEnv> = async function requestId(c, next) {
  const id = makeId("request", Date.now(), crypto.getRandomValues(new Uint8Array(10)));
  c.set("requestId", id);
  c.set("idempotency", null);
  c.set("session", null);
  c.set("tenantFacts", null);
  c.set("validUntil", null);
  await next();
  c.res.headers.set("x-request-id", id);
};
