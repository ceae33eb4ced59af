import { z } from "zod";
import type { KnowledgeHit, KnowledgePort } from "../../core/ports/knowledge-search.ts";
import { MAX_HITS } from "../../core/memory/memory.ts";
import { defineTool, failWith } from "../define-tool.ts";
import {
  formatFormula,
  formatImage,
  formatTable,
  formulaFields,
  imageFields,
  tableFields,
  toFormulaFields,
  toImageFields,
  toTableFields,
} from "./piece-views.ts";
import {
  formatResults,
  formatSource,
  queryInput,
  SEARCH_TIMEOUT_MS,
  searchDocuments,
  searchOutput,
  sourceFields,
  toSearchFields,
  toSourceFields,
} from "./search-documents.ts";

/** The kinds that can be searched. Another one is added here, with its fields and its form below. */
const KB_TYPES = ["table", "image", "formula"] as const;
const DEFAULT_LIMIT = 10;

const resultOutput = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("table"), ...sourceFields, ...tableFields }),
  z.object({ kind: z.literal("image"), ...sourceFields, ...imageFields }),
  z.object({ kind: z.literal("formula"), ...sourceFields, ...formulaFields }),
]);

export default defineTool({
  name: "search_multimodal",
  summary:
    "Search tables, pictures and formulas. All at once, in documents of this project and of the tenant. Cite what you use as [Source n].",
  toolbox: "knowledge",
  category: "documents",
  permissions: ["read"],
  security: "safe",
  effect: "none",
  needs: ["knowledge"],
  yields: "tenant",
  timeoutMs: SEARCH_TIMEOUT_MS,
  input: z.object({
    query: queryInput,
    kb_types: z
      .array(z.enum(KB_TYPES, { error: ({ input }) => describeKind(input) }))
      .min(1)
      .default([...KB_TYPES]),
    limit: z.int().min(1).max(MAX_HITS).default(DEFAULT_LIMIT),
  }),
  output: z.object({
    ...searchOutput,
    results: z.array(resultOutput).describe("The best first, of any kind"),
    by_kind: z.record(z.enum(KB_TYPES), z.int()).describe("How many results are of each kind"),
  }),
  async run({ query, kb_types: types, limit }, { knowledge, signal }) {
    const kinds = KB_TYPES.filter((kind) => types.includes(kind));
    const found = await searchDocuments({ query, kinds, limit }, { knowledge, signal });
    if (!found.ok) return failWith(found.error);
    const results = found.value.hits.flatMap((hit) => toResult(hit, query, knowledge));
    const countOf = (kind: string) => results.filter((result) => result.kind === kind).length;
    const byKind = { table: countOf("table"), image: countOf("image"), formula: countOf("formula") };
    return { ...toSearchFields(query, found.value), results, by_kind: byKind };
  },
  show: (result) => {
    const rows = result.results.map((row) => {
      switch (row.kind) {
        case "table":
          return formatSource(row, formatTable(row));
        case "image":
          return formatSource(row, formatImage(row));
        case "formula":
          return formatSource(row, formatFormula(row));
      }
    });
    return formatResults(result, rows, "tables, pictures and formulas");
  },
  examples: [
    { note: "everything about a topic", given: { query: "throughput of the pump" } },
    { note: "tables and formulas alone", given: { query: "depreciation", kb_types: ["table", "formula"] } },
  ],
});

/** Names the unknown kind, if it looks like a name. */
function describeKind(input: unknown): string {
  const name =
    typeof input === "string" && /^\w{1,30}$/.test(input) ? `"${input}" is no kind that can be searched; it ` : "";
  return `${name}has to be one of ${KB_TYPES.join(", ")}`;
}

function toResult(hit: KnowledgeHit, query: string, knowledge: KnowledgePort): z.input<typeof resultOutput>[] {
  const { piece } = hit;
  switch (piece.kind) {
    case "table":
      return [{ kind: piece.kind, ...toSourceFields(hit, knowledge), ...toTableFields(piece.data, query) }];
    case "image":
      return [{ kind: piece.kind, ...toSourceFields(hit, knowledge), ...toImageFields(piece.data, null) }];
    case "formula":
      return [{ kind: piece.kind, ...toSourceFields(hit, knowledge), ...toFormulaFields(piece.data) }];
    case "text":
      return [];
  }
}
