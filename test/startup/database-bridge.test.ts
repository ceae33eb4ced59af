import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { neon, neonConfig } from "@neondatabase/serverless";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBridge } from "../../scripts/database/bridge.ts";
import { MigrationRefused, migrate } from "../../scripts/database/migrate.ts";
import type { SqlBackend } from "../../scripts/database/sql-backend.ts";
import { openEmptyDatabase, startTestDatabase, type TestDatabase } from "../../scripts/database/test-database.ts";

const FIRST = `
  CREATE EXTENSION IF NOT EXISTS vector;
  CREATE TABLE notes (id serial PRIMARY KEY, tenant text NOT NULL, text text UNIQUE, place vector(2));
  ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
  CREATE POLICY own ON notes USING (tenant = nullif(current_setting('app.tenant', true), ''));
  GRANT SELECT, INSERT, UPDATE, DELETE ON notes TO otto_app;
  GRANT USAGE ON SEQUENCE notes_id_seq TO otto_app;
`;

let folder: string;
let database: TestDatabase;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "otto-migrations-"));
  await writeFile(join(folder, "0001_notes.sql"), FIRST);
  database = await startTestDatabase(folder);
  neonConfig.fetchEndpoint = database.endpoint;
});

afterAll(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

function as(tenant: string) {
  const sql = neon(database.url);
  return (query: string, params: unknown[] = []) =>
    sql
      .transaction([sql`SELECT set_config('app.tenant', ${tenant}, true)`, sql.query(query, params)])
      .then((all) => all[1]);
}

describe("the bridge", () => {
  it("answers the driver with values of the right types", async () => {
    const sql = neon(database.url);
    const [row] = await sql`SELECT ${7}::int AS i, ${"é\u{1F600}"}::text AS t, ${true}::bool AS b, ${null}::text AS n,
      ARRAY[1, 2] AS a, '{"x": [1]}'::jsonb AS j, '2026-01-02T03:04:05Z'::timestamptz AS w, '\\x00ff'::bytea AS y`;
    expect(row).toEqual({
      i: 7,
      t: "é\u{1F600}",
      b: true,
      n: null,
      a: [1, 2],
      j: { x: [1] },
      w: new Date("2026-01-02T03:04:05Z"),
      y: Buffer.from([0, 255]),
    });
  });

  it("describes the result as Postgres does", async () => {
    const sql = neon(database.url, { fullResults: true });
    await as("ten_a")("INSERT INTO notes (tenant, text) VALUES ('ten_a', 'counted'), ('ten_a', 'counted too')");
    const result = await sql`SELECT 1 AS one WHERE false`;
    expect(result).toMatchObject({ command: "SELECT", rowCount: 0, rows: [] });
    expect(result.fields[0]).toMatchObject({ name: "one", dataTypeID: 23, dataTypeSize: 4 });
    const inserted = await sql.transaction([
      sql`SELECT set_config('app.tenant', 'ten_a', true)`,
      sql`DELETE FROM notes WHERE text LIKE 'counted%'`,
    ]);
    expect(inserted[1]).toMatchObject({ command: "DELETE", rowCount: 2 });
  });

  it("runs as a role that row-level security binds", async () => {
    await as("ten_a")("INSERT INTO notes (tenant, text) VALUES ('ten_a', 'mine')");
    expect(await as("ten_a")("SELECT text FROM notes")).toEqual([{ text: "mine" }]);
    expect(await as("ten_b")("SELECT text FROM notes")).toEqual([]);
    expect(await neon(database.url)`SELECT text FROM notes`).toEqual([]);
    await expect(as("ten_b")("INSERT INTO notes (tenant, text) VALUES ('ten_a', 'planted')")).rejects.toMatchObject({
      code: "42501",
    });
    const [me] = await neon(
      database.url,
    )`SELECT current_user AS name, rolsuper OR rolbypassrls AS free FROM pg_roles WHERE rolname = current_user`;
    expect(me).toEqual({ name: "otto_app", free: false });
    expect(await neon(database.ownerUrl)`SELECT count(*)::int AS n FROM notes`).toEqual([{ n: 1 }]);
  });

  it("runs a batch in one transaction", async () => {
    const sql = neon(database.url);
    const batch = sql.transaction([
      sql`SELECT set_config('app.tenant', 'ten_c', true)`,
      sql`INSERT INTO notes (tenant, text) VALUES ('ten_c', 'once')`,
      sql`INSERT INTO notes (tenant, text) VALUES ('ten_c', 'once')`,
    ]);
    await expect(batch).rejects.toMatchObject({ code: "23505", constraint: "notes_text_key", severity: "ERROR" });
    expect(await as("ten_c")("SELECT text FROM notes")).toEqual([]);
  });

  it("honours isolation level and read-only", async () => {
    const sql = neon(database.url);
    const [level] = await sql.transaction([sql`SHOW transaction_isolation`], {
      isolationLevel: "Serializable",
      readOnly: true,
    });
    expect(level).toEqual([{ transaction_isolation: "serializable" }]);
    const write = sql.transaction([sql`INSERT INTO notes (tenant) VALUES ('x')`], { readOnly: true });
    await expect(write).rejects.toMatchObject({ code: "25006" });
  });

  it("knows no isolation level but Postgres's", async () => {
    const { url } = database;
    const headers = { "neon-connection-string": url, "neon-raw-text-output": "true" };
    for (const level of ["constructor", "__proto__", "serializable"]) {
      const response = await fetch(database.endpoint, {
        method: "POST",
        headers: { ...headers, "neon-batch-isolation-level": level },
        body: JSON.stringify({ queries: [{ query: "SELECT 1", params: [] }] }),
      });
      expect([response.status, await response.text()]).toEqual([
        400,
        expect.stringContaining("unknown isolation level"),
      ]);
    }
  });

  it("retains no session setting of a request", async () => {
    await expect(neon(database.url)`SELECT set_config('app.tenant', 'ten_a', false)`).rejects.toThrow("may not set");
    await neon(database.url)`SELECT set_config('app.tenant', 'ten_a', true)`;
    expect(await neon(database.url)`SELECT text FROM notes`).toEqual([]);
  });

  it.each([
    "RESET ROLE",
    "SET ROLE postgres",
    " /* x */ set session authorization default",
    "-- note\nCOMMIT",
    "SET LOCAL ROLE postgres",
    "BEGIN",
    "DISCARD ALL",
    "Rollback",
  ])("refuses %s, which would change role or transaction", async (query) => {
    await expect(neon(database.url).query(query)).rejects.toThrow("one transaction in one role");
  });

  it("has the bound role as the session's user", async () => {
    const [me] = await neon(
      database.url,
    )`SELECT session_user AS session, current_user AS now, current_setting('is_superuser') AS free`;
    expect(me).toEqual({ session: "otto_app", now: "otto_app", free: "off" });
  });

  it.each([
    "SELECT set_config('role', 'postgres', false)",
    "SELECT set_config('ROLE', 'none', true)",
    "SELECT set_config('session_' || 'authorization', 'postgres', true)",
    "SELECT pg_catalog.set_config('role', 'postgres', true)",
    "SELECT pg_catalog.set_config('session_authorization', 'postgres', false)",
    // Every role may update this view, whose rule calls the function.
    "UPDATE pg_settings SET setting = 'postgres' WHERE name = 'role'",
    "UPDATE pg_catalog.pg_settings SET setting = 'postgres' WHERE name = 'session_authorization'",
    "UPDATE pg_settings SET setting = 'off' WHERE name = 'row_security'",
    "DO $$ BEGIN SET LOCAL SESSION AUTHORIZATION postgres; END $$",
    "CREATE FUNCTION pg_temp.f() RETURNS int LANGUAGE sql SET role = 'postgres' AS 'SELECT 1'",
    "CREATE FUNCTION public.f() RETURNS int LANGUAGE sql SET role = 'postgres' AS 'SELECT 1'",
  ])("refuses %s to the bound role, and the next statement is bound", async (query) => {
    const sql = neon(database.url);
    await expect(sql.query(query)).rejects.toMatchObject({ code: "42501" });
    const both = sql.transaction([sql.query(query), sql`SELECT text FROM notes`]);
    await expect(both).rejects.toMatchObject({ code: "42501" });
    expect(await sql`SELECT session_user AS name`).toEqual([{ name: "otto_app" }]);
    expect(await neon(database.ownerUrl)`SELECT session_user AS name`).toEqual([{ name: "postgres" }]);
  });

  it("refuses several statements in one query", async () => {
    await expect(neon(database.url).query("SELECT 1; SELECT 2")).rejects.toMatchObject({ code: "42601" });
  });

  it("serves on after a query that failed", async () => {
    await expect(neon(database.url)`SELECT 1 / 0`).rejects.toMatchObject({ code: "22012" });
    await expect(neon(database.url).query("SELEC")).rejects.toMatchObject({ code: "42601", position: "1" });
    expect(await neon(database.url)`SELECT 1 AS one`).toEqual([{ one: 1 }]);
  });

  it("serves many requests at once", async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => neon(database.url)`SELECT ${i}::int AS i`));
    expect(answers.map((rows) => rows[0]?.["i"])).toEqual(Array.from({ length: 100 }, (_, i) => i));
  });

  it.each([
    ["postgres://otto_app:wrong@x.localhost/otto", 401],
    ["postgres://otto_owner:wrong@x.localhost/otto", 401],
    ["postgres://postgres@x.localhost/otto", 401],
    ["nothing", 401],
  ])("turns away %s", async (connection, status) => {
    const response = await fetch(database.endpoint, {
      method: "POST",
      headers: { "neon-connection-string": connection, "neon-raw-text-output": "true" },
      body: JSON.stringify({ query: "SELECT 1", params: [] }),
    });
    expect(response.status).toBe(status);
  });

  it("turns away the owner where no owner's password is set", async () => {
    const refusing: SqlBackend = {
      transact: () => Promise.reject(new Error("reached the database")),
      asOwner: () => Promise.reject(new Error("reached the database")),
      close: () => Promise.resolve(),
    };
    const bridge = await startBridge({ backend: refusing, port: 0, appPassword: "a", ownerPassword: null });
    const response = await fetch(bridge.endpoint, {
      method: "POST",
      headers: { "neon-connection-string": "postgres://otto_owner:a@x.localhost/otto" },
      body: "{}",
    });
    expect(response.status).toBe(401);
    await bridge.close();
  });

  it.each([
    "",
    "{",
    "[]",
    "{}",
    '{"query": 1}',
    '{"query": "SELECT 1", "params": 1}',
    '{"queries": 1}',
    '{"queries": [1]}',
  ])("answers 400 to the body %j", async (body) => {
    const response = await fetch(database.endpoint, {
      method: "POST",
      headers: { "neon-connection-string": database.url, "neon-raw-text-output": "true" },
      body,
    });
    expect(response.status).toBe(400);
  });
});

