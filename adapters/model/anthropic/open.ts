/** Anthropic's Messages API, through the AI SDK. */
import { createAnthropic } from "@ai-sdk/anthropic";
import type { ModelPort } from "../../../core/ports/model.ts";
import { sdkReply } from "../ai-sdk/reply.ts";
import { getRequestKey, type ModelAddress } from "../guarded-fetch.ts";
import { streamingModel } from "../streaming-model.ts";

export function anthropicModel(address: ModelAddress): ModelPort {
  return streamingModel(
    address,
    sdkReply({
      open: ({ baseUrl, apiKey }, model, send) =>
        createAnthropic({ baseURL: baseUrl, apiKey: getRequestKey(apiKey), fetch: send }).languageModel(model),
      refusesBlankText: true,
      needsToolsOfCalls: true,
    }),
  );
}
