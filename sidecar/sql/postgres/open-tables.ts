/** Reads the tables that a query may mean, as the database has them now and its lists open them. */
import { failed, ok, type Result } from "../../../core/base/errors.ts";
import { type DatabaseLists, isColumnOpen } from "../../../core/databases/lists.ts";
import { IS_READABLE, type ListedTable, listTables } from "./list-tables.ts";
import type { OpenTable, OpenTables } from "./names.ts";
import type { Session } from "./session.ts";
import { readFields, readText } from "./tree.ts";

/** Limits what is read of a database with very many schemas. */
const MAX_NAMED = 2_000;
const MAX_COLUMNS = 50_000;

/**
 * Whether the type of the column `a` has a cast that calls a volatile function of the database's own: an expression may apply such a
 * cast without naming it, so that its table cannot be read.
 */
export const CASTS_FREELY = `
  exists (
    select from pg_cast k join pg_proc p on p.oid = k.castfunc
    where a.atttypid in (k.castsource, k.casttarget) and p.provolatile = 'v' and p.pronamespace <> 'pg_catalog'::regnamespace
  )::text`;

/** In the order of the tables. */
const COLUMNS = `
  select c.oid, a.attname, ${CASTS_FREELY}
  from unnest($1::oid[]) with ordinality t(oid, at)
  join pg_class c on c.oid = t.oid
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  order by t.at, a.attnum
  limit ${MAX_COLUMNS + 1}`;

/** A table as a query names it. */
export interface TableName {
  readonly schema: string | null;
  readonly name: string;
}

/** Lists the tables of a query. A common table expression is among them. */
export function listTableNames(tree: unknown): readonly TableName[] {
  if (Array.isArray(tree)) return tree.flatMap(listTableNames);
  return Object.entries(readFields(tree)).flatMap(([key, value]) => {
    const fields = readFields(value);
    const name = readText(fields["relname"]);
    return key === "RangeVar" && name !== null
      ? [{ schema: readText(fields["schemaname"]), name }]
      : listTableNames(value);
  });
}

/** `named` are the tables of the query. */
export async function readOpenTables(
  session: Session,
  named: readonly TableName[],
  lists: DatabaseLists,
): Promise<Result<OpenTables>> {
  const path = lists.schemas ?? session.path;
  const names = [...new Set(named.map(({ name }) => name))];
  const schemas = new Set([...path, ...named.flatMap(({ schema }) => schema ?? [])]);
  const listed = await listTables(session, lists, {
    condition: "c.relname = any($1) and n.nspname = any($2)",
    values: [names, [...schemas]],
    max: MAX_NAMED,
  });
  const tables = await readColumns(session, listed, lists);
  return tables.ok ? ok({ path, tables: tables.value, known: [] }) : tables;
}

/** A table whose columns were not all read is left out: `*` would include the unread ones. */
async function readColumns(
  session: Session,
  listed: readonly ListedTable[],
  lists: DatabaseLists,
): Promise<Result<readonly OpenTable[]>> {
  const rows = await session.run(COLUMNS, [listed.map(({ oid }) => oid)]);
  const unread = rows.length > MAX_COLUMNS ? rows.at(-1)?.[0] : null;
  const byTable = Map.groupBy(rows, ([oid]) => oid);
  const tables: OpenTable[] = [];
  for (const { oid, schema, name } of listed) {
    const own = oid === unread ? [] : (byTable.get(oid) ?? []);
    if (own.some(([, , castsFreely]) => castsFreely === "true")) return refuseCast(`${schema}.${name}`);
    const columns = own.map(([, column]) => column ?? "");
    const toColumn = (column: string) => ({ name: column, isOpen: isColumnOpen(lists, schema, name, column) });
    if (columns.length > 0) tables.push({ schema, name, columns: columns.map(toColumn) });
  }
  return ok(tables);
}

/** Names the first tables that the role may read and the lists open, each with its schema unless that is the first of the path. */
export async function nameOpenTables(session: Session, lists: DatabaseLists, max: number): Promise<readonly string[]> {
  const [first] = lists.schemas ?? session.path;
  const listed = await listTables(session, lists, { condition: IS_READABLE, max });
  return listed.map(({ schema, name }) => (schema === first ? name : `${schema}.${name}`));
}

/** The column is not named: the lists may close it. */
function refuseCast(table: string): Result<never> {
  const message = `The query was not run. The type of a column of ${table} has a cast that calls a volatile function, so this table cannot be read.`;
  return failed("blocked_by_policy", message, { field: "query" });
}
