/** Reads the distinct values of short text columns, each by a query that passes the checks of every query. */
import { MAX_SAMPLE_CHARACTERS, MAX_SAMPLES } from "../../../core/databases/limits.ts";
import { qualifyTables, quoteName } from "./names.ts";
import type { Session } from "./session.ts";
import { parseQuery } from "./statement.ts";

/** Limits the time of one column, and of all columns together. */
const MAX_COLUMN_MS = 1_000;
const MAX_TOTAL_MS = 5_000;
const MAX_COLUMNS = 200;
const SAVEPOINT = "otto_values";

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

/** The columns are open ones. A table that fails, because it is locked or large, has no values; the others have theirs. */
export async function sampleColumns(
  session: Session,
  tables: readonly SampledTable[],
  timeoutMs: number,
): Promise<ReadonlyMap<SampledColumn, readonly string[]>> {
  const found = new Map<SampledColumn, readonly string[]>();
  const endsAt = performance.now() + Math.min(MAX_TOTAL_MS, timeoutMs / 2);
  let count = 0;
  try {
    await session.run(`SET LOCAL statement_timeout = ${MAX_COLUMN_MS}`);
    await session.run(`SAVEPOINT ${SAVEPOINT}`);
    for (const table of tables) {
      if (count >= MAX_COLUMNS || performance.now() > endsAt) break;
      const columns = table.columns.filter(({ canSample }) => canSample).slice(0, MAX_COLUMNS - count);
      count += columns.length;
      await sampleTable(session, table, columns, { found, endsAt });
    }
  } catch {
    // The connection broke. A question is answered without values, too.
  }
  return found;
}

/** Rejects only if the transaction takes no further query. */
async function sampleTable(
  session: Session,
  table: SampledTable,
  columns: readonly SampledColumn[],
  { found, endsAt }: { readonly found: Map<SampledColumn, readonly string[]>; readonly endsAt: number },
): Promise<void> {
  try {
    for (const column of columns) {
      if (performance.now() > endsAt) return;
      const values = await readValues(session, table, column);
      if (values !== null) found.set(column, values);
    }
  } catch {
    await session.run(`ROLLBACK TO SAVEPOINT ${SAVEPOINT}`);
  }
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
