/**
 * A SELECT of a tool, from the Worker's adapter through the sidecar, without the database's own time. Each query has a job, a connection with
 * a login, and the checks of its names. Compared with the same SELECT on a connection that is open already.
 */
import { FactsCache } from "../../adapters/databases/facts-cache.ts";
import { openDatabases } from "../../adapters/databases/databases.ts";
import { ok } from "../../core/base/errors.ts";
import type { DatabasesPort } from "../../core/ports/databases.ts";
import type { TenantDatabase } from "../../core/ports/tenant-database-table.ts";
import { quantile } from "../../test/drill/random.ts";
import { type PostgresServer, startPostgres } from "../../test/mock-servers/postgres-server.ts";
import { defineSqlJob } from "../../sidecar/sql/sql-job.ts";
import { startJobSidecar } from "../../test/mock-servers/job-sidecar.ts";
import type { Section } from "./section.ts";

const RUNS = 60;
const WARM_UP = 20;
const SELECT =
  "select customer, count(*), sum(amount) from orders where amount > 100 group by customer order by 2 desc limit 20";
/** The password, and the name of the database. */
const WORD = "bench";
const SETUP = `
  create role reader login password '${WORD}';
  create table orders (id int primary key, customer text, amount numeric(10, 2));
  insert into orders select i, 'customer ' || i % 50, i * 0.5 from generate_series(1, 5000) i;
  grant select on orders to reader`;

const DATABASE: TenantDatabase = {
  id: "dbs_bench",
  name: WORD,
  kind: "postgres",
  agents: ["agent_bench"],
  projects: null,
  people: null,
  settings: { tls: "off", max_rows: 1_000, timeout_s: 15, accept_writing_role: false },
  status: "ready",
  check: null,
  version: 1,
  createdAt: 0,
  updatedAt: 0,
};

export const SQL: Section = {
  name: "sql",
  once: true,
  rows: [
    {
      key: "sql",
      label: "a SELECT by the sidecar, beyond the database's own time, ms (p50)",
      digits: 1,
      target: "≤ 60",
      must: 60,
    },
    { key: "sql-bare", label: "– the same SELECT on an open connection, ms (p50)", digits: 1, target: "" },
  ],
  async measure(stage, note) {
    const own = stage.contenders[0]?.name ?? "Otto";
    const postgres = await startPostgres();
    try {
      await postgres.admin.query(SETUP);
      note("sql", own, await withPort(postgres, measurePort));
      note("sql-bare", own, await median(async () => await timed(async () => await postgres.admin.query(SELECT))));
    } finally {
      await postgres.close();
    }
  },
};

async function measurePort(databases: DatabasesPort): Promise<number> {
  const { signal } = new AbortController();
  return await median(async () => {
    let databaseMs = 0;
    const tookMs = await timed(async () => {
      const ran = await databases.query({ database: null, sql: SELECT, signal });
      if (!ran.ok) throw new Error(ran.error.message);
      ({ durationMs: databaseMs } = ran.value);
    });
    return tookMs - databaseMs;
  });
}

/** Opens the port to this server, with a sidecar of its own in this process. */
async function withPort<T>(postgres: PostgresServer, work: (databases: DatabasesPort) => Promise<T>): Promise<T> {
  const { sidecar, close } = await startJobSidecar(postgres.port, defineSqlJob);
  try {
    const dsn = postgres.urlOf("reader", WORD);
    const table = { all: async () => ok([DATABASE]), openDsn: async () => ok(dsn) };
    const user = { agent: { id: "agent_bench", name: "agent_bench" }, project: null, person: null };
    const facts = new FactsCache({ now: Date.now, background: () => undefined });
    return await work(openDatabases({ table, sidecar, tenant: "bench", user, facts }));
  } finally {
    await close();
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

/** `work` returns its own time in ms. */
async function median(work: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < WARM_UP + RUNS; run += 1) {
    const took = await work();
    if (run >= WARM_UP) times.push(took);
  }
  return quantile(times, 0.5);
}
