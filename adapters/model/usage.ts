/** Otto's estimate of a call's use: for a server that sends no counts, and for the demo model. */
import type { ModelUsage } from "../../core/model/messages.ts";
import { getEncoding } from "../../core/model/table.ts";
import type { ModelRequest } from "../../core/ports/model.ts";
import { estimateRequest } from "../../core/steps/request-size.ts";
import { measureTokens } from "../../core/model/tokens.ts";

/** The use of a request and its reply, marked as estimated. */
export function estimateUsage(
  request: ModelRequest,
  text: string,
  calls: readonly { readonly name: string; readonly arguments: string }[],
): ModelUsage {
  const encoding = getEncoding(request.model);
  let output = measureTokens(text, encoding);
  for (const call of calls) output += measureTokens(call.name, encoding) + measureTokens(call.arguments, encoding);
  return { inputTokens: estimateRequest(request), outputTokens: Math.ceil(output), estimated: true };
}
