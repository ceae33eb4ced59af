/** Any server with OpenAI's API: chat completions with Otto's own reader, or the Responses API. */
import type { ModelPort } from "../../../core/ports/model.ts";
import type { ModelAddress } from "../guarded-fetch.ts";
import type { ModelApi } from "../provider.ts";
import { streamingModel } from "../streaming-model.ts";
import { chatReply } from "./chat.ts";
import { responsesReply } from "./responses.ts";

export function openAiModel(address: ModelAddress, api: ModelApi): ModelPort {
  return streamingModel(address, api === "responses" ? responsesReply : chatReply);
}
