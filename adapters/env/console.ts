/** The files of the console, and the rate limits of requests without a key. */
import type { Env } from "./bindings.ts";
import { isLocalFromEnv } from "./settings.ts";

/**
 * Counts a sign-in attempt; false when it exceeds the limit. The platform counts in each of its locations separately
 * (https://developers.cloudflare.com/workers/runtime-apis/bindings/rate-limit/). `claimed` is the request's
 * `cf-connecting-ip`.
 */
export async function countSignInFromEnv(env: Env, claimed: string | undefined): Promise<boolean> {
  return (await env.SIGN_INS.limit({ key: toAddress(env, claimed) })).success;
}

/** Counts a request that names no caller; false when it exceeds the same limit, which is counted apart from sign-ins. */
export async function countKeylessFromEnv(env: Env, claimed: string | undefined): Promise<boolean> {
  return (await env.SIGN_INS.limit({ key: `keyless ${toAddress(env, claimed)}` })).success;
}

/**
 * Cloudflare overwrites what a client sends (https://developers.cloudflare.com/fundamentals/reference/http-headers/). On
 * one machine a client could change its address with every request, so there all share one count.
 */
function toAddress(env: Env, claimed: string | undefined): string {
  return isLocalFromEnv(env) ? "" : (claimed ?? "");
}

/** Counts an opened connect link of a person (null: of a shared account); false when it exceeds the same limit. */
export async function countConnectLinkFromEnv(env: Env, tenant: string, person: string | null): Promise<boolean> {
  return (await env.SIGN_INS.limit({ key: `connect ${tenant} ${person ?? ""}` })).success;
}

/** The files of the console's build; without a file, its page. */
export function assetsFromEnv(env: Env): Fetcher {
  return env.ASSETS;
}
