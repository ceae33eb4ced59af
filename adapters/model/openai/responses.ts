/** OpenAI's Responses API, through the AI SDK. */
import { createOpenAI } from "@ai-sdk/openai";
import { sdkReply } from "../ai-sdk/reply.ts";
import { getRequestKey } from "../guarded-fetch.ts";

export const responsesReply = sdkReply({
  open: ({ baseUrl, apiKey }, model, send) =>
    createOpenAI({ baseURL: baseUrl, apiKey: getRequestKey(apiKey), fetch: send }).responses(model),
  // Otto stores the conversation; the provider does not have to.
  providerOptions: { openai: { store: false } },
});
