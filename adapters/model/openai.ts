/**
 * A model behind any server that speaks OpenAI's API: chat completions, or the Responses API. One streamed request a
 * call and no retry here: retries are the task's, and durable. See docs/decisions/0006-model-adapter.md.
 */
import { createOpenAI } from "@ai-sdk/openai";
import type { ModelUsage } from "../../core/messages.ts";
import type { ModelChunk, ModelFailure, ModelPort, ModelRequest } from "../../core/ports.ts";
import { CallWatch, guardedFetch } from "./guarded-fetch.ts";
import { failureOfThrown, modelFailure } from "./model-failure.ts";
import { estimatedUsage } from "./usage.ts";
import { type SdkModel, toSdkPrompt, toSdkTools } from "./wire-messages.ts";

/** Characters of text and arguments that one reply may hold: escaped twice over, they still fit a row of 2 MB. */
const MAX_REPLY_CHARACTERS = 150_000;
/** Calls that one reply may ask for. */
const MAX_CALLS = 1_000;
const DEFAULT_BASE_URL = "https://api.openai.com/v1";
/** Sent when no key is set: servers on one's own machine want some bearer and look at none. */
const NO_KEY = "none";

/** Where the model is. `baseUrl` null: OpenAI's own. `api`: which of the two APIs the server speaks. */
export interface OpenAiModelOptions {
  readonly baseUrl: string | null;
  readonly apiKey: string | null;
  readonly api: "chat" | "responses";
}

/** A `ModelPort` over HTTP. It never throws: every failure is the last chunk. */
export function openAiModel(options: OpenAiModelOptions): ModelPort {
  return {
    async *stream(request) {
      const watch = new CallWatch(request, request.signal);
      try {
        yield* callOnce(options, request, watch);
      } catch (thrown) {
        // The reason of an abort says more than the error that the abort caused further down.
        yield failed(failureOfThrown(watch.signal.aborted ? watch.signal.reason : thrown, options.apiKey ?? ""));
      } finally {
        watch.end();
      }
    },
  };
}

/** What has come so far of one reply. */
interface Reply {
  text: string;
  readonly calls: { name: string; arguments: string }[];
  characters: number;
  usage: ModelUsage | null;
  finish: string;
}

async function* callOnce(
  options: OpenAiModelOptions,
  request: ModelRequest,
  watch: CallWatch,
): AsyncGenerator<ModelChunk> {
  watch.signal.throwIfAborted();
  const apiKey = options.apiKey ?? NO_KEY;
  const provider = createOpenAI({
    baseURL: options.baseUrl ?? DEFAULT_BASE_URL,
    apiKey,
    fetch: guardedFetch(watch, options.apiKey ?? ""),
  });
  const model: SdkModel =
    options.api === "responses" ? provider.responses(request.model) : provider.chat(request.model);
  const tools = toSdkTools(request.tools);
  const { stream } = await watch.race(
    model.doStream({
      prompt: toSdkPrompt(request.messages),
      maxOutputTokens: request.maxOutputTokens,
      abortSignal: watch.signal,
      ...(tools === undefined ? {} : { tools }),
      // Otto keeps the conversation; the provider need not (a field of the Responses API only).
      ...(options.api === "responses" ? { providerOptions: { openai: { store: false } } } : {}),
    }),
  );

  const reply: Reply = { text: "", calls: [], characters: 0, usage: null, finish: "interrupted" };
  const reader = stream.getReader();
  for (;;) {
    const { done, value: part } = await watch.race(reader.read());
    if (done) break;
    switch (part.type) {
      case "text-delta":
        if (part.delta === "") break;
        reply.text += part.delta;
        reply.characters += part.delta.length;
        yield { type: "text", text: part.delta };
        break;
      case "tool-input-delta":
        reply.characters += part.delta.length;
        break;
      case "tool-call":
        // The SDK gives the arguments as the model wrote them, JSON or not.
        reply.calls.push({ name: part.toolName, arguments: part.input });
        break;
      case "error":
        yield failed(failureOfStreamError(part.error, options.apiKey ?? ""));
        return;
      case "finish":
        reply.finish = part.finishReason.unified;
        reply.usage = usageOf(part.usage.inputTokens.total, part.usage.outputTokens.total);
        break;
      default:
        break;
    }
    if (reply.characters > MAX_REPLY_CHARACTERS || reply.calls.length > MAX_CALLS) {
      yield failed(modelFailure("cut_off", true, "The model's reply was longer than a reply may be."));
      return;
    }
  }
  yield conclude(reply, request);
}

/** The last chunk of a stream that ended. */
function conclude(reply: Reply, request: ModelRequest): ModelChunk {
  const empty = reply.text === "" && reply.calls.length === 0;
  if (reply.finish === "interrupted" || reply.finish === "error") {
    return failed(modelFailure("cut_off", true, "The model's reply was cut off."));
  }
  if (empty && reply.finish === "content-filter") {
    return failed(modelFailure("refused", false, "The model's content filter held its reply back."));
  }
  return {
    type: "done",
    text: reply.text,
    calls: reply.calls,
    usage: reply.usage ?? estimatedUsage(request, reply.text, reply.calls),
    finish: finishOf(reply),
  };
}

function finishOf(reply: Reply): "stop" | "calls" | "length" | "filtered" {
  if (reply.finish === "length") return "length";
  if (reply.finish === "content-filter") return "filtered";
  return reply.calls.length > 0 ? "calls" : "stop";
}

/** Null when the server sent no usage, or none that can be true. */
function usageOf(input: number | undefined, output: number | undefined): ModelUsage | null {
  const valid = [input, output].every((count) => count !== undefined && Number.isFinite(count) && count >= 0);
  if (!valid || (input === 0 && output === 0)) return null;
  return { inputTokens: Math.ceil(input ?? 0), outputTokens: Math.ceil(output ?? 0), estimated: false };
}

/** An `error` part: an error event of the provider, or an event that could not be read. */
function failureOfStreamError(error: unknown, apiKey: string): ModelFailure {
  if (typeof error === "object" && error !== null && "statusCode" in error) return failureOfThrown(error, apiKey);
  return modelFailure("cut_off", true, "The model's reply could not be read to its end.");
}

function failed(failure: ModelFailure): ModelChunk {
  return { type: "failed", failure };
}
