/** Brave's Web Search API: https://api-dashboard.search.brave.com/api-reference/web/search/get */
import { z } from "zod";
import { type SearchEngine, optionalText } from "./engine.ts";

/** `web` is absent without results. */
const replySchema = z
  .object({
    type: z.string().optional(),
    web: z
      .object({ results: z.array(z.object({ title: optionalText, url: optionalText, description: optionalText })) })
      .nullish(),
  })
  .refine(({ type, web }) => type === "search" || web !== undefined);

export const braveSearch: SearchEngine = {
  name: "Brave Search",
  request({ baseUrl, apiKey }, { query, maxResults }) {
    const asked = new URLSearchParams({ q: query, count: String(maxResults) });
    const headers = { accept: "application/json", "x-subscription-token": apiKey ?? "" };
    return { url: `${baseUrl}/res/v1/web/search?${asked.toString()}`, init: { headers } };
  },
  hits(reply) {
    const parsed = replySchema.safeParse(reply);
    if (!parsed.success) return null;
    const results = parsed.data.web?.results ?? [];
    return results.map(({ title, url, description }) => ({ title, url, snippet: description }));
  },
};
