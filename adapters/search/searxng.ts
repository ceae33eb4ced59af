/**
 * SearXNG's Search API: https://docs.searxng.org/dev/search_api.html. The server's settings have to list `json` under
 * `search.formats`; it answers 403 otherwise. It has no limit of results to ask for, and no keys: one that is set is for
 * whatever stands in front of it.
 */
import { z } from "zod";
import { type SearchEngine, textOrNothing } from "./engine.ts";

const replySchema = z.object({
  results: z.array(z.object({ title: textOrNothing, url: textOrNothing, content: textOrNothing })),
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
