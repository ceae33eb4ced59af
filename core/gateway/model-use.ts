/** What a call may ask a language model. */
import type { ModelUse } from "../ports/language.ts";
import type { Tool } from "../tool/tool.ts";

/** Returns the field of a prepared call. */
export function findModelUse(tool: Tool, given: unknown): { readonly asks?: ModelUse } {
  // The input schema produced the value.
  const asks = tool.modelUse?.(given as never) ?? null;
  return asks === null ? {} : { asks };
}
