import { z } from "zod";
import { PIECE_KINDS } from "../../core/knowledge/piece.ts";
import { cutText, MAX_QUOTE } from "../../core/knowledge/sources.ts";
import { defineTool, failWith } from "../define-tool.ts";
import {
  checkProject,
  formatResults,
  formatSource,
  limitInput,
  queryInput,
  SEARCH_TIMEOUT_MS,
  searchDocuments,
  searchOutput,
  sourceFields,
  toSearchFields,
  toSourceFields,
} from "./search-documents.ts";

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
  input: z.object({
    query: queryInput,
    limit: limitInput,
    project_id: z.string().min(1).max(64).optional().describe("Only this project, the task's own"),
  }),
  output: z.object({ ...searchOutput, results: z.array(z.object({ ...sourceFields, text: z.string() })) }),
  async run({ query, limit, project_id }, { knowledge, project, signal }) {
    const inside = checkProject(project_id, project);
    if (!inside.ok) return failWith(inside.error);
    const search = { query, kinds: PIECE_KINDS, limit, onlyProject: project_id !== undefined };
    const found = await searchDocuments(search, { knowledge, signal });
    if (!found.ok) return failWith(found.error);
    const results = found.value.hits.map((hit) => {
      return { ...toSourceFields(hit, knowledge), text: cutText(hit.piece.text, MAX_QUOTE) };
    });
    return { ...toSearchFields(query, found.value), results };
  },
  show: (result) => {
    const rows = result.results.map((row) => formatSource(row, row.text));
    return formatResults(result, rows, "pieces");
  },
  examples: [
    { note: "a fact of a contract", given: { query: "notice period of the lease" } },
    { note: "only this project's documents, more results", given: { query: "pricing of the annual plan", limit: 10 } },
  ],
});
