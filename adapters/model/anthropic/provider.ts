/** Anthropic's Messages API. */
import type { ModelProvider } from "../provider.ts";

export const anthropic = {
  name: "anthropic",
  label: "Anthropic",
  defaultBaseUrl: "https://api.anthropic.com/v1",
  // Anthropic's own SDKs take the host; the AI SDK takes the path too.
  toBaseUrl: (address: string) => (address.endsWith("/v1") ? address : `${address}/v1`),
  load: async () => (await import("./open.ts")).anthropicModel,
} as const satisfies ModelProvider;
