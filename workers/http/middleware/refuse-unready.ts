/**
 * While a setting is wrong or a secret is missing, nothing under /v1 is answered: half of Otto would lose what the other
 * half stores.
 */
import type { MiddlewareHandler } from "hono";
import type { Env } from "../../../adapters/env/bindings.ts";
import { findSettingProblems } from "../../../adapters/env/problems.ts";
import type { Failure } from "../../../core/base/errors.ts";
import { CHANNEL_SECRETS } from "../../channels/channels.ts";
import type { AppEnv } from "../context.ts";
import { problemResponse } from "../problem.ts";

const NOT_SET_UP: Failure = {
  code: "internal",
  message: "Otto is not set up here. Its operator finds at /health what is missing.",
};

/** The settings of an isolate do not change, so they are judged, and a problem is logged, once. */
const judged = new WeakMap<Env, boolean>();

export const refuseUnready: MiddlewareHandler<AppEnv> = async function refuseUnready(c, next) {
  if (!isReady(c.env)) return problemResponse(NOT_SET_UP, c.get("requestId"), { status: 503 });
  await next();
  return undefined;
};

function isReady(env: Env): boolean {
  const known = judged.get(env);
  if (known !== undefined) return known;
  const problems = findSettingProblems(env, CHANNEL_SECRETS);
  if (problems.length > 0) console.error("the settings are wrong", problems);
  judged.set(env, problems.length === 0);
  return problems.length === 0;
}
