/** Which upload answers, and where it is reached. */
import { checkAddress, type Env, set } from "./bindings.ts";

/** Which upload of the Worker answers; null where it was not uploaded. */
export function deploymentFromEnv(env: Env): string | null {
  return set(env.DEPLOYMENT?.id);
}

/** Where people and providers reach this Worker, without a slash at its end; null: links take the address of the request. */
export function publicUrlFromEnv(env: Env): string | null {
  checkAddress(env.OTTO_PUBLIC_URL, "OTTO_PUBLIC_URL");
  return set(env.OTTO_PUBLIC_URL)?.replace(/\/+$/, "") ?? null;
}
