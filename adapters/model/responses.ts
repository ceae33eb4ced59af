/** The Responses API, by the SDK's provider interface. */
// The provider as a whole brings speech, images and batches along: 50 KiB of gzip.
import { OpenAIResponsesLanguageModel } from "@ai-sdk/openai/internal";
import type { ModelChunk, ModelFailure, ModelRequest } from "../../core/ports.ts";
import type { CallWatch } from "./call-watch.ts";
import { bearerOf, guardedFetch, type ModelAddress } from "./guarded-fetch.ts";
import { failureOfThrown, unreadable } from "./model-failure.ts";
import { Reply, type ReplyCall, type ReplyEnd, usageOf } from "./reply.ts";
import { toSdkPrompt, toSdkTools } from "./responses-wire.ts";

/** One call: the text as it is written, then the end of it. Throws what the call failed by. */
export async function* responsesReply(
  address: ModelAddress,
  request: ModelRequest,
  watch: CallWatch,
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

  const reply = new Reply();
  const calls: ReplyCall[] = [];
  const reader = stream.getReader();
  for (;;) {
    const { done, value: part } = await watch.race(reader.read());
    if (done) break;
    switch (part.type) {
      case "text-delta":
        if (part.delta === "") break;
        yield { type: "text", text: part.delta };
        reply.addText(part.delta);
        break;
      case "tool-input-delta":
        reply.grow(part.delta.length, calls.length);
        break;
      case "tool-call":
        // The SDK gives the arguments as the model wrote them, JSON or not.
        calls.push({ name: part.toolName, arguments: part.input });
        reply.grow(0, calls.length);
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
