/** While a setting is wrong or a secret is missing, nothing is answered: half of Otto would lose what the other half stores. */
import type { MiddlewareHandler } from "hono";
import { type Env, settingProblems } from "../../adapters/from-env.ts";
import type { Failure } from "../../core/errors.ts";
import type { AppEnv } from "../context.ts";
import { problemResponse } from "../problem.ts";

const NOT_SET_UP: Failure = {
  code: "internal",
  message: "Otto is not set up here. Its operator finds at /health what is missing.",
};

/** The settings of an isolate do not change. */
const ready = new WeakSet<Env>();

export const refuseUnready: MiddlewareHandler<AppEnv> = async function refuseUnready(c, next) {
  if (!ready.has(c.env)) {
    const problems = settingProblems(c.env);
    if (problems.length > 0) {
      console.error("the settings are wrong", problems);
      return problemResponse(NOT_SET_UP, c.get("requestId"), { status: 503 });
    }
    ready.add(c.env);
  }
  await next();
  return undefined;
};
