/** Names the earlier result that a call reads again. */
import { getTextField } from "../base/json-fields.ts";
import { EXPAND_RESULT } from "../gateway/shape.ts";

/** The id of the call whose result this call reads; null for any other tool. `tool` is the name in the ledger. */
export function expandedResult(tool: string, given: unknown): string | null {
  return tool === EXPAND_RESULT ? getTextField(given, "result_id") : null;
}
