/** What the two searches for any piece of a document share: by meaning and by words, or by meaning alone. */
import { z } from "zod";
import { PIECE_KINDS } from "../../core/knowledge/piece.ts";
import { cutText, MAX_QUOTE } from "../../core/knowledge/sources.ts";
import type { KnowledgePort, SearchBy } from "../../core/ports/knowledge-search.ts";
import type { ShownRows } from "../../core/tool/tool.ts";
import { failWith } from "../define-tool.ts";
import {
  checkProject,
  formatResults,
  formatSource,
  limitInput,
  queryInput,
  searchDocuments,
  searchOutput,
  sourceFields,
  toSearchFields,
  toSourceFields,
} from "./search-documents.ts";

export const textInput = z.object({
  query: queryInput,
  limit: limitInput,
  project_id: z.string().min(1).max(64).optional().describe("Only this project, the task's own"),
});
export const textOutput = z.object({
  ...searchOutput,
  results: z.array(z.object({ ...sourceFields, text: z.string() })),
});

interface TextContext {
  readonly knowledge: KnowledgePort;
  readonly project: string | null;
  readonly signal: AbortSignal;
}

/** Searches pieces of every kind. Another project than the task's own is refused. */
export async function searchText(
  by: SearchBy,
  { query, limit, project_id: wanted }: z.output<typeof textInput>,
  { knowledge, project, signal }: TextContext,
) {
  const inside = checkProject(wanted, project);
  if (!inside.ok) return failWith(inside.error);
  const search = { query, kinds: PIECE_KINDS, by, limit, onlyProject: wanted !== undefined };
  const found = await searchDocuments(search, { knowledge, signal });
  if (!found.ok) return failWith(found.error);
  const results = found.value.hits.map((hit) => {
    return { ...toSourceFields(hit, knowledge), text: cutText(hit.piece.text, MAX_QUOTE) };
  });
  return { ...toSearchFields(query, found.value), results };
}

export function showText(result: z.output<typeof textOutput>): string | ShownRows {
  const rows = result.results.map((row) => formatSource(row, row.text));
  return formatResults(result, rows, "pieces");
}
