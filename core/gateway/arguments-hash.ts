/** The hash of a call's exact arguments, and of the account through which it acts. */
import { toCanonicalJson } from "../base/canonical-json.ts";
import { sha256Hex } from "../base/sha256.ts";
import type { Account } from "../connections/account.ts";

/**
 * Hashes a call's arguments, for repeats, approvals and the ledger. `tool` is the tool's own name. With an account, the
 * hash covers the connection and its consent too: another consent may be another mailbox.
 */
export async function hashArguments(
  tool: string,
  given: unknown,
  account?: Pick<Account, "connection" | "consent">,
): Promise<string> {
  const hashed = account === undefined ? [tool, given] : [tool, given, account.connection, account.consent];
  return await sha256Hex(toCanonicalJson(hashed));
}
