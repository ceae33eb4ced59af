/** Tavily's Search API: https://docs.tavily.com/api-reference/endpoint/search */
import { z } from "zod";
import { type SearchEngine, optionalText } from "./engine.ts";

const replySchema = z.object({
  results: z.array(z.object({ title: optionalText, url: optionalText, content: optionalText })),
});

export const tavilySearch: SearchEngine = {
  name: "Tavily",
  request({ baseUrl, apiKey }, { query, maxResults }) {
    const headers = { "content-type": "application/json", authorization: `Bearer ${apiKey ?? ""}` };
    const body = JSON.stringify({ query, max_results: maxResults, search_depth: "basic" });
    return { url: `${baseUrl}/search`, init: { method: "POST", headers, body } };
  },
  hits(reply) {
    const parsed = replySchema.safeParse(reply);
    return parsed.data?.results.map(({ title, url, content }) => ({ title, url, snippet: content })) ?? null;
  },
};
