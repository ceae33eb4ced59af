/**
 * Writes `core/databases/postgres-names.generated.ts`, the functions and types of `pg_catalog` that a query may name, as a fresh Postgres
 * lists them. Give the URL of one of the version that the parser has (18): `node scripts/run.mjs scripts/postgres-names.ts URL`.
 */
import { writeFileSync } from "node:fs";
import pg from "pg";

const PATH = "core/databases/postgres-names.generated.ts";

/** Volatile functions that have no effect and reach nothing. */
const HARMLESS = ["random", "clock_timestamp"];

/**
 * A name is left out if any function of that name may have an effect, or takes or returns what no query holds (internal values, cstring,
 * triggers, names of objects). Functions about the server, its settings, its sessions, its files and its privileges are left out too,
 * those that run SQL of their argument, and those that fill a row of a table's type, because its domains may call functions.
 * Functions behind operators and aggregates are left out for brevity.
 */
const FUNCTIONS = `
  select p.proname as name
  from pg_catalog.pg_proc p
  where p.pronamespace = 'pg_catalog'::regnamespace
  group by p.proname
  having bool_and(
      (p.provolatile <> 'v' or p.proname = any($1))
      and p.prokind in ('f', 'a', 'w')
      and not exists (
        select from unnest(p.proargtypes::oid[] || p.prorettype || coalesce(p.proallargtypes, '{}')) t (type)
        where t.type in (
          'internal'::regtype, 'cstring'::regtype, 'trigger'::regtype, 'event_trigger'::regtype, 'language_handler'::regtype,
          'fdw_handler'::regtype, 'index_am_handler'::regtype, 'table_am_handler'::regtype, 'tsm_handler'::regtype,
          'regclass'::regtype, 'regproc'::regtype, 'regprocedure'::regtype, 'regoper'::regtype, 'regoperator'::regtype,
          'regrole'::regtype, 'regnamespace'::regtype, 'regdictionary'::regtype, 'regcollation'::regtype,
          'regtype'::regtype, 'refcursor'::regtype, 'xml'::regtype, 'aclitem'::regtype, 'void'::regtype, 'pg_snapshot'::regtype,
          'txid_snapshot'::regtype, 'pg_ddl_command'::regtype, 'oidvector'::regtype)
      )
      and coalesce(obj_description(p.oid, 'pg_proc'), '') !~
        '^(implementation of|aggregate (transition|final|combine|serial|deserial)|I/O|hash$|hash |less-equal-greater|larger of two|smaller of two|equal image|deprecated|restriction|join sel)'
    )
    and p.proname !~ '^(pg_|lo_|txid_|has_|row_security|binary_upgrade_|inet_(client|server)|to_reg|query_to|table_to|schema_to|database_to|cursor_to|xml|ts_stat|ts_rewrite|current_setting|dblink|ri_|col_description|obj_description|shobj_description|acl|makeacl|mxid|gin_|gist_|brin|hashfloat|spg|amvalidate|postgresql_fdw|satisfies_hash|jsonb?_populate_record|jsonb?_to_record|in_range)'
  order by p.proname`;

/** Also the types of the array of each. Not those that name an object of the database, since reading one looks it up. */
const TYPES = `
  select t.typname as name
  from pg_catalog.pg_type t
  where t.typnamespace = 'pg_catalog'::regnamespace
    and t.typtype in ('b', 'r', 'm')
    and t.typname !~ '^_?(reg|pg_|xml|aclitem|refcursor|txid|cid$|tid$|xid|cstring|oidvector|int2vector|gtsvector|char$)'
  order by t.typname`;

const [url] = process.argv.slice(2);
if (url === undefined) throw new Error("Give the URL of a fresh Postgres.");
const client = new pg.Client({ connectionString: url });
await client.connect();
try {
  const version = await client.query<{ server_version: string }>("show server_version");
  const functions = await readNames(FUNCTIONS, [HARMLESS]);
  const types = await readNames(TYPES, []);
  writeFileSync(PATH, render(version.rows[0]?.server_version ?? "", functions, types));
} finally {
  await client.end();
}

async function readNames(text: string, values: unknown[]): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(text, values);
  return rows.map(({ name }) => name);
}

function render(version: string, functions: readonly string[], types: readonly string[]): string {
  return [
    `/** Names of pg_catalog in Postgres ${version.split(" ")[0]}. Written by scripts/postgres-names.ts; not edited by hand. */`,
    "",
    "/** The functions that a query may call: immutable or stable ones that reach nothing but their arguments, `random` and `clock_timestamp`. */",
    `export const POSTGRES_FUNCTIONS: ReadonlySet<string> = new Set(\n  (\n${quote(functions)}\n  ).split(" "),\n);`,
    "",
    "/** The types that a query may name. */",
    `export const POSTGRES_TYPES: ReadonlySet<string> = new Set(\n  (\n${quote(types)}\n  ).split(" "),\n);`,
    "",
  ].join("\n");
}

/** Writes names as lines of at most 120 characters. */
function quote(names: readonly string[]): string {
  const lines: string[] = [];
  for (const name of names) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + name.length < 116) lines[lines.length - 1] = `${last} ${name}`;
    else lines.push(name);
  }
  return lines.map((line, index) => `    "${line}${index + 1 < lines.length ? " " : ""}"`).join(" +\n");
}
