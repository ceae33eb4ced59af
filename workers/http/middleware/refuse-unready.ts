/**
 * Refuses requests under /v1 while a setting is wrong or a secret is missing: otherwise half of Otto would lose what the
 * other half stores.
 */
import type { MiddlewareHandler } from "hono";
import type { Env } from "../../../adapters/env/bindings.ts";
import { findSettingProblems } from "../../../adapters/env/problems.ts";
import type { Failure } from "../../../core/base/errors.ts";
import type { SecretRow } from "../../../core/secrets/worker-secrets.ts";
import type { AppEnv } from "../context.ts";
import { problemResponse } from "../problem.ts";

const NOT_SET_UP: Failure = {
  code: "internal",
  message: "Otto is not set up here. /health tells its operator what is missing.",
};

/** Creates the middleware. `channelSecrets` are the secrets of all channels. */
export function refuseUnready(channelSecrets: Readonly<Record<string, SecretRow>>): MiddlewareHandler<AppEnv> {
  /** Whether an isolate is ready. Its settings do not change, so they are judged and logged once. */
  const known = new WeakMap<Env, boolean>();

  function isReady(env: Env): boolean {
    const before = known.get(env);
    if (before !== undefined) return before;
    const problems = findSettingProblems(env, channelSecrets);
    if (problems.length > 0) console.error("the settings are wrong", problems);
    known.set(env, problems.length === 0);
    return problems.length === 0;
  }

  return async function refuseUnreadyRequest(c, next) {
    if (!isReady(c.env)) return problemResponse(NOT_SET_UP, c.get("requestId"), { status: 503 });
    await next();
    return undefined;
  };
}
