/**
 * Reads the facts about a schema for questions in plain language: tables, columns, comments and keys.
 *
 * Invariants:
 * 1. What the lists close, or the role may not read, appears nowhere: not as a column, in a key or as a value.
 * 2. Values are read by queries that pass the checks of every query, and only if the record allows it.
 */
import { ok, type Result } from "../../../core/base/errors.ts";
import type { SchemaFacts, TableFacts } from "../../../core/databases/facts.ts";
import { MAX_FACTS_BYTES } from "../../../core/databases/limits.ts";
import { type DatabaseLists, isColumnOpen, isSchemaOpen, isTableOpen } from "../../../core/databases/lists.ts";
import type { FactsOrder } from "../sql-order.ts";
import { CASTS_FREELY } from "./open-tables.ts";
import { sampleColumns, type SampledColumn } from "./samples.ts";
import { type Session, type SqlDeps, withSession } from "./session.ts";
import { loadPostgresParser } from "./statement.ts";

/** Limits what is read of a database with very many tables. */
const MAX_COLUMNS = 10_000;
const MAX_KEYS = 10_000;
const MAX_COMMENT_CHARACTERS = 200;
/** Of an enumeration. */
const MAX_LABELS = 50;
/** A larger table is not searched for values. */
const MAX_SAMPLED_BYTES = 16 * 1024 * 1024;

const IS_OWN = "n.nspname !~ '^pg_' and n.nspname <> 'information_schema'";

/** Partitions are read through their table, and left out. Values are read of ordinary tables alone: a view may take long. */
const COLUMNS = `
  select n.nspname, c.relname, a.attname, quote_ident(n.nspname), quote_ident(c.relname), quote_ident(a.attname),
    format_type(a.atttypid, a.atttypmod), ${CASTS_FREELY},
    case when c.relkind in ('v', 'm') then 'view' else 'table' end,
    left(obj_description(c.oid, 'pg_class'), ${MAX_COMMENT_CHARACTERS}),
    left(col_description(c.oid, a.attnum), ${MAX_COMMENT_CHARACTERS}),
    (select json_agg(e.enumlabel order by e.enumsortorder) from pg_enum e where e.enumtypid = a.atttypid)::text,
    (c.relkind = 'r' and a.atttypid in ('text'::regtype, 'varchar'::regtype, 'bpchar'::regtype)
      and pg_relation_size(c.oid) <= ${MAX_SAMPLED_BYTES})::text
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relkind in ('r', 'p', 'v', 'm') and not c.relispartition and ${IS_OWN}
    and has_schema_privilege(n.oid, 'usage') and has_column_privilege(c.oid, a.attnum, 'select')
  order by n.nspname, c.relname, a.attnum
  limit ${MAX_COLUMNS + 1}`;

const namesOf = (keys: string, table: string) => `
  (select json_agg(a.attname order by u.at) from unnest(${keys}) with ordinality u(number, at)
    join pg_attribute a on a.attrelid = ${table} and a.attnum = u.number)::text`;

const KEYS = `
  select n.nspname, c.relname, k.contype, ${namesOf("k.conkey", "k.conrelid")}, o.nspname, f.relname, ${namesOf("k.confkey", "k.confrelid")}
  from pg_constraint k
  join pg_class c on c.oid = k.conrelid
  join pg_namespace n on n.oid = c.relnamespace
  left join pg_class f on f.oid = k.confrelid
  left join pg_namespace o on o.oid = f.relnamespace
  where k.contype in ('p', 'f') and ${IS_OWN}
  order by n.nspname, c.relname, k.contype desc, k.conname
  limit ${MAX_KEYS}`;

/** An open column. `name` and `quoted`: as the catalogue and as a query have it. */
interface OpenColumn extends SampledColumn {
  readonly quoted: string;
  readonly type: string;
  readonly comment: string | null;
  readonly labels: readonly string[] | null;
}

interface FoundTable {
  readonly schema: string;
  readonly name: string;
  /** As a query names it. */
  readonly written: string;
  readonly kind: "table" | "view";
  readonly comment: string | null;
  readonly columns: OpenColumn[];
}

