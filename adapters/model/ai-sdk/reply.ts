/** The Responses API, by the SDK's provider interface. */
// The provider as a whole brings speech, images and batches along: 50 KiB of gzip.
import { OpenAIResponsesLanguageModel } from "@ai-sdk/openai/internal";
import type { ModelChunk, ModelFailure, ModelRequest, ReplyCall } from "../../../core/ports/tool-ports.ts";
import { wholeCall } from "../call-pieces.ts";
import type { CallWatch } from "../call-watch.ts";
import { bearerOf, guardedFetch, type ModelAddress } from "../guarded-fetch.ts";
import { failureOfThrown, unreadable } from "../model-failure.ts";
import { type Reply, type ReplyEnd, TOO_LONG_FAULT, usageOf } from "../reply.ts";
import { toSdkPrompt, toSdkTools } from "./prompt.ts";

/** One call: the text as it is written, then the end of it. Throws what the call failed by. */
export async function* responsesReply(
  address: ModelAddress,
  request: ModelRequest,
  watch: CallWatch,
  reply: Reply,
): AsyncGenerator<ModelChunk> {
  const model = new OpenAIResponsesLanguageModel(request.model, {
    provider: "openai.responses",
    url: ({ path }) => `${address.baseUrl}${path}`,
    headers: { authorization: `Bearer ${bearerOf(address.apiKey)}` },
    fetch: guardedFetch(watch, address.apiKey),
    fileIdPrefixes: ["file-"],
  });
  const tools = toSdkTools(request.tools);
  const { stream } = await watch.race(
    model.doStream({
      prompt: toSdkPrompt(request.messages),
      maxOutputTokens: request.maxOutputTokens,
      abortSignal: watch.signal,
      ...(tools === undefined ? {} : { tools }),
      // Otto keeps the conversation; the provider need not.
      providerOptions: { openai: { store: false } },
    }),
  );

  const calls: ReplyCall[] = [];
  const names = new Map<string, string>();
  const reader = stream.getReader();
  for (;;) {
    const { done, value: part } = await watch.race(reader.read());
    if (done) break;
    switch (part.type) {
      case "text-delta":
        if (part.delta === "") break;
        yield { type: "text", text: reply.addText(part.delta) };
        break;
      case "reasoning-delta":
        reply.addThought(part.delta);
        break;
      case "tool-input-start":
        names.set(part.id, part.toolName);
        break;
      case "tool-input-delta":
        if (reply.addArguments(part.delta)) break;
        calls.push({ ...wholeCall(names.get(part.id) ?? "", ""), fault: TOO_LONG_FAULT });
        break;
      case "tool-call":
        // The SDK gives the arguments as the model wrote them, JSON or not.
        if (reply.addCall(calls.length + 1)) calls.push(wholeCall(part.toolName, part.input));
        break;
      case "error":
        yield { type: "failed", failure: failureOfStreamError(part.error, address.apiKey ?? "") };
        return;
      case "finish":
        reply.end = endOf(part.finishReason.unified);
        reply.usage = usageOf(part.usage.inputTokens.total, part.usage.outputTokens.total);
        break;
      default:
        break;
    }
    const outputTokens = reply.takeProgress();
    if (outputTokens !== null) yield { type: "progress", outputTokens };
    if (reply.isFull) break;
  }
  yield reply.conclude(calls, request);
}

function endOf(reason: string): ReplyEnd | null {
  if (reason === "interrupted" || reason === "error") return null;
  if (reason === "length") return "length";
  return reason === "content-filter" ? "filtered" : "whole";
}

/** An `error` part: an error event of the provider, or an event that could not be read. */
function failureOfStreamError(error: unknown, apiKey: string): ModelFailure {
  if (typeof error === "object" && error !== null && "statusCode" in error) return failureOfThrown(error, apiKey);
  return unreadable().failure;
}
