/**
 * SearXNG's Search API: https://docs.searxng.org/dev/search_api.html. The server's settings have to list `json` under
 * `search.formats`; otherwise it replies 403. It has neither a limit of results nor keys: a configured key is for a
 * proxy before it.
 */
import { z } from "zod";
import { type SearchEngine, optionalText } from "./engine.ts";

const replySchema = z.object({
  results: z.array(z.object({ title: optionalText, url: optionalText, content: optionalText })),
});

export const searxngSearch: SearchEngine = {
  name: "SearXNG",
  request({ baseUrl, apiKey }, { query }) {
    const asked = new URLSearchParams({ q: query, format: "json" });
    const headers = {
      accept: "application/json",
      ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
    };
    return { url: `${baseUrl}/search?${asked.toString()}`, init: { headers } };
  },
  hits(reply) {
    const parsed = replySchema.safeParse(reply);
    return parsed.data?.results.map(({ title, url, content }) => ({ title, url, snippet: content })) ?? null;
  },
};