/** Connects and reads the facts. Never rejects. */
export async function readFacts(order: FactsOrder, deps: SqlDeps, signal: AbortSignal): Promise<Result<SchemaFacts>> {
  await loadPostgresParser();
  return await withSession(order, deps, signal, async (session) => {
    const rows = await session.run(COLUMNS);
    const tables = collectTables(rows.slice(0, MAX_COLUMNS), order.lists, session.path);
    const keys = await session.run(KEYS);
    const values = order.samples ? await sampleColumns(session, [...tables.values()], order.timeout_ms) : new Map();
    const facts = [...tables.values()].map((table) => toFacts(table, values));
    addKeys(keys, tables, new Map(facts.map((table) => [table.name, table])));
    const kept = cutTables(facts);
    return ok({ tables: kept, truncated: rows.length > MAX_COLUMNS || kept.length < facts.length });
  });
}

type Row = readonly (string | null)[];

const toKey = (schema: string, table: string) => JSON.stringify([schema, table]);

/** Collects the open tables, in the order of the rows. A table with a free cast cannot be queried, and is left out. */
function collectTables(
  rows: readonly Row[],
  lists: DatabaseLists,
  path: Session["path"],
): ReadonlyMap<string, FoundTable> {
  const [first] = lists.schemas ?? path;
  const tables = new Map<string, FoundTable>();
  const refused = new Set<string>();
  for (const row of rows) {
    const [schema = "", name = "", column = "", writtenSchema, writtenTable, quoted, type, castsFreely] = toTexts(row);
    const [kind, comment, columnComment, labels, canSample] = row.slice(8);
    if (!isSchemaOpen(lists, schema) || !isTableOpen(lists, schema, name)) continue;
    const key = toKey(schema, name);
    if (castsFreely === "true") refused.add(key);
    if (!isColumnOpen(lists, schema, name, column)) continue;
    const table: FoundTable = tables.get(key) ?? {
      schema,
      name,
      written: schema === first ? (writtenTable ?? "") : `${writtenSchema}.${writtenTable}`,
      kind: kind === "view" ? "view" : "table",
      comment: comment ?? null,
      columns: [],
    };
    table.columns.push({
      name: column,
      quoted: quoted ?? "",
      type: type ?? "",
      comment: columnComment ?? null,
      labels: readLabels(labels),
      canSample: canSample === "true",
    });
    tables.set(key, table);
  }
  for (const key of refused) tables.delete(key);
  return tables;
}

function toTexts(row: Row): readonly string[] {
  return row.map((value) => value ?? "");
}

function readNames(json: string | null | undefined): readonly string[] {
  return typeof json === "string" ? (JSON.parse(json) as string[]) : [];
}

function readLabels(json: string | null | undefined): readonly string[] | null {
  return typeof json === "string" ? readNames(json).slice(0, MAX_LABELS) : null;
}

function toFacts(table: FoundTable, values: ReadonlyMap<SampledColumn, readonly string[]>): TableFacts {
  return {
    name: table.written,
    kind: table.kind,
    comment: table.comment,
    columns: table.columns.map((column) => {
      const known = column.labels ?? values.get(column) ?? null;
      return {
        name: column.quoted,
        type: column.type,
        comment: column.comment,
        values: known === null ? null : [...known],
      };
    }),
    primary_key: [],
    references: [],
  };
}

/** Adds the keys whose columns are all open, on both sides. */
function addKeys(
  keys: readonly Row[],
  tables: ReadonlyMap<string, FoundTable>,
  facts: ReadonlyMap<string, TableFacts>,
): void {
  for (const [schema, name, kind, columns, otherSchema, otherName, to] of keys) {
    const table = tables.get(toKey(schema ?? "", name ?? ""));
    const own = quoteColumns(table, readNames(columns));
    const fact = facts.get(table?.written ?? "");
    if (fact === undefined || own === null) continue;
    if (kind === "p") fact.primary_key.push(...own);
    else {
      const other = tables.get(toKey(otherSchema ?? "", otherName ?? ""));
      const theirs = quoteColumns(other, readNames(to));
      if (other !== undefined && theirs !== null)
        fact.references.push({ columns: own, table: other.written, to: theirs });
    }
  }
}

/** The columns as a query writes them; null if one of them is not open. */
function quoteColumns(table: FoundTable | undefined, names: readonly string[]): string[] | null {
  const found = names.flatMap((name) => table?.columns.find((column) => column.name === name)?.quoted ?? []);
  return found.length === names.length && found.length > 0 ? found : null;
}

function cutTables(tables: readonly TableFacts[]): TableFacts[] {
  let bytes = 0;
  return tables.filter((table) => (bytes += Buffer.byteLength(JSON.stringify(table))) <= MAX_FACTS_BYTES);
}
