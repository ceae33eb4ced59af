/** A database that tells how many rows of its tables a piece of work read, and how Postgres ran its statements. */
import { openDatabase } from "../../../adapters/database/database.ts";
import type { Database } from "../../../core/ports/database.ts";
import { startBridge } from "../../../scripts/database/bridge.ts";
import { migrate } from "../../../scripts/database/migrate.ts";
import type { SqlBackend, Statement, StatementResult } from "../../../scripts/database/sql-backend.ts";
import { openEmptyDatabase } from "../../../scripts/database/test-database.ts";

/** The rows that this session read of each table since its counts were last flushed: by scans of the table, and by an index. */
const ROWS_READ: Statement = {
  query: "select relname, seq_tup_read, coalesce(idx_tup_fetch, 0) from pg_stat_xact_user_tables",
  params: [],
};

export interface CountedDatabase {
  readonly database: Database;
  readonly backend: SqlBackend;
  /** The rows that `work` read of each table, without tables that it read nothing of. */
  countRows(work: () => Promise<unknown>): Promise<Readonly<Record<string, number>>>;
  /** The plans of the statements of `work`, which is run but whose reply is not used. */
  explain(work: () => Promise<unknown>): Promise<string>;
  close(): Promise<void>;
}

type Transact = SqlBackend["transact"];

export async function startCountedDatabase(): Promise<CountedDatabase> {
  const backend = await openEmptyDatabase();
  await migrate(backend, { folder: "migrations", appPassword: null });
  let transact: Transact = backend.transact;
  const bridge = await startBridge({
    backend: { ...backend, transact: async (statements, options) => await transact(statements, options) },
    port: 0,
    appPassword: "app",
    ownerPassword: null,
  });
  const database = openDatabase("postgres://otto_app:app@database.localhost/otto", bridge.endpoint);
  const during = async (changed: Transact, work: () => Promise<unknown>) => {
    // The connection checks its role before its first statement.
    await database.projects.list("ten_none", null, 1);
    transact = changed;
    try {
      await work();
    } finally {
      transact = backend.transact;
    }
  };
  return {
    database,
    backend,
    async countRows(work) {
      const counts: Record<string, number> = {};
      await during(async (statements, options) => {
        const results = await backend.transact([ROWS_READ, ...statements, ROWS_READ], options);
        addCounts(counts, results.at(0), -1);
        addCounts(counts, results.at(-1), 1);
        return results.slice(1, -1);
      }, work);
      return Object.fromEntries(Object.entries(counts).filter(([, rows]) => rows !== 0));
    },
    async explain(work) {
      const plans: string[] = [];
      await during(async (statements, options) => {
        const explained = statements.map((one) =>
          one.query.includes("set_config") ? one : { ...one, query: `explain (analyze, timing off) ${one.query}` },
        );
        plans.push(...(await backend.transact(explained, options)).map(toText));
        return await backend.transact(statements, options);
      }, work);
      return plans.join("\n");
    },
    async close() {
      await bridge.close();
      await backend.close();
    },
  };
}

function addCounts(counts: Record<string, number>, found: StatementResult | undefined, sign: number): void {
  for (const [table, scanned, fetched] of found?.rows ?? [])
    if (table != null) counts[table] = (counts[table] ?? 0) + sign * (Number(scanned) + Number(fetched));
}

function toText({ rows }: StatementResult): string {
  return rows.map(([line]) => line ?? "").join("\n");
}
