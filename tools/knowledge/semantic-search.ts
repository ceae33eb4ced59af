import { defineTool } from "../define-tool.ts";
import { SEARCH_TIMEOUT_MS } from "./search-documents.ts";
import { searchText, showText, textInput, textOutput } from "./text-search.ts";

export default defineTool({
  name: "semantic_search",
  summary:
    "Search documents by meaning. For what they say in other words than the query. Cite what you use as [Source n].",
  toolbox: "knowledge",
  category: "documents",
  permissions: ["read"],
  security: "safe",
  effect: "none",
  needs: ["knowledge"],
  yields: "tenant",
  aliases: { max_results: "limit", project: "project_id" },
  timeoutMs: SEARCH_TIMEOUT_MS,
  input: textInput,
  output: textOutput,
  run: async (given, context) => await searchText("vectors", given, context),
  show: showText,
  examples: [
    { note: "what is said in other words", given: { query: "how long until we can leave the office" } },
    { note: "more results", given: { query: "complaints about delivery", limit: 10 } },
  ],
});
