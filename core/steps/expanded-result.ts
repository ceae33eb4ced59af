/** Finds the earlier result that a call reads again. */
import { getTextField } from "../base/json-fields.ts";
import { EXPAND_RESULT } from "../gateway/shape.ts";

/** Returns the id of the call whose result this call reads; null for another tool. `tool` is the name in the ledger. */
export function getExpandedResult(tool: string, given: unknown): string | null {
  return tool === EXPAND_RESULT ? getTextField(given, "result_id") : null;
}
