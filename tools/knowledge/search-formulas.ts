import { z } from "zod";
import { defineTool, failWith } from "../define-tool.ts";
import { formatFormula, formulaFields, toFormulaFields } from "./piece-views.ts";
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
  name: "search_formulas",
  summary:
    "Search formulas of documents. By words or by TeX; those of PDFs are not read. Cite what you use as [Source n].",
  toolbox: "knowledge",
  category: "documents",
  permissions: ["read"],
  security: "safe",
  effect: "none",
  needs: ["knowledge"],
  yields: "tenant",
  timeoutMs: SEARCH_TIMEOUT_MS,
  input: z.object({ query: queryInput.describe("Words, or TeX"), limit: limitInput }),
  output: z.object({
    ...searchOutput,
    results: z.array(z.object({ ...sourceFields, ...formulaFields })),
    warnings: z.array(z.string()).describe("formulas_not_read: documents whose formulas could not be read"),
  }),
  async run({ query, limit }, { knowledge, signal }) {
    const found = await searchDocuments({ query, kinds: ["formula"], limit }, { knowledge, signal });
    if (!found.ok) return failWith(found.error);
    const results = found.value.hits.flatMap((hit) => {
      const { piece } = hit;
      return piece.kind === "formula" ? [{ ...toSourceFields(hit, knowledge), ...toFormulaFields(piece.data) }] : [];
    });
    const unread = found.value.searched.formulasNotRead;
    const warnings = unread === 0 ? [] : [`formulas_not_read: ${unread} ${unread === 1 ? "document" : "documents"}`];
    return { ...toSearchFields(query, found.value), results, warnings };
  },
  show: (result) => {
    const rows = result.results.map((row) => formatSource(row, formatFormula(row)));
    return formatResults(result, rows, "formulas", result.warnings);
  },
  examples: [
    { note: "by words", given: { query: "compound interest" } },
    { note: "by TeX", given: { query: "\\frac{a}{b} = \\sqrt{x^2 + y^2}" } },
  ],
});
