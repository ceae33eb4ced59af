/** Lists the tables of a database that its lists open. The catalogue is read in batches, so that closed tables count for no limit. */
import { type DatabaseLists, isSchemaOpen, isTableOpen } from "../../../core/databases/lists.ts";
import type { Session } from "./session.ts";

const CURSOR = "otto_tables";
const BATCH = 2_000;

/** Schemas that are not the system's. `n`: pg_namespace. */
export const IS_OWN = "n.nspname !~ '^pg_' and n.nspname <> 'information_schema'";

/** Tables, views, materialized views and partitioned tables. Not foreign tables, which reach another server or a file. `c`: pg_class. */
const IS_TABLE = "c.relkind in ('r', 'p', 'v', 'm')";

/** Tables with columns that the role may read. */
export const IS_READABLE = "has_schema_privilege(n.oid, 'usage') and has_any_column_privilege(c.oid, 'select')";

/** A table by its number in the catalogue, and its names there. */
export interface ListedTable {
  readonly oid: string;
  readonly schema: string;
  readonly name: string;
}

/** Which tables to list. `condition`: about `c` (pg_class) and `n` (pg_namespace). `max`: of open tables. */
interface TableSelection {
  readonly condition: string;
  readonly values?: readonly unknown[];
  readonly max: number;
}

/** Returns open tables by schema and name. */
export async function listTables(
  session: Session,
  lists: DatabaseLists,
  { condition, values = [], max }: TableSelection,
): Promise<readonly ListedTable[]> {
  await session.run(
    `DECLARE ${CURSOR} NO SCROLL CURSOR FOR
      select c.oid, n.nspname, c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where ${IS_TABLE} and ${IS_OWN} and ${condition}
      order by n.nspname, c.relname`,
    values,
  );
  const open: ListedTable[] = [];
  let isEnd = false;
  while (!isEnd && open.length < max) {
    const { rows } = await session.fetch(CURSOR, BATCH);
    isEnd = rows.length < BATCH;
    for (const [oid, schema, name] of rows) {
      const table = { oid: oid ?? "", schema: schema ?? "", name: name ?? "" };
      if (isSchemaOpen(lists, table.schema) && isTableOpen(lists, table.schema, table.name)) open.push(table);
    }
  }
  await session.run(`CLOSE ${CURSOR}`);
  return open.slice(0, max);
}
