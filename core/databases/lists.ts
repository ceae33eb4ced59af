/** Which tables and columns of a database a query may read. Names are compared without regard to case, so that no spelling evades a list. */

/** Lists of a database's record. Absent `allow`: every table. A table is `table`, `schema.table` or `schema.*`. */
export interface TableLists {
  readonly allow?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
}

/** What queries of a database may read and call. */
export interface DatabaseLists {
  /** The schemas whose tables may be read; absent: every one that is not the system's. */
  readonly schemas?: readonly string[] | undefined;
  readonly tables?: TableLists | undefined;
  /** A column is `column`, `table.column` or `schema.table.column`. */
  readonly columns?: { readonly deny?: readonly string[] | undefined } | undefined;
  /** Functions of the database's own that may be called, as `schema.function`. */
  readonly functions?: readonly string[] | undefined;
}

/** True if the table is allowed and not denied. */
export function isTableOpen({ tables = {} }: DatabaseLists, schema: string, table: string): boolean {
  const { allow, deny = [] } = tables;
  if (deny.some((entry) => namesTable(entry, schema, table))) return false;
  return allow === undefined || allow.some((entry) => namesTable(entry, schema, table));
}

/** True if the column of an open table may be read. */
export function isColumnOpen({ columns = {} }: DatabaseLists, schema: string, table: string, column: string): boolean {
  const spellings = [column, `${table}.${column}`, `${schema}.${table}.${column}`].map(fold);
  return !(columns.deny ?? []).some((entry) => spellings.includes(fold(entry)));
}

/** True if the record lists the schema, or lists none and it is not the system's. */
export function isSchemaOpen({ schemas }: DatabaseLists, schema: string): boolean {
  if (isSystemSchema(schema)) return false;
  return schemas === undefined || schemas.some((entry) => fold(entry) === fold(schema));
}

/** True for the schemas of Postgres itself, which are never read: their views show settings, sessions and other roles. */
function isSystemSchema(schema: string): boolean {
  return schema === "information_schema" || schema.startsWith("pg_");
}

function namesTable(entry: string, schema: string, table: string): boolean {
  const given = fold(entry);
  return given === fold(table) || given === fold(`${schema}.${table}`) || given === fold(`${schema}.*`);
}

function fold(name: string): string {
  return name.toLowerCase();
}