describe("migrations", () => {
  let backend: SqlBackend;
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "otto-migrate-"));
    await writeFile(join(directory, "0001_first.sql"), "CREATE TABLE one (a int); INSERT INTO one VALUES (1);");
    backend = await openEmptyDatabase();
  });

  afterAll(async () => {
    await backend.close();
    await rm(directory, { recursive: true });
  });

  const run = () => migrate(backend, { folder: directory, appPassword: null });

  it("are applied once, in order", async () => {
    expect(await run()).toEqual(["0001_first.sql"]);
    expect(await run()).toEqual([]);
    await writeFile(join(directory, "0002_second.sql"), "ALTER TABLE one ADD COLUMN b int");
    expect(await run()).toEqual(["0002_second.sql"]);
  });

  it("that fail store nothing", async () => {
    await writeFile(join(directory, "0003_broken.sql"), "CREATE TABLE half (a int); SELECT 1 / 0;");
    await expect(run()).rejects.toThrow("division by zero");
    await writeFile(join(directory, "0003_broken.sql"), "CREATE TABLE half (a int)");
    expect(await run()).toEqual(["0003_broken.sql"]);
  });

  it("that changed after they were applied are refused", async () => {
    await writeFile(join(directory, "0003_broken.sql"), "CREATE TABLE half (a text)");
    await expect(run()).rejects.toThrow(MigrationRefused);
    await writeFile(join(directory, "0003_broken.sql"), "CREATE TABLE half (a int)");
  });

  it("with the same number, or without one, are refused", async () => {
    await writeFile(join(directory, "0003_again.sql"), "SELECT 1");
    await expect(run()).rejects.toThrow("two with the number 0003");
    await rm(join(directory, "0003_again.sql"));
    await writeFile(join(directory, "later.sql"), "SELECT 1");
    await expect(run()).rejects.toThrow("is named");
    await rm(join(directory, "later.sql"));
  });

  it("of a newer Otto are noticed", async () => {
    await rm(join(directory, "0003_broken.sql"));
    await expect(run()).rejects.toThrow("newer Otto");
  });

  it("make a role that may log in where a password is given", async () => {
    const other = await openEmptyDatabase();
    await migrate(other, { folder, appPassword: "it's" });
    const { rows } = await other.asOwner((owner) =>
      owner.query({
        query: "SELECT rolcanlogin, rolsuper, rolbypassrls FROM pg_roles WHERE rolname = 'otto_app'",
        params: [],
      }),
    );
    expect(rows).toEqual([["t", "f", "f"]]);
    await other.close();
  });
});
