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
import { type DatabaseLists, isColumnOpen } from "../../../core/databases/lists.ts";
import type { FactsOrder } from "../sql-order.ts";
import { type ListedTable, listTables, IS_READABLE } from "./list-tables.ts";
import { CASTS_FREELY } from "./open-tables.ts";
import { sampleColumns, type SampledColumn } from "./samples.ts";
import { type Session, type SqlDeps, withSession } from "./session.ts";
import { loadPostgresParser } from "./statement.ts";

/** Limits open columns and keys. What the lists close does not count. */
const MAX_COLUMNS = 10_000;
const MAX_KEYS = 10_000;
/** Tables whose columns are read at once. */
const BATCH = 20;
const MAX_COMMENT_CHARACTERS = 200;
/** Of an enumeration. */
const MAX_LABELS = 50;
/** A larger table is not searched for values. */
const MAX_SAMPLED_BYTES = 16 * 1024 * 1024;

/** Partitions are read through their table, and left out. */
const READABLE = `not c.relispartition and ${IS_READABLE}`;

/**
 * Values are read of ordinary tables alone: a view may take long. The size of a table is the one that the catalogue has of its last
 * `ANALYZE`, because measuring it waits for a lock on it. A table that was never analysed may be searched: most of those are small.
 */
const COLUMNS = `
  select c.oid, a.attname, quote_ident(n.nspname), quote_ident(c.relname), quote_ident(a.attname),
    format_type(a.atttypid, a.atttypmod), ${CASTS_FREELY},
    case when c.relkind in ('v', 'm') then 'view' else 'table' end,
    left(obj_description(c.oid, 'pg_class'), ${MAX_COMMENT_CHARACTERS}),
    left(col_description(c.oid, a.attnum), ${MAX_COMMENT_CHARACTERS}),
    (select json_agg(e.enumlabel order by e.enumsortorder) from pg_enum e where e.enumtypid = a.atttypid)::text,
    (c.relkind = 'r' and a.atttypid in ('text'::regtype, 'varchar'::regtype, 'bpchar'::regtype)
      and c.relpages * current_setting('block_size')::bigint <= ${MAX_SAMPLED_BYTES})::text
  from unnest($1::oid[]) with ordinality t(oid, at)
  join pg_class c on c.oid = t.oid
  join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where has_column_privilege(c.oid, a.attnum, 'select')
  order by t.at, a.attnum`;

const namesOf = (keys: string, table: string) => `
  (select json_agg(a.attname order by u.at) from unnest(${keys}) with ordinality u(number, at)
    join pg_attribute a on a.attrelid = ${table} and a.attnum = u.number)::text`;

/** The keys of tables, and those between them. */
const KEYS = `
  select k.conrelid, k.contype, ${namesOf("k.conkey", "k.conrelid")}, k.confrelid, ${namesOf("k.confkey", "k.confrelid")}
  from pg_constraint k
  where k.conrelid = any($1::oid[]) and (k.contype = 'p' or k.contype = 'f' and k.confrelid = any($1::oid[]))
  order by array_position($1::oid[], k.conrelid), k.contype desc, k.conname
  limit ${MAX_KEYS}`;

/** An open column. `name` and `quoted`: as the catalogue and as a query have it. */
interface OpenColumn extends SampledColumn {
  readonly quoted: string;
  readonly type: string;
  readonly comment: string | null;
  readonly labels: readonly string[] | null;
}

interface FoundTable extends ListedTable {
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
    const { tables, isCut } = await readTables(session, order.lists);
    const keys = await session.run(KEYS, [[...tables.keys()]]);
    const values = order.samples ? await sampleColumns(session, [...tables.values()], order.timeout_ms) : new Map();
    const facts = new Map([...tables].map(([oid, table]) => [oid, toFacts(table, values)]));
    addKeys(keys, tables, facts);
    const fitting = takeFitting([...facts.values()]);
    return ok({ tables: fitting, truncated: isCut || fitting.length < facts.size });
  });
}

/** The open tables by their number. `isCut`: there are more. */
interface FoundTables {
  readonly tables: ReadonlyMap<string, FoundTable>;
  readonly isCut: boolean;
}

/** Reads open tables until they have the most columns. The last one is whole. */
async function readTables(session: Session, lists: DatabaseLists): Promise<FoundTables> {
  const listed = await listTables(session, lists, { condition: READABLE, max: MAX_COLUMNS + 1 });
  const tables = new Map<string, FoundTable>();
  let count = 0;
  for (let at = 0; at < listed.length; at += BATCH) {
    const batch = listed.slice(at, at + BATCH);
    const rows = await session.run(COLUMNS, [batch.map(({ oid }) => oid)]);
    const byTable = Map.groupBy(rows, ([oid]) => oid);
    for (const one of batch) {
      if (count >= MAX_COLUMNS) return { tables, isCut: true };
      const table = toTable(one, byTable.get(one.oid) ?? [], lists, session.path);
      if (table === null) continue;
      count += table.columns.length;
      tables.set(one.oid, table);
    }
  }
  return { tables, isCut: listed.length > MAX_COLUMNS };
}

type Row = readonly (string | null)[];

/** Null for a table without an open column, and for one with a free cast, which cannot be queried. */
function toTable(
  listed: ListedTable,
  rows: readonly Row[],
  lists: DatabaseLists,
  path: Session["path"],
): FoundTable | null {
  const { schema, name } = listed;
  const open = rows.filter(([, column]) => isColumnOpen(lists, schema, name, column ?? ""));
  const [first] = open;
  if (first === undefined || rows.some((row) => row[6] === "true")) return null;
  const [, , writtenSchema, writtenTable, , , , kind, comment = null] = first;
  const [firstOfPath] = lists.schemas ?? path;
  return {
    ...listed,
    written: schema === firstOfPath ? (writtenTable ?? "") : `${writtenSchema}.${writtenTable}`,
    kind: kind === "view" ? "view" : "table",
    comment,
    columns: open.map(toColumn),
  };
}

function toColumn([, name, , , quoted, type, , , , comment = null, labels, canSample]: Row): OpenColumn {
  return {
    name: name ?? "",
    quoted: quoted ?? "",
    type: type ?? "",
    comment,
    labels: readLabels(labels),
    canSample: canSample === "true",
  };
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
  for (const [oid, kind, columns, otherOid, to] of keys) {
    const own = quoteColumns(tables.get(oid ?? ""), readNames(columns));
    const fact = facts.get(oid ?? "");
    if (fact === undefined || own === null) continue;
    if (kind === "p") fact.primary_key.push(...own);
    else {
      const other = tables.get(otherOid ?? "");
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

function takeFitting(tables: readonly TableFacts[]): TableFacts[] {
  let left = MAX_FACTS_BYTES;
  return tables.filter((table) => {
    const size = Buffer.byteLength(JSON.stringify(table));
    if (size > left) return false;
    left -= size;
    return true;
  });
}
