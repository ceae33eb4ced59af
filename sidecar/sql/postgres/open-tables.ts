/** Reads the tables that a query may mean, as the database has them now and its lists open them. */
import { failed, ok, type Result } from "../../../core/base/errors.ts";
import { type DatabaseLists, isColumnOpen, isSchemaOpen, isTableOpen } from "../../../core/databases/lists.ts";
import type { OpenTable, OpenTables } from "./names.ts";
import type { Session } from "./session.ts";

/** Limits what is read of a database with very many tables. */
const MAX_COLUMNS = 50_000;
const MAX_KNOWN = 2_000;

/**
 * Whether the type of the column `a` has a cast that calls a volatile function of the database's own: an expression may apply such a
 * cast without naming it, so that its table cannot be read.
 */
export const CASTS_FREELY = `
  exists (
    select from pg_cast k join pg_proc p on p.oid = k.castfunc
    where a.atttypid in (k.castsource, k.casttarget) and p.provolatile = 'v' and p.pronamespace <> 'pg_catalog'::regnamespace
  )::text`;

/** Tables, views, materialized views and partitioned tables. Not foreign tables, which reach another server or a file. */
const COLUMNS = `
  select n.nspname, c.relname, a.attname, ${CASTS_FREELY}
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relkind in ('r', 'p', 'v', 'm') and c.relname = any($1)
  order by n.nspname, c.relname, a.attnum
  limit ${MAX_COLUMNS}`;

const TABLES = `
  select n.nspname, c.relname
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
  order by n.nspname, c.relname
  limit ${MAX_KNOWN}`;

/** `names` are those of the query's tables, without schemas. */
export async function readOpenTables(
  session: Session,
  names: readonly string[],
  lists: DatabaseLists,
): Promise<Result<OpenTables>> {
  const path = lists.schemas ?? session.path;
  const tables = new Map<string, OpenTable>();
  for (const [schema = "", name = "", column = "", castsFreely] of await readRows(session, COLUMNS, [names])) {
    if (!isSchemaOpen(lists, schema) || !isTableOpen(lists, schema, name)) continue;
    if (castsFreely === "true") return refuseCast(`${schema}.${name}.${column}`);
    const key = JSON.stringify([schema, name]);
    const known = tables.get(key) ?? { schema, name, columns: [] };
    const added = { name: column, isOpen: isColumnOpen(lists, schema, name, column) };
    tables.set(key, { ...known, columns: [...known.columns, added] });
  }
  const isComplete = names.every((name) => [...tables.values()].some((table) => table.name === name));
  const known = isComplete ? [] : await listOpenTables(session, lists);
  return ok({ path, tables: [...tables.values()], known });
}

/** Names every table that the lists open, with its schema unless that is the first of the path. */
export async function listOpenTables(session: Session, lists: DatabaseLists): Promise<readonly string[]> {
  const [first] = lists.schemas ?? session.path;
  const rows = await readRows(session, TABLES, []);
  return rows
    .filter(([schema = "", name = ""]) => isSchemaOpen(lists, schema) && isTableOpen(lists, schema, name))
    .map(([schema = "", name = ""]) => (schema === first ? name : `${schema}.${name}`));
}

async function readRows(
  session: Session,
  text: string,
  values: readonly unknown[],
): Promise<readonly (readonly string[])[]> {
  const rows = await session.run(text, values);
  return rows.map((row) => row.map((value) => value ?? ""));
}

function refuseCast(column: string): Result<never> {
  const message = `The query was not run. The type of ${column} has a cast that calls a volatile function, so this table cannot be read.`;
  return failed("blocked_by_policy", message, { field: "query" });
}
