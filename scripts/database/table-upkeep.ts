/**
 * Vacuum and statistics of the embedded Postgres, which runs one session and so has no autovacuum. Without statistics its
 * planner expects a few rows of a tenant and sorts all of them for each page of a list. Other servers do this themselves.
 */
import type { OwnerConnection, SqlBackend } from "./sql-backend.ts";

const LOOK_EVERY_MS = 10_000;
/** Rows that are sampled are 300 times this; the default of 100 holds the one session for longer than it is worth. */
const STATISTICS_TARGET = 20;

/**
 * Tables that autovacuum would visit, by its own defaults, and those that were never analyzed
 * (https://www.postgresql.org/docs/current/routine-vacuuming.html#AUTOVACUUM).
 */
const DUE = `
  select c.relname, s.n_dead_tup > 50 + 0.2 * s.n_live_tup
  from pg_class c join pg_stat_user_tables s on s.relid = c.oid
  where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and (
    (c.reltuples < 0 and pg_relation_size(c.oid) > 0)
    or s.n_mod_since_analyze > 50 + 0.1 * s.n_live_tup
    or s.n_dead_tup > 50 + 0.2 * s.n_live_tup)
  order by s.n_mod_since_analyze desc`;

/** Looks after the tables every ten seconds until the process ends. `onFailure` gets what a visit threw. */
export function keepTables(backend: SqlBackend, onFailure: (error: unknown) => void): void {
  let visit: Promise<void> | null = null;
  setInterval(() => {
    visit ??= visitTables(backend)
      .catch(onFailure)
      .finally(() => {
        visit = null;
      });
  }, LOOK_EVERY_MS).unref();
}

/** Vacuums and analyzes the tables that are due, each in a turn of its own, so that requests run in between. */
export async function visitTables(backend: SqlBackend): Promise<void> {
  const due = await backend.asOwner(async (connection) => await connection.query({ query: DUE, params: [] }));
  for (const [name, hasDeadRows] of due.rows) {
    if (name != null) await backend.asOwner(async (connection) => await visit(connection, name, hasDeadRows === "t"));
  }
}

async function visit(connection: OwnerConnection, name: string, hasDeadRows: boolean): Promise<void> {
  const table = `public."${name}"`;
  await connection.script(`set default_statistics_target = ${STATISTICS_TARGET}`);
  await connection.script(hasDeadRows ? `vacuum (analyze) ${table}` : `analyze ${table}`);
  await connection.script("reset default_statistics_target");
}
