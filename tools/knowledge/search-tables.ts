import { z } from "zod";
import { defineTool, failWith } from "../define-tool.ts";
import { formatTable, tableFields, toTableFields } from "./piece-views.ts";
import {
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
  name: "search_tables",
  summary: "Search tables of documents. Gives the rows that fit. Cite what you use as [Source n].",
  toolbox: "knowledge",
  category: "documents",
  permissions: ["read"],
  security: "safe",
  effect: "none",
  needs: ["knowledge"],
  yields: "tenant",
  timeoutMs: SEARCH_TIMEOUT_MS,
  input: z.object({ query: queryInput, limit: limitInput }),
  output: z.object({ ...searchOutput, results: z.array(z.object({ ...sourceFields, ...tableFields })) }),
  async run({ query, limit }, { knowledge, signal }) {
    const found = await searchDocuments({ query, kinds: ["table"], limit }, { knowledge, signal });
    if (!found.ok) return failWith(found.error);
    const results = found.value.hits.flatMap((hit) => {
      const { piece } = hit;
      if (piece.kind !== "table") return [];
      return [{ ...toSourceFields(hit, knowledge), ...toTableFields(piece.data, query) }];
    });
    return { ...toSearchFields(query, found.value), results };
  },
  show: (result) => {
    const rows = result.results.map((row) => formatSource(row, formatTable(row)));
    return formatResults(result, rows, "tables");
  },
  examples: [{ note: "figures by quarter", given: { query: "revenue by quarter 2025" } }],
});
