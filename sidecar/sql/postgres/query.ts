/**
 * Runs one query of a tenant. Three layers, each sufficient if the next one fails: the grammar and the names decide what may run, the
 * transaction is read-only and always rolled back, and the role was checked when an administrator added the database.
 */
import { ok, type Result } from "../../../core/base/errors.ts";
import type { ColumnKind } from "../../../core/databases/column-kinds.ts";
import { MAX_CELL_CHARACTERS, MAX_RESULT_BYTES } from "../../../core/databases/limits.ts";
import type { QueryOrder } from "../sql-order.ts";
import { type OpenTables, qualifyTables } from "./names.ts";
import { listTableNames, nameOpenTables, readOpenTables } from "./open-tables.ts";
import { type FetchedRows, type Session, type SqlDeps, withSession } from "./session.ts";
import { loadPostgresParser, type ParsedQuery, parseQuery } from "./statement.ts";

/** Names of other tables for a message. */
const MAX_NAMED = 2_000;
const CURSOR = "otto_rows";
/** Rows of one fetch: what is read beyond the limit is bounded. */
const BATCH = 250;

/** A value of a row. A number that JSON cannot hold exactly stays text. */
export type SqlValue = string | number | boolean | null;

/** The rows of a query. `truncated`: there were more rows, or values were cut. */
export interface QueryRows {
  readonly sql: string;
  readonly columns: readonly string[];
  readonly kinds: readonly ColumnKind[];
  readonly rows: readonly (readonly SqlValue[])[];
  readonly truncated: boolean;
  readonly duration_ms: number;
}

/** Never rejects. */
export async function runQuery(order: QueryOrder, deps: SqlDeps, signal: AbortSignal): Promise<Result<QueryRows>> {
  await loadPostgresParser();
  const { lists } = order;
  const parsed = parseQuery(order.sql, lists.functions ?? []);
  if (!parsed.ok) return parsed;
  return await withSession(order, deps, signal, async (session) => {
    const { text, select } = parsed.value;
    const tables = await readOpenTables(session, listTableNames(select), lists);
    if (!tables.ok) return tables;
    const qualified = await qualify(session, parsed.value, tables.value, lists);
    if (!qualified.ok) return qualified;
    // What runs is judged itself: the inserted schemas must have changed nothing else.
    const judged = parseQuery(qualified.value, lists.functions ?? []);
    if (!judged.ok) return judged;
    const same = qualifyTables(judged.value.text, judged.value.select, tables.value);
    if (!same.ok) return same;
    if (same.value !== judged.value.text) throw new Error("a table kept no schema");
    return ok({ sql: text.trim(), ...(await readRows(session, judged.value.text, order.max_rows)) });
  });
}

/** The names of other tables are read only for the message that one is unknown: the catalogue may be long. */
async function qualify(
  session: Session,
  { text, select }: Pick<ParsedQuery, "text" | "select">,
  tables: OpenTables,
  lists: QueryOrder["lists"],
): Promise<Result<string>> {
  const qualified = qualifyTables(text, select, tables);
  if (qualified.ok || qualified.error.code !== "not_found") return qualified;
  const known = await nameOpenTables(session, lists, MAX_NAMED);
  return qualifyTables(text, select, { ...tables, known });
}

async function readRows(session: Session, text: string, maxRows: number): Promise<Omit<QueryRows, "sql">> {
  const startedAt = performance.now();
  await session.run(`DECLARE ${CURSOR} NO SCROLL CURSOR FOR ${text}`);
  const rows: SqlValue[][] = [];
  let [columns, bytes, isCut, isEnd]: [FetchedRows["columns"], number, boolean, boolean] = [[], 0, false, false];
  while (!isEnd && rows.length <= maxRows && bytes <= MAX_RESULT_BYTES) {
    const count = Math.min(BATCH, maxRows + 1 - rows.length);
    const batch = await session.fetch(CURSOR, count);
    ({ columns } = batch);
    isEnd = batch.rows.length < count;
    for (const row of batch.rows) {
      isCut ||= row.some((value) => (value?.length ?? 0) > MAX_CELL_CHARACTERS);
      const values = row.map((value, index) => toValue(value, columns[index]?.type ?? 0));
      bytes += Buffer.byteLength(JSON.stringify(values));
      if (bytes > MAX_RESULT_BYTES) break;
      rows.push(values);
    }
  }
  return {
    columns: columns.map(({ name }) => name),
    kinds: columns.map(({ type }) => findKind(type)),
    rows: rows.slice(0, maxRows),
    truncated: isCut || bytes > MAX_RESULT_BYTES || rows.length > maxRows,
    duration_ms: Math.round(performance.now() - startedAt),
  };
}

const BOOLEAN = 16;
/** The numbers of int8, int2, int4, oid, float4 and float8. */
const NUMBERS = new Set([20, 21, 23, 26, 700, 701]);
/** Its text is exact, and may have more digits than JSON holds. */
const NUMERIC = 1_700;
/** date, timestamp and timestamptz. */
const TIMES = new Set([1_082, 1_114, 1_184]);

function findKind(type: number): ColumnKind {
  if (type === BOOLEAN) return "boolean";
  if (TIMES.has(type)) return "time";
  return NUMBERS.has(type) || type === NUMERIC ? "number" : "text";
}

function toValue(text: string | null, type: number): SqlValue {
  if (text === null) return null;
  if (type === BOOLEAN) return text === "t";
  if (NUMBERS.has(type)) {
    const number = Number(text);
    const isExact = Number.isInteger(number) ? Number.isSafeInteger(number) : Number.isFinite(number);
    return isExact ? number : text;
  }
  return text.length > MAX_CELL_CHARACTERS ? `${text.slice(0, MAX_CELL_CHARACTERS)}…` : text;
}
