/** The files of the console, and the rate limits of what needs no key: sign-ins and connect links. */
import type { Env } from "./bindings.ts";
import { isLocalFromEnv } from "./settings.ts";

/**
 * Counts a sign-in attempt; false when it exceeds the limit. The platform counts in each of its locations separately
 * (https://developers.cloudflare.com/workers/runtime-apis/bindings/rate-limit/).
 *
 * `claimed` is the request's `cf-connecting-ip`. Cloudflare overwrites what a client sends
 * (https://developers.cloudflare.com/fundamentals/reference/http-headers/). On one machine a client could change it
 * with every attempt, so there all attempts share one count.
 */
export async function countSignInFromEnv(env: Env, claimed: string | undefined): Promise<boolean> {
  const address = isLocalFromEnv(env) ? "" : (claimed ?? "");
  return (await env.SIGN_INS.limit({ key: address })).success;
}

/** Counts an opened connect link of a person (null: of a shared account); false when it exceeds the same limit. */
export async function countConnectLinkFromEnv(env: Env, tenant: string, person: string | null): Promise<boolean> {
  return (await env.SIGN_INS.limit({ key: `connect ${tenant} ${person ?? ""}` })).success;
}

/** The files of the console's build; without a file, its page. */
export function assetsFromEnv(env: Env): Fetcher {
  return env.ASSETS;
}
