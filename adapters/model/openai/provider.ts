/** OpenAI, and any server with its chat completions or Responses API. */
import type { ModelProvider } from "../provider.ts";

export const openai = {
  name: "openai",
  label: "OpenAI",
  defaultBaseUrl: "https://api.openai.com/v1",
  load: async () => (await import("./open.ts")).openAiModel,
} as const satisfies ModelProvider;
