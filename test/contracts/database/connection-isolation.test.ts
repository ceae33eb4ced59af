/** A tenant with the ids of another tenant's connections and the names of its apps. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../../adapters/database/database.ts";
import type { Database } from "../../../core/ports/database.ts";
import type { AppClientTable } from "../../../core/ports/app-client-table.ts";
import type { ConnectionTable } from "../../../core/ports/connection-table.ts";
import { startTestDatabase, type TestDatabase } from "../../../scripts/database/test-database.ts";
import { valueOf } from "../value-of.ts";
import { type FilledTenant, fillTenant, SEAL, TOKENS } from "./filled-tenant.ts";
import { act, makeTenant } from "./rows.ts";

const missing = { ok: false, error: { code: "not_found" } };

let server: TestDatabase;
let database: Database;
let a: FilledTenant;
/** Tables of another tenant. */
let connections: ConnectionTable;
let apps: AppClientTable;

beforeAll(async () => {
  server = await startTestDatabase();
  database = openDatabase(server.url, server.endpoint);
  a = await fillTenant(database, server);
  const { tenant } = await makeTenant(database);
  connections = database.connections(tenant.id, SEAL);
  apps = database.appClients(tenant.id, SEAL);
});
afterAll(() => server.close());

test("reads none of them", async () => {
  expect(await connections.find(a.connection)).toMatchObject(missing);
  expect(await connections.tokens(a.connection)).toMatchObject(missing);
  for (const person of [null, a.person])
    expect(await connections.list({ person, all: true, limit: 10 })).toEqual({ ok: true, value: [] });
  expect(await connections.takeRevocation(a.connection)).toEqual({ ok: true, value: null });
  expect(await apps.all()).toEqual({ ok: true, value: [] });
  expect(await apps.find("spy")).toMatchObject(missing);
  expect(await apps.secrets("spy")).toMatchObject(missing);
});

test("changes and ends none of them, and has none of its people as an owner", async () => {
  const log = act("connection.update", a.connection);
  const consent = { tokens: null, label: null, scopes: null, unattended: false, settingsHash: "h" };
  const given = { ...consent, by: { person: null, name: "b" } };
  expect(await connections.ensure({ app: "spy", person: a.person, alias: null }, "oauth")).toMatchObject(missing);
  expect(await connections.complete(a.connection, given, log)).toMatchObject(missing);
  expect(await connections.settle(a.connection, "expired", "spite")).toMatchObject(missing);
  expect(await connections.change(a.connection, { delegates: true }, log)).toMatchObject(missing);
  expect(await connections.revoke(a.connection, log)).toMatchObject(missing);
  expect(await connections.remove(a.connection, log)).toMatchObject(missing);
  expect(await connections.revokeAll({}, log)).toEqual({ ok: true, value: 0 });
  expect(await connections.lease(a.connection, 1, 1_000)).toEqual({ ok: true, value: false });
  expect(await connections.storeTokens(a.connection, 1, TOKENS)).toEqual({ ok: true, value: false });
  const before = { settingsHash: "h", receipt: null };
  expect(await apps.replaceSecrets("spy", before, { client_secret: "s" })).toEqual({ ok: true, value: false });
  expect(await apps.remove("spy")).toMatchObject(missing);
  const own = database.connections(a.tenant.id, SEAL);
  expect(valueOf(await own.find(a.connection))).toMatchObject({
    status: "active",
    consent: 1,
    delegates: false,
    label: "spy",
  });
  expect(valueOf(await own.tokens(a.connection))).toEqual({ tokens: TOKENS, version: 1 });
  expect(valueOf(await database.appClients(a.tenant.id, SEAL).find("spy")).hasSecrets).toBe(false);
});
