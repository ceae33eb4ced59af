/** The files of the console, and the count of those who try to sign in to it. */
import type { Env } from "./bindings.ts";
import { isLocalFromEnv } from "./settings.ts";

/**
 * Counts one attempt to sign in; false when it exceeds the limit. The platform counts, each of its locations separately
 * (https://developers.cloudflare.com/workers/runtime-apis/bindings/rate-limit/).
 *
 * `claimed` is the request's `cf-connecting-ip`. Cloudflare overwrites what a client sends
 * (https://developers.cloudflare.com/fundamentals/reference/http-headers/). On one machine the client writes it, and could start
 * a new count with every attempt: there all attempts share one count.
 */
export async function countSignInFromEnv(env: Env, claimed: string | undefined): Promise<boolean> {
  const address = isLocalFromEnv(env) ? "" : (claimed ?? "");
  return (await env.SIGN_INS.limit({ key: address })).success;
}

/** The files of the console's build; where there is none, its page. */
export function assetsFromEnv(env: Env): Fetcher {
  return env.ASSETS;
}
