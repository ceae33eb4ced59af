/** Limits requests that name no caller, by a key or a session of the right form: 60 a minute and address (document 002). Each is refused by `authenticate` anyway. */
import type { MiddlewareHandler } from "hono";
import { countKeylessFromEnv } from "../../../adapters/env/console.ts";
import { raise } from "../../../core/base/errors.ts";
import { findKeyOwner } from "../../../core/tenant/keys.ts";
import { findSessionTenant } from "../../../core/tenant/session.ts";
import type { AppEnv } from "../context.ts";
import { readSessionToken } from "../session-cookie.ts";
import { findBearerToken } from "./authenticate.ts";

/** The period over which the platform counts the requests of an address. */
const RETRY_AFTER_MS = 60_000;

export const limitWithoutKey: MiddlewareHandler<AppEnv> = async function limitWithoutKey(c, next) {
  const [key, session] = [findBearerToken(c) ?? "", readSessionToken(c) ?? ""];
  const isNamed = findKeyOwner(key) !== null || findSessionTenant(session) !== null;
  if (!isNamed && !(await countKeylessFromEnv(c.env, c.req.header("cf-connecting-ip")))) {
    const message = "Too many requests without a key from this address. Send an API key, or wait a minute.";
    raise("rate_limited", message, { retryAfterMs: RETRY_AFTER_MS });
  }
  await next();
};
