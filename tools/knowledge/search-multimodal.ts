import { z } from "zod";
import { ok, type Result } from "../../core/base/errors.ts";
import { SYMBOL_KINDS } from "../../core/codebases/indexed-file.ts";
import type { CodebasesPort, CodeSearch } from "../../core/ports/codebases.ts";
import type { KnowledgeHit, KnowledgePort } from "../../core/ports/knowledge-search.ts";
import { MAX_HITS } from "../../core/memory/memory.ts";
import { defineTool, failWith } from "../define-tool.ts";
import { formatCodeResult } from "./format-code.ts";
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

/** The kinds that can be searched: pieces of documents, and symbols of code. */
const PIECE_TYPES = ["table", "image", "formula"] as const;
const KB_TYPES = [...PIECE_TYPES, "codegraph"] as const;
const DEFAULT_LIMIT = 10;

const resultOutput = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("table"), ...sourceFields, ...tableFields }),
  z.object({ kind: z.literal("image"), ...sourceFields, ...imageFields }),
  z.object({ kind: z.literal("formula"), ...sourceFields, ...formulaFields }),
  z.object({
    kind: z.literal("codegraph"),
    file: z.string(),
    codebase: z.string(),
    symbol: z.string(),
    symbol_kind: z.enum(SYMBOL_KINDS),
    signature: z.string(),
    start_line: z.int(),
    end_line: z.int(),
    code: z.string(),
    score: z.number().describe("Of search_codebase, not comparable with others"),
  }),
]);
type KindResult = z.input<typeof resultOutput>;

export default defineTool({
  name: "search_multimodal",
  summary:
    "Search tables, pictures and formulas of documents, and symbols of code. All at once. Cite documents as [Source n].",
  toolbox: "knowledge",
  category: "documents",
  permissions: ["read"],
  security: "safe",
  effect: "none",
  needs: ["knowledge", "codebases"],
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
    results: z.array(resultOutput).describe("The best first; those of documents and of code take turns"),
    by_kind: z.record(z.enum(KB_TYPES), z.int()).describe("How many results are of each kind"),
  }),
  async run({ query, kb_types: types, limit }, { knowledge, codebases, signal }) {
    const kinds = PIECE_TYPES.filter((kind) => types.includes(kind));
    const search = { query, limit, signal };
    const [found, code] = await Promise.all([
      searchDocuments({ query, kinds, limit }, { knowledge, signal }),
      types.includes("codegraph") ? searchSymbols(search, codebases, kinds.length > 0) : ok(NO_SYMBOLS),
    ]);
    if (!found.ok) return failWith(found.error);
    if (!code.ok) return failWith(code.error);
    const shown = takeTurns(found.value.hits, code.value, limit);
    const results = shown.flatMap((hit) => ("piece" in hit ? toResult(hit, query, knowledge) : [toCodeResult(hit)]));
    const countOf = (kind: string) => results.filter((result) => result.kind === kind).length;
    const byKind = { table: countOf("table"), image: countOf("image"), formula: countOf("formula") };
    const fields = toSearchFields(query, found.value);
    const total = fields.total + code.value.length;
    return { ...fields, total, results, by_kind: { ...byKind, codegraph: countOf("codegraph") } };
  },
  show: (result) => {
    const rows = result.results.map((row, index) => {
      switch (row.kind) {
        case "codegraph":
          return `\n${formatCodeResult({ ...row, kind: row.symbol_kind }, index)}`;
        case "table":
          return formatSource(row, formatTable(row));
        case "image":
          return formatSource(row, formatImage(row));
        case "formula":
          return formatSource(row, formatFormula(row));
      }
    });
    return formatResults(result, rows, "tables, pictures, formulas and symbols");
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

type Symbol = CodeSearch["hits"][number] & {
  readonly symbol: string;
  readonly kind: NonNullable<CodeSearch["hits"][number]["kind"]>;
};
const NO_SYMBOLS: readonly Symbol[] = [];

/** The symbols that match. A task without a codebase has no symbols; that is a failure only if `isOptional` is false. */
async function searchSymbols(
  { query, limit, signal }: { readonly query: string; readonly limit: number; readonly signal: AbortSignal },
  codebases: CodebasesPort,
  isOptional: boolean,
): Promise<Result<readonly Symbol[]>> {
  const found = await codebases.search({ query, fileType: null, codebase: null, limit, signal });
  if (!found.ok) return isOptional && found.error.code === "not_found" ? ok(NO_SYMBOLS) : found;
  return ok(found.value.hits.filter((hit): hit is Symbol => hit.symbol !== null && hit.kind !== null));
}

/** The first of one list, the first of the other, and so on: their scores cannot be compared. */
function takeTurns<One, Other>(ones: readonly One[], others: readonly Other[], limit: number): (One | Other)[] {
  const taken: (One | Other)[] = [];
  for (let at = 0; at < Math.max(ones.length, others.length); at += 1)
    taken.push(...ones.slice(at, at + 1), ...others.slice(at, at + 1));
  return taken.slice(0, limit);
}

function toCodeResult({
  path,
  codebase,
  symbol,
  kind,
  signature,
  startLine,
  endLine,
  code,
  score,
}: Symbol): KindResult {
  const place = { file: path, codebase, start_line: startLine, end_line: endLine };
  return { kind: "codegraph", ...place, symbol, symbol_kind: kind, signature: signature ?? "", code, score };
}

function toResult(hit: KnowledgeHit, query: string, knowledge: KnowledgePort): KindResult[] {
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
