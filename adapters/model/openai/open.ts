/**
 * Any server with OpenAI's API: chat completions with Otto's own reader, or the Responses API. The AI SDK is loaded with
 * the first call of the Responses API.
 */
import type { ModelPort } from "../../../core/ports/model.ts";
import type { ModelAddress } from "../guarded-fetch.ts";
import type { ModelApi } from "../provider.ts";
import { type StreamReply, streamingModel } from "../streaming-model.ts";
import { chatReply } from "./chat.ts";

export function openAiModel(address: ModelAddress, api: ModelApi): ModelPort {
  return streamingModel(address, api === "responses" ? loadedReply : chatReply);
}

const loadedReply: StreamReply = async function* loadedReply(...call) {
  const { responsesReply } = await import("./responses.ts");
  yield* responsesReply(...call);
};
