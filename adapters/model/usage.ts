/** What a call used, counted by Otto: for a server that sends no usage, and for the demo model. */
import type { ModelUsage } from "../../core/messages.ts";
import type { ModelRequest } from "../../core/ports.ts";
import { estimateMessages, estimateTokens } from "../../core/prompt/tokens.ts";

/** The usage of a request and what came back, marked as estimated. */
export function estimatedUsage(
  request: ModelRequest,
  text: string,
  calls: readonly { readonly name: string; readonly arguments: string }[],
): ModelUsage {
  let inputTokens = estimateMessages(request.messages);
  for (const tool of request.tools) {
    inputTokens += estimateTokens(`${tool.name}${tool.description}${JSON.stringify(tool.parameters)}`);
  }
  let outputTokens = estimateTokens(text);
  for (const call of calls) outputTokens += estimateTokens(call.name) + estimateTokens(call.arguments);
  return { inputTokens, outputTokens, estimated: true };
}
