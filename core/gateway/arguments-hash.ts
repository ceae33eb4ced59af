/** What names the exact arguments of a call. */
import { canonicalJson } from "../base/canonical-json.ts";
import { sha256Hex } from "../base/sha256.ts";

/** The hash that a repeat, an approval and the ledger know a call's arguments by. `tool` is the tool's own name. */
export async function hashArguments(tool: string, given: unknown): Promise<string> {
  return await sha256Hex(canonicalJson([tool, given]));
}
