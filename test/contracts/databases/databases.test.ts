/** The fake in memory, and the adapter towards a real Postgres by way of the sidecar: one contract; and the check of a role. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkDatabase, openDatabases } from "../../../adapters/databases/databases.ts";
import { FactsCache } from "../../../adapters/databases/facts-cache.ts";
import { failed, ok } from "../../../core/base/errors.ts";
import type { DatabaseChoice } from "../../../core/databases/choose-database.ts";
import type { TenantDatabase } from "../../../core/ports/tenant-database-table.ts";
import { ANALYST, fakeDatabases } from "../../fakes/databases.ts";
import { type PostgresServer, startPostgres } from "../../mock-servers/postgres-server.ts";
import { defineSqlJob } from "../../../sidecar/sql/sql-job.ts";
import { startJobSidecar } from "../../mock-servers/job-sidecar.ts";
import { databasesContract } from "./suite.ts";

const PASSWORD = "canary-19c4";
let postgres: PostgresServer;
let sidecar: Awaited<ReturnType<typeof startJobSidecar>>;

beforeAll(async () => {
  postgres = await startPostgres();
  await postgres.admin.query(`
    create role reader login password '${PASSWORD}';
    create role writer login password '${PASSWORD}';
    revoke create on schema public from public;
    create table orders (id int);
    insert into orders values (1), (2);
    grant select on orders to reader;
    grant all on orders to writer`);
  sidecar = await startJobSidecar(postgres.port, defineSqlJob);
});
afterAll(async () => {
  await sidecar.close();
  await postgres.close();
});

databasesContract("the fake in memory", (databases, user) =>
  fakeDatabases((sql) => (/^\s*select/.test(sql) ? { columns: ["id"], rows: [[1], [2]] } : null), databases, user),
);

databasesContract("the adapter", (databases, user) =>
  openDatabases({
    table: tableOf(databases.map(toRow), "reader"),
    sidecar: sidecar.sidecar,
    tenant: "t1",
    user,
    facts: newFacts(),
  }),
);

function newFacts(): FactsCache {
  return new FactsCache({ now: Date.now, background: () => undefined });
}

function toRow(database: DatabaseChoice): TenantDatabase {
  return {
    id: `dbs_${database.name}`,
    kind: "postgres",
    settings: { tls: "off", max_rows: 1_000, timeout_s: 15, accept_writing_role: false },
    check: null,
    version: 1,
    createdAt: 0,
    updatedAt: 0,
    ...database,
  };
}

function tableOf(databases: readonly TenantDatabase[], role: string | null) {
  return {
    all: async () => ok(databases),
    openDsn: async (id: string) =>
      databases.some((one) => one.id === id)
        ? ok(role === null ? null : postgres.urlOf(role, PASSWORD))
        : failed("not_found", "There is no such database."),
  };
}

describe("the adapter", () => {
  const database = toRow({ name: "sales", agents: [ANALYST.id], projects: null, people: null, status: "ready" });
  const user = { agent: ANALYST, project: null, person: null };
  const { signal } = new AbortController();

  it("checks a role", async () => {
    const check = async (role: string) =>
      await checkDatabase(
        { table: tableOf([database], role), sidecar: sidecar.sidecar, tenant: "t1" },
        database,
        signal,
      );
    expect(await check("reader")).toMatchObject({
      ok: true,
      value: { role: "reader", grants: [], tables: ["orders"] },
    });
    expect(await check("writer")).toMatchObject({
      value: { grants: expect.arrayContaining(["DELETE on table public.orders"]) },
    });
  });

  it("applies the settings of the database", async () => {
    const narrow = { ...database, settings: { ...database.settings, max_rows: 1, columns: { deny: ["secret"] } } };
    const port = openDatabases({
      table: tableOf([narrow], "reader"),
      sidecar: sidecar.sidecar,
      tenant: "t1",
      user,
      facts: newFacts(),
    });
    expect(await port.query({ database: null, sql: "select id from orders", signal })).toMatchObject({
      value: { rows: [[1]], truncated: true },
    });
  });

  it("reads values of columns only if the record allows it, and no facts that its lists close", async () => {
    const read = async (settings: Partial<TenantDatabase["settings"]>) => {
      const its = { ...database, settings: { ...database.settings, ...settings } };
      const port = openDatabases({
        table: tableOf([its], "reader"),
        sidecar: sidecar.sidecar,
        tenant: "t1",
        user,
        facts: newFacts(),
      });
      const facts = await port.facts(null, signal);
      return facts.ok ? facts.value.tables.map(({ name, columns }) => [name, columns.map((one) => one.values)]) : facts;
    };
    expect(await read({})).toEqual([["orders", [null]]]);
    expect(await read({ tables: { deny: ["orders"] } })).toEqual([]);
    expect(await read({ samples: true })).toEqual([["orders", [null]]]);
  });

  it("says what is missing", async () => {
    const port = openDatabases({
      table: tableOf([database], "reader"),
      sidecar: null,
      tenant: "t1",
      user,
      facts: newFacts(),
    });
    expect(await port.query({ database: null, sql: "select 1", signal })).toMatchObject({
      error: { code: "not_available" },
    });
    const sealed = openDatabases({
      table: tableOf([database], null),
      sidecar: sidecar.sidecar,
      tenant: "t1",
      user,
      facts: newFacts(),
    });
    expect(await sealed.query({ database: null, sql: "select 1", signal })).toMatchObject({
      error: { code: "not_available", message: expect.stringContaining("dsn") },
    });
  });
});
