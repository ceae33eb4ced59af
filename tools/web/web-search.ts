import { z } from "zod";
import type { Failure } from "../../core/base/errors.ts";
import { defineTool } from "../define-tool.ts";

const TIMEOUT_MS = 20_000;
const MARGIN_MS = 5_000;

export default defineTool({
  name: "web_search",
  summary: "Search the web: title, address and snippet of each page. Open one with http_request.",
  toolbox: "web",
  category: "research",
  permissions: ["network"],
  security: "cautious",
  effect: "none",
  needs: ["search"],
  carries: ({ query }) => ({ kind: "search", query }),
  timeoutMs: TIMEOUT_MS + MARGIN_MS,
  input: z.object({
    query: z.string().trim().min(1).max(400),
    max_results: z.int().min(1).max(20).default(5),
  }),
  output: z.object({
    results: z.array(z.object({ title: z.string(), url: z.string(), snippet: z.string() })),
    query: z.string(),
  }),
  async run({ query, max_results }, { search, signal }) {
    const found = await search.search({ query, maxResults: max_results, timeoutMs: TIMEOUT_MS, signal });
    return { results: found.ok ? [...found.value] : [rowOf(found.error)], query };
  },
  show({ results, query }) {
    if (results.length === 0) return `Nothing was found for ${JSON.stringify(query)}.`;
    const rows = results.map(({ title, url, snippet }, at) =>
      [`${at + 1}. ${title}`, url, snippet].filter((line) => line !== "").join("\n"),
    );
    return { rows };
  },
  examples: [{ note: "a question in few words", given: { query: "tallest building in Lisbon", max_results: 3 } }],
});

/** Document 001 gives what went wrong as the only row of the results. */
function rowOf({ code, message }: Failure): { title: string; url: string; snippet: string } {
  return { title: code === "not_available" ? "Package not installed" : "Search error", url: "", snippet: message };
}
