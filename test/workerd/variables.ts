/** Variables of the Worker that one test file sets for its requests. What is made once for each environment is made for them again. */
import type { Env } from "../../adapters/env/bindings.ts";

let set: Env | null = null;

/** Returns the environment of requests from now on; `null`: those of the suite. */
export function setVariables(env: Env, variables: Readonly<Record<string, string>> | null): Env {
  set = variables === null ? null : { ...env, ...variables };
  return withVariables(env);
}

export function withVariables(env: Env): Env {
  return set ?? env;
}
