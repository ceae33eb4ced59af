/**
 * Any provider of the AI SDK, through their common interface: `doStream` of a language model. The loop, retries and
 * tool calls of the `ai` package are not used; the task and the gateway do these.
 */
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { ModelFailure, ModelRequest, ReplyCall } from "../../../core/ports/model.ts";
import { parseCall } from "../call-pieces.ts";
import { createGuardedFetch, type ModelAddress } from "../guarded-fetch.ts";
import { fromThrown, createUnreadableFailure } from "../model-failure.ts";
import { type Reply, type ReplyEnd, TOO_LONG_FAULT, toUsage } from "../reply.ts";
import type { StreamReply } from "../streaming-model.ts";
import { toSdkPrompt, toSdkTools, toToolsOfCalls } from "./prompt.ts";

/** What differs between providers. */
export interface SdkProvider {
  /** Creates the model for one call, whose requests go through `send`. */
  readonly open: (address: ModelAddress, model: string, send: typeof fetch) => LanguageModelV4;
  readonly providerOptions?: NonNullable<LanguageModelV4CallOptions["providerOptions"]>;
  /** True if it rejects a text without a visible character. */
  readonly refusesBlankText?: boolean;
  /** True if it rejects a conversation with tool calls in a request without tools. */
  readonly needsToolsOfCalls?: boolean;
}

export function sdkReply(provider: SdkProvider): StreamReply {
  return async function* stream(address, request, watch, reply) {
    const model = provider.open(address, request.model, createGuardedFetch(watch, address.apiKey));
    const options = { ...toCallOptions(request, provider), abortSignal: watch.signal };
    const { stream: parts } = await watch.race(model.doStream(options));
    const reader = parts.getReader();
    const collected = new SdkParts(reply, address.apiKey ?? "");
    for (;;) {
      const { done, value: part } = await watch.race(reader.read());
      if (done) break;
      const text = collected.take(part);
      if (text !== "") yield { type: "text", text };
      if (collected.failure !== null) {
        yield { type: "failed", failure: collected.failure };
        return;
      }
      const outputTokens = reply.takeProgress();
      if (outputTokens !== null) yield { type: "progress", outputTokens };
      if (reply.isFull) break;
    }
    yield reply.conclude(collected.calls, request);
  };
}

function toCallOptions(request: ModelRequest, provider: SdkProvider): LanguageModelV4CallOptions {
  const ofCalls = provider.needsToolsOfCalls === true && request.tools.length === 0;
  const tools = toSdkTools(ofCalls ? toToolsOfCalls(request.messages) : request.tools);
  return {
    prompt: toSdkPrompt(request.messages, provider.refusesBlankText),
    maxOutputTokens: request.maxOutputTokens,
    ...(tools === undefined ? {} : { tools }),
    ...(tools !== undefined && ofCalls ? { toolChoice: { type: "none" } } : {}),
    ...(provider.providerOptions === undefined ? {} : { providerOptions: provider.providerOptions }),
  };
}

/** Collects the parts of one stream. */
class SdkParts {
  readonly calls: ReplyCall[] = [];
  failure: ModelFailure | null = null;
  readonly #reply: Reply;
  readonly #apiKey: string;
  /** Names of the calls whose arguments are incomplete, by the provider's id. */
  readonly #names = new Map<string, string>();

  constructor(reply: Reply, apiKey: string) {
    this.#reply = reply;
    this.#apiKey = apiKey;
  }

  /** Takes the next part; returns the text that it adds. */
  take(part: LanguageModelV4StreamPart): string {
    switch (part.type) {
      case "text-delta":
        return this.#reply.addText(part.delta);
      case "reasoning-delta":
        this.#reply.addThought(part.delta);
        return "";
      case "tool-input-start":
        this.#names.set(part.id, part.toolName);
        return "";
      case "tool-input-delta":
        if (!this.#reply.addArguments(part.delta)) {
          this.calls.push({ ...parseCall(this.#names.get(part.id) ?? "", ""), fault: TOO_LONG_FAULT });
        }
        return "";
      case "tool-call":
        // The SDK returns the arguments as the model wrote them, JSON or not.
        if (this.#reply.addCall(this.calls.length + 1)) this.calls.push(parseCall(part.toolName, part.input));
        return "";
      case "error":
        this.failure = toStreamFailure(part.error, this.#apiKey);
        return "";
      case "finish":
        this.#reply.end = toReplyEnd(part.finishReason.unified);
        this.#reply.usage = toUsage(part.usage.inputTokens.total, part.usage.outputTokens.total);
        return "";
      default:
        return "";
    }
  }
}

function toReplyEnd(reason: string): ReplyEnd | null {
  if (reason === "interrupted" || reason === "error") return null;
  if (reason === "length") return "length";
  return reason === "content-filter" ? "filtered" : "whole";
}

/** An `error` part: an error event of the provider, or an unreadable event. */
function toStreamFailure(error: unknown, apiKey: string): ModelFailure {
  if (typeof error === "object" && error !== null && "statusCode" in error) return fromThrown(error, apiKey);
  return createUnreadableFailure().failure;
}
