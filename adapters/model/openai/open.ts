/**
 * A model behind any server that speaks OpenAI's API: chat completions, or the Responses API. One streamed request a
 * call and no retry here: retries are the task's, and durable. See docs/decisions/0006-model-adapter.md and
 * 0015-chat-reader.md.
 */
import { encodingOf } from "../../../core/model/table.ts";
import type { ModelFailure, ModelPort } from "../../../core/ports/tool-ports.ts";
import { CallWatch } from "../call-watch.ts";
import { chatReply } from "./chat.ts";
import type { ModelAddress } from "../guarded-fetch.ts";
import { failureOfThrown } from "../model-failure.ts";
import { Reply } from "../reply.ts";
import { responsesReply } from "../ai-sdk/reply.ts";

const DEFAULT_BASE_URL = "https://api.openai.com/v1";

/** Where the model is. `baseUrl` null: OpenAI's own. `api`: which of the two APIs the server speaks. */
export interface OpenAiModelOptions {
  readonly baseUrl: string | null;
  readonly apiKey: string | null;
  readonly api: "chat" | "responses";
}

/** A `ModelPort` over HTTP. It never throws: every failure is the last chunk. */
export function openAiModel(options: OpenAiModelOptions): ModelPort {
  const baseUrl = (options.baseUrl ?? DEFAULT_BASE_URL).replace(/\/$/, "");
  const address: ModelAddress = { baseUrl, apiKey: options.apiKey };
  const replyOf = options.api === "responses" ? responsesReply : chatReply;
  return {
    async *stream(request) {
      const watch = new CallWatch(request, request.signal);
      const reply = new Reply(encodingOf(request.model));
      try {
        watch.signal.throwIfAborted();
        for await (const chunk of replyOf(address, request, watch, reply)) {
          yield chunk.type === "failed" ? { ...chunk, failure: inTheMiddle(chunk.failure, reply) } : chunk;
        }
      } catch (thrown) {
        // The reason of an abort says more than the error that the abort caused further down.
        const cause: unknown = watch.signal.aborted ? watch.signal.reason : thrown;
        const failure = failureOfThrown(cause, options.apiKey ?? "");
        yield { type: "failed", failure: inTheMiddle(failure, reply) };
      } finally {
        watch.end();
      }
    },
  };
}

/** Turns an outage after the first output into `cut_off`, so that the written output is charged. */
function inTheMiddle(failure: ModelFailure, { outputTokens }: Reply): ModelFailure {
  return outputTokens > 0 && failure.kind === "unavailable" ? { ...failure, kind: "cut_off" } : failure;
}
