/** Checks a browser before the body of its sign-in is read: nothing identifies the caller yet. */
import { countSignInFromEnv } from "../../adapters/env/console.ts";
import { raise } from "../../core/base/errors.ts";
import type { AppContext } from "./context.ts";
import { refuseForeignSignIn } from "./own-origin.ts";

/** Where a browser signs in: the only route under `/v1` that needs no key, by POST. */
export const SESSION_PATH = "/v1/session";
/** Bytes of the body: a key or the token of a link. */
export const MAX_SIGN_IN_BYTES = 4_096;
/** The period over which the platform counts the attempts of an address. */
const RETRY_AFTER_MS = 60_000;

export function isSignIn(c: AppContext): boolean {
  return c.req.method === "POST" && c.req.path === SESSION_PATH;
}

/** Refuses another site's page, and an address with too many attempts. */
export async function admitSignIn(c: AppContext): Promise<void> {
  refuseForeignSignIn(c);
  if (await countSignInFromEnv(c.env, c.req.header("cf-connecting-ip"))) return;
  const message = "Too many attempts to sign in from this address. Wait a minute.";
  raise("rate_limited", message, { retryAfterMs: RETRY_AFTER_MS });
}
