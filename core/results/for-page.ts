/** The data of a `tool-data` event: what a page shows of a result, at most 32 KB. */
import { detectType } from "./detect-type.ts";
import { TextLimit } from "./fields.ts";
import { toTypedData, type TypedData } from "./page-data.ts";
import { standardize } from "./standardize.ts";
import type { TableData } from "./tables.ts";

/** The data of a result for a page. `cut`: results or parts of texts are missing. */
export type PageData = TypedData & { readonly cut?: true };

/** UTF-8 bytes of the data's JSON. The other fields of the event take less than the rest of 32 KB. */
const MAX_BYTES = 30_000;
const MAX_ITEMS = 200;
/** Limits of a text in characters: the first with which everything fits. */
const TEXT_LIMITS = [20_000, 2_000, 400, 120];

const encoder = new TextEncoder();

/** Formats the result of a call of `tool` for a page. Never throws for JSON. */
export function forPage(tool: string, result: unknown): PageData {
  const { results } = standardize(tool, result);
  const type = detectType(results);
  let typed: TypedData | null = null;
  for (const characters of TEXT_LIMITS) {
    const limit = new TextLimit(characters);
    typed = toTypedData(type, results, MAX_ITEMS, limit);
    if (countBytes(typed) <= MAX_BYTES) return limit.isCut ? { ...typed, cut: true } : typed;
  }
  return typed === null ? EMPTY : { ...cutItems(typed), cut: true };
}

const EMPTY: PageData = { detected_type: "table_data", count: 0, table_data: { columns: [], rows: [] } };

/** Leaves only the first items that fit. */
function cutItems(data: TypedData): TypedData {
  switch (data.detected_type) {
    case "documents":
      return { ...data, documents: takeFirst(data.documents) };
    case "code_snippets":
      return { ...data, code_snippets: takeFirst(data.code_snippets) };
    case "terminal_output":
      return { ...data, terminal_output: takeFirst(data.terminal_output) };
    case "emails":
      return { ...data, emails: takeFirst(data.emails) };
    case "files":
      return { ...data, files: takeFirst(data.files) };
    case "events":
      return { ...data, events: takeFirst(data.events) };
    case "database_results":
      return { ...data, database_results: cutTable(data.database_results) };
    case "table_data":
      return { ...data, table_data: cutTable(data.table_data) };
  }
}

function cutTable({ columns, rows }: TableData): TableData {
  return { columns, rows: takeFirst(rows, countBytes(columns)) };
}

function takeFirst<Item>(items: readonly Item[], before = 0): readonly Item[] {
  // For the names around the list.
  let left = MAX_BYTES - 500 - before;
  const end = items.findIndex((item) => (left -= countBytes(item) + 1) < 0);
  return end === -1 ? items : items.slice(0, end);
}

function countBytes(value: unknown): number {
  return encoder.encode(JSON.stringify(value)).length;
}
