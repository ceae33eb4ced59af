import { defineTool } from "../define-tool.ts";
import { SEARCH_TIMEOUT_MS } from "./search-documents.ts";
import { searchText, showText, textInput, textOutput } from "./text-search.ts";

export default defineTool({
  name: "search_knowledge",
  summary:
    "Search documents. By meaning and by words, in those of this project and of the tenant. Cite what you use as [Source n].",
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
  run: async (given, context) => await searchText("both", given, context),
  show: showText,
  examples: [
    { note: "a fact of a contract", given: { query: "notice period of the lease" } },
    { note: "more results", given: { query: "pricing of the annual plan", limit: 10 } },
  ],
});
