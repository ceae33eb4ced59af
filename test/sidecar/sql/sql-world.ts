/** A Postgres with tables to attack, roles, and an account of everything that an attack could change. */
import { createServer, type Server } from "node:net";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parseEgressAllow } from "../../../adapters/egress/address.ts";
import type { Result } from "../../../core/base/errors.ts";
import type { SchemaFacts } from "../../../core/databases/facts.ts";
import type { DatabaseLists } from "../../../core/databases/lists.ts";
import { makeSystemEgress } from "../../../sidecar/egress.ts";
import { checkRole, type RoleCheck } from "../../../sidecar/sql/postgres/check-role.ts";
import { readFacts } from "../../../sidecar/sql/postgres/facts.ts";
import { type QueryRows, runQuery } from "../../../sidecar/sql/postgres/query.ts";
import type { SqlDeps } from "../../../sidecar/sql/postgres/session.ts";
import { type PostgresServer, startPostgres } from "../../mock-servers/postgres-server.ts";

/** The password of every role, which no answer may contain. */
export const PASSWORD = "canary-7c41";

const SETUP = `
  create role reader login password '${PASSWORD}';
  create role writer login password '${PASSWORD}';
  create role boss login superuser password '${PASSWORD}';
  create schema private;
  create table orders (id int primary key, customer text, amount numeric(10, 2), placed_at timestamptz, secret text);
  insert into orders select i, 'customer ' || i % 7, i * 1.5, timestamptz '2026-01-01 00:00Z' + i * interval '1 day', 'hidden-' || i
    from generate_series(1, 50) i;
  create table customers (name text primary key, city text);
  insert into customers select 'customer ' || i, case when i % 2 = 0 then 'Berlin' else 'Paris' end from generate_series(0, 6) i;
  create table salaries (who text, pay int);
  insert into salaries values ('hidden-pay', 1);
  create table private.notes (body text);
  insert into private.notes values ('hidden-note');
  create view big_orders as select id, amount from orders where amount > 50;
  create sequence counter;
  create function evil() returns int language plpgsql as $$ begin delete from public.orders; return 1; end $$;
  create function evil(orders) returns int language plpgsql as $$ begin delete from public.orders; return 1; end $$;
  create function abs(text) returns text language plpgsql as $$ begin delete from public.orders; return $1; end $$;
  create function plus(text, text) returns text language plpgsql as $$ begin delete from public.orders; return $1; end $$;
  create operator + (leftarg = text, rightarg = text, function = plus);
  create function doubled(int) returns int language sql immutable as 'select $1 * 2';
  create domain checked as text check (evil() > 0);
  create type mood as enum ('good', 'bad');
  create extension dblink;
  create extension file_fdw;
  create server files foreign data wrapper file_fdw;
  create foreign table passwd (line text) server files options (filename '/etc/passwd');
  grant usage on schema public, private to reader, writer;
  grant select on all tables in schema public, private to reader;
  grant all on all tables in schema public, private to writer;
  grant all on all sequences in schema public to writer;
  grant create on schema public to writer;
  revoke create on schema public from public;`;

/** Everything that an attack could leave in the database. */
const STATE = `
  select json_build_object(
    'orders', (select md5(string_agg(o::text, ';' order by id)) from orders o),
    'customers', (select md5(string_agg(c::text, ';' order by name)) from customers c),
    'salaries', (select md5(string_agg(s::text, ';')) from salaries s),
    'notes', (select md5(string_agg(n::text, ';')) from private.notes n),
    'objects', (select count(*) from pg_class), 'functions', (select count(*) from pg_proc), 'types', (select count(*) from pg_type),
    'roles', (select md5(string_agg(r::text, ';' order by oid)) from pg_authid r),
    'grants', (select md5(string_agg(relname || relacl::text, ';' order by relname)) from pg_class where relacl is not null),
    'large', (select count(*) from pg_largeobject_metadata), 'settings', (select count(*) from pg_db_role_setting),
    'counter', (select last_value::text || is_called from counter),
    'locks', (select count(*) from pg_locks where locktype = 'advisory'),
    'slots', (select count(*) from pg_replication_slots))::text as state`;

export interface SqlWorld {
  readonly server: PostgresServer;
  readonly deps: SqlDeps;
  /** Connections that something made to a listener on loopback. */
  readonly outbound: () => number;
  readonly outboundPort: number;
  /** A file that attacks try to write. */
  readonly file: string;
  query(sql: string, more?: QueryOptions): Promise<Result<QueryRows>>;
  check(user: string, lists?: DatabaseLists): Promise<Result<RoleCheck>>;
  /** Reads the facts about the schema. */
  facts(samples: boolean, more?: QueryOptions): Promise<Result<SchemaFacts>>;
  /** Reads everything that an attack could change. */
  readState(): Promise<string>;
  close(): Promise<void>;
}

export interface QueryOptions {
  readonly user?: string;
  readonly lists?: DatabaseLists;
  readonly tls?: "require" | "off";
  readonly timeoutMs?: number;
  readonly maxRows?: number;
  readonly dsn?: string;
  readonly deps?: SqlDeps;
  readonly signal?: AbortSignal;
}

/** Lists that close a table, a column of another and a schema. */
export const LISTS: DatabaseLists = {
  schemas: ["public"],
  tables: { deny: ["salaries"] },
  columns: { deny: ["orders.secret"] },
};

export async function openSqlWorld(): Promise<SqlWorld> {
  const server = await startPostgres();
  await server.admin.query(SETUP);
  const listener = await listen();
  const deps = makeSystemEgress(parseEgressAllow(`127.0.0.1:${server.port}`));
  const file = join(server.folder, "written-by-an-attack");
  const listFiles = () => [...readdirSync(server.folder), existsSync(file)].join();
  const filesBefore = listFiles();
  const place = (user: string, { tls = "off", lists = LISTS, timeoutMs = 15_000, dsn }: QueryOptions) =>
    ({ dsn: dsn ?? server.urlOf(user, PASSWORD), tls, lists, timeout_ms: timeoutMs }) as const;
  return {
    server,
    deps,
    outbound: listener.connections,
    outboundPort: listener.port,
    file,
    query: async (sql, more = {}) => {
      const { user = "reader", maxRows = 1_000, signal = new AbortController().signal } = more;
      const order = { action: "query", ...place(user, more), sql, max_rows: maxRows } as const;
      return await runQuery(order, more.deps ?? deps, signal);
    },
    check: async (user, lists = {}) =>
      await checkRole({ action: "check", ...place(user, { lists }) }, deps, new AbortController().signal),
    facts: async (samples, more = {}) => {
      const order = { action: "facts", ...place(more.user ?? "reader", more), samples } as const;
      return await readFacts(order, deps, new AbortController().signal);
    },
    async readState() {
      const { rows } = await server.admin.query<{ state: string }>(STATE);
      return `${rows[0]?.state}${listFiles() === filesBefore}${listener.connections()}`;
    },
    async close() {
      listener.server.close();
      await server.close();
    },
  };
}

async function listen(): Promise<{ readonly server: Server; readonly port: number; connections(): number }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return { server, port: typeof address === "object" ? (address?.port ?? 0) : 0, connections: () => connections };
}
