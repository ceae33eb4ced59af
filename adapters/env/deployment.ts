/** The deployed version, and its public address. */
import { checkAddress, type Env, readText } from "./bindings.ts";
import { oncePerEnv } from "./once-per-env.ts";

/** The deployed version of this Worker; null if it was not uploaded. */
export function deploymentFromEnv(env: Env): string | null {
  return readText(env.DEPLOYMENT?.id);
}

/** The public URL of this Worker without a trailing slash; null: links use the address of the request. */
export const publicUrlFromEnv = oncePerEnv((env: Env): string | null => {
  checkAddress(env.OTTO_PUBLIC_URL, "OTTO_PUBLIC_URL");
  return readText(env.OTTO_PUBLIC_URL)?.replace(/\/+$/, "") ?? null;
});
