/** What `from-env.ts` gives of the console: its files, and the count of those who try to sign in to it. */
import type { Env } from "./env.ts";

/**
 * Counts one try from this address; false: it was one too many. The platform counts, at each of its places by itself
 * (https://developers.cloudflare.com/workers/runtime-apis/bindings/rate-limit/).
 */
export async function countSignInFromEnv(env: Env, address: string): Promise<boolean> {
  return (await env.SIGN_INS.limit({ key: address })).success;
}

/** The files of the console's build; where there is none, its page. */
export function assetsFromEnv(env: Env): Fetcher {
  return env.ASSETS;
}
