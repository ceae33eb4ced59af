/** Anthropic's Messages API, through the AI SDK. */
import { createAnthropic } from "@ai-sdk/anthropic";
import type { ModelPort } from "../../../core/ports/model.ts";
import { sdkReply } from "../ai-sdk/reply.ts";
import { keyOf, type ModelAddress } from "../guarded-fetch.ts";
import { streamingModel } from "../streaming-model.ts";

export function anthropicModel(address: ModelAddress): ModelPort {
  return streamingModel(
    address,
    sdkReply({
      open: ({ baseUrl, apiKey }, model, send) =>
        createAnthropic({ baseURL: baseUrl, apiKey: keyOf(apiKey), fetch: send }).languageModel(model),
      refusesBlankText: true,
      needsToolsOfCalls: true,
    }),
  );
}
