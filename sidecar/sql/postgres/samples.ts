/** Reads the distinct values of short text columns, each by a query that passes the checks of every query. */
import { MAX_SAMPLE_CHARACTERS, MAX_SAMPLES } from "../../../core/databases/limits.ts";
import { qualifyTables, quoteName } from "./names.ts";
import type { Session } from "./session.ts";
import { parseQuery } from "./statement.ts";

/** Limits the time of one column, and of all columns together. */
const MAX_COLUMN_MS = 1_000;
const MAX_TOTAL_MS = 5_000;
const MAX_COLUMNS = 200;

/** `canSample`: its type and the size of its table allow it. */
export interface SampledColumn {
  readonly name: string;
  readonly canSample: boolean;
}

interface SampledTable {
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly SampledColumn[];
}

/** The columns are open ones. The first failure ends it, because the transaction then takes no further query. */
export async function sampleColumns(
  session: Session,
  tables: readonly SampledTable[],
  timeoutMs: number,
): Promise<ReadonlyMap<SampledColumn, readonly string[]>> {
  const found = new Map<SampledColumn, readonly string[]>();
  const endsAt = performance.now() + Math.min(MAX_TOTAL_MS, timeoutMs / 2);
  const columns = tables.flatMap((table) => table.columns.map((column) => ({ table, column })));
  try {
    await session.run(`SET LOCAL statement_timeout = ${MAX_COLUMN_MS}`);
    for (const { table, column } of columns.filter(({ column: { canSample } }) => canSample).slice(0, MAX_COLUMNS)) {
      if (performance.now() > endsAt) break;
      const values = await readValues(session, table, column);
      if (values !== null) found.set(column, values);
    }
  } catch {
    // A question is answered without values, too.
  }
  return found;
}

async function readValues(
  session: Session,
  table: SampledTable,
  { name }: SampledColumn,
): Promise<readonly string[] | null> {
  const column = quoteName(name);
  const text = `SELECT DISTINCT left(${column}, ${MAX_SAMPLE_CHARACTERS + 1}) FROM ONLY ${quoteName(table.schema)}.${quoteName(table.name)} WHERE ${column} IS NOT NULL LIMIT ${MAX_SAMPLES + 1}`;
  const parsed = parseQuery(text, []);
  if (!parsed.ok) return null;
  const open = { ...table, columns: table.columns.map((one) => ({ name: one.name, isOpen: true })) };
  const qualified = qualifyTables(text, parsed.value.select, { path: [], tables: [open], known: [] });
  if (!qualified.ok || qualified.value !== text) return null;
  const values = (await session.run(text)).map(([value]) => value ?? "");
  const isShort = values.every((value) => value.length <= MAX_SAMPLE_CHARACTERS);
  return values.length <= MAX_SAMPLES && isShort ? values.toSorted() : null;
}
