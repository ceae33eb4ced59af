/** The hash of a call's exact arguments. */
import { toCanonicalJson } from "../base/canonical-json.ts";
import { sha256Hex } from "../base/sha256.ts";

/** Hashes a call's arguments, for repeats, approvals and the ledger. `tool` is the tool's own name. */
export async function hashArguments(tool: string, given: unknown): Promise<string> {
  return await sha256Hex(toCanonicalJson([tool, given]));
}
