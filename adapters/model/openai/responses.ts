/** OpenAI's Responses API, through the AI SDK. */
import { createOpenAI } from "@ai-sdk/openai";
import { sdkReply } from "../ai-sdk/reply.ts";
import { keyOf } from "../guarded-fetch.ts";

export const responsesReply = sdkReply({
  open: ({ baseUrl, apiKey }, model, send) =>
    createOpenAI({ baseURL: baseUrl, apiKey: keyOf(apiKey), fetch: send }).responses(model),
  // Otto stores the conversation; the provider need not.
  providerOptions: { openai: { store: false } },
});
