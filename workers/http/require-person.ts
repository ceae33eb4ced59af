/** Requests about "me" need a key of a person. */
import { raise } from "../../core/base/errors.ts";
import type { KeyPerson } from "../../core/tenant/rpc.ts";
import type { AppContext } from "./context.ts";
import { getPerson } from "./principal.ts";
import { RETRY_AFTER_MS } from "./problem.ts";

export const NO_PERSON = "This key belongs to no person. Bind it under Settings, Keys.";

/** Returns the person of the request's key. A key without one is refused with what to do. */
export function requirePerson(c: AppContext): KeyPerson {
  const principal = c.get("principal");
  // Not read: the database is away.
  if (principal.kind === "tenant" && principal.key.person === undefined)
    raise("upstream_failed", "Otto cannot read whose key this is now. Try again.", { retryAfterMs: RETRY_AFTER_MS });
  return getPerson(c) ?? raise("invalid_input", NO_PERSON);
}
