/** The rows that a tenant's object compares itself with and rebuilds, and those that retention reads. */
import { neon, neonConfig } from "@neondatabase/serverless";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDatabase } from "../../../adapters/database/database.ts";
import type { Database } from "../../../core/ports/database.ts";
import { startTestDatabase, type TestDatabase } from "../../../scripts/database/test-database.ts";
import { act, configOf, makeTenant, newId, newKey, newTenant, report, scheduleRow, secretOf, START } from "./rows.ts";
import { valueOf } from "../value-of.ts";

let server: TestDatabase;
let database: Database;

beforeAll(async () => {
  server = await startTestDatabase();
  database = openDatabase(server.url, server.endpoint);
});
afterAll(() => server.close());

async function asOwner(statement: string, ...values: unknown[]): Promise<void> {
  neonConfig.fetchEndpoint = server.endpoint;
  await neon(server.ownerUrl, { disableWarningInBrowsers: true }).query(statement, values);
}

const read = async (tenant: string) => valueOf(await database.recovery.read(tenant));

describe("the counter", () => {
  test("advances with a batch from the object's number or one behind it, and from no other", async () => {
    const { tenant } = await makeTenant(database);
    const send = async (counter: number) => valueOf(await database.tasks.upsert(tenant.id, [report()], counter));
    expect(await send(0)).toEqual({ isTogether: true });
    // The object did not hear that the batch was taken.
    expect(await send(0)).toEqual({ isTogether: true });
    expect((await read(tenant.id))?.counter).toBe(1);
    expect(await send(1)).toEqual({ isTogether: true });
    expect(await send(0)).toEqual({ isTogether: false });
    expect(await send(3)).toEqual({ isTogether: false });
    expect((await read(tenant.id))?.counter).toBe(2);
    expect(valueOf(await database.tasks.upsert(tenant.id, [], 2))).toEqual({ isTogether: true });
  });

  test("does not advance where there is no row, or an erased one", async () => {
    const { tenant } = await makeTenant(database);
    expect(valueOf(await database.tasks.upsert(newTenant().id, [report()], 0))).toEqual({ isTogether: false });
    valueOf(await database.tenants.erase(tenant.id, act("tenant.erase", tenant.id)));
    expect(valueOf(await database.tasks.upsert(tenant.id, [report()], 0))).toEqual({ isTogether: false });
    expect(await read(tenant.id)).toMatchObject({ isErased: true });
    expect(await read(newTenant().id)).toBeNull();
  });
});

describe("what is rebuilt", () => {
  test("is a row under its counter, and keys that are absent, revoked ones as revoked", async () => {
    const tenant = newTenant();
    valueOf(await database.recovery.restoreTenant(tenant, 7));
    expect(await read(tenant.id)).toMatchObject({ name: "Acme", counter: 7, isErased: false });
    for (const counter of [9, 8]) valueOf(await database.recovery.restoreTenant({ ...tenant, name: "Other" }, counter));
    expect(await read(tenant.id)).toMatchObject({ name: "Acme", counter: 9 });
    const [live, revoked, bound] = [newKey(tenant.id), newKey(tenant.id), newKey(tenant.id)];
    const keys = [
      live,
      { ...revoked, key: { ...revoked.key, revokedAt: START + 1 } },
      { ...bound, key: { ...bound.key, projects: ["sales"] } },
    ];
    expect(valueOf(await database.recovery.restoreKeys(tenant.id, keys))).toEqual({ created: 3, refused: [] });
    expect(valueOf(await database.recovery.restoreKeys(tenant.id, keys))).toEqual({ created: 0, refused: [] });
    expect(valueOf(await database.keys.findByHash(tenant.id, live.hash)).id).toBe(live.key.id);
    expect(valueOf(await database.keys.findByHash(tenant.id, bound.hash)).projects).toEqual(["sales"]);
    expect(await database.keys.findByHash(tenant.id, revoked.hash)).toMatchObject({ error: { code: "not_found" } });
  });

  test("is each key whose hash no other tenant has, and a revoked one is revoked again", async () => {
    const [{ tenant }, other] = [await makeTenant(database), newTenant()];
    const [taken, free, revoked] = [newKey(tenant.id), newKey(tenant.id), newKey(tenant.id)];
    valueOf(
      await database.tenants.create(other, { ...newKey(other.id), hash: taken.hash }, act("tenant.create", other.id)),
    );
    const restored = await database.recovery.restoreKeys(tenant.id, [taken, free, revoked]);
    expect(valueOf(restored)).toEqual({ created: 2, refused: [taken.key.id] });
    expect(valueOf(await database.keys.findByHash(tenant.id, free.hash)).id).toBe(free.key.id);
    valueOf(await database.recovery.restoreRevoked(tenant.id, [{ id: revoked.key.id, at: START + 5 }]));
    valueOf(await database.recovery.restoreRevoked(tenant.id, [{ id: revoked.key.id, at: START + 9 }]));
    expect(valueOf(await database.keys.get(tenant.id, revoked.key.id)).revokedAt).toBe(START + 5);
    expect(valueOf(await database.keys.get(tenant.id, free.key.id)).revokedAt).toBeNull();
  });

  test("is not the row of an erased tenant", async () => {
    const { tenant } = await makeTenant(database);
    valueOf(await database.tenants.erase(tenant.id, act("tenant.erase", tenant.id)));
    valueOf(await database.recovery.restoreTenant(tenant, 9));
    expect(await read(tenant.id)).toMatchObject({ isErased: true, counter: 0 });
  });

  test("is a schedule whose row is gone; a row that is there takes a later report alone", async () => {
    const { tenant } = await makeTenant(database);
    const row = scheduleRow(tenant.id);
    valueOf(await database.schedules.restore(tenant.id, { ...row, report: 4 }));
    const later = { ...row.state, paused: true };
    valueOf(await database.schedules.restore(tenant.id, { ...row, state: later, report: 4 }));
    const listed = async () => valueOf(await database.schedules.page(tenant.id, { after: null, limit: 10 })).items;
    expect(await listed()).toEqual([row.state]);
    valueOf(await database.schedules.restore(tenant.id, { ...row, state: later, report: 5 }));
    expect(await listed()).toEqual([later]);
    valueOf(await database.schedules.restore(newTenant().id, row));
  });
});

test("what is counted is the tenant's own, and losses of all tenants come together for thirty days", async () => {
  const { tenant } = await makeTenant(database);
  const agent = { id: newId("agent"), config: configOf("counted") };
  valueOf(await database.agents.create(tenant.id, agent, act("agent.create", agent.id)));
  const secret = secretOf("KEY");
  valueOf(await database.secrets.create(tenant.id, secret, act("secret.create", secret.id)));
  expect((await read(tenant.id))?.inventory).toMatchObject({ agents: 1, secrets: 1, keys: 1, people: 0, projects: 0 });
  expect((await read(tenant.id))?.inventory.connections).toBe(0);
  const seal = { seal: () => Promise.resolve("sealed"), open: () => Promise.resolve(null) };
  const connections = database.connections(tenant.id, seal);
  const [used, never, ended] = await Promise.all(
    ["used", "never", "ended"].map(async (app) =>
      valueOf(await connections.ensure({ app, person: null, alias: null }, "key")),
    ),
  );
  for (const id of [used?.id ?? "", ended?.id ?? ""]) {
    const consent = { tokens: null, label: null, scopes: null, unattended: false, settingsHash: "h" };
    const by = { person: null, name: "a key" };
    valueOf(await connections.complete(id, { ...consent, by }, act("connection.connect", id)));
  }
  valueOf(await connections.revoke(ended?.id ?? "", act("connection.revoke", ended?.id ?? "")));
  expect(never?.status).toBe("new");
  expect((await read(tenant.id))?.inventory.connections).toBe(1);
  const other = (await makeTenant(database)).tenant;
  expect((await read(other.id))?.inventory).toMatchObject({ agents: 0, secrets: 0, keys: 1 });
  valueOf(await database.recovery.note(tenant.id, { phase: "tasks", lost: { agents: 2 }, startedAt: START }));
  valueOf(
    await database.recovery.note(other.id, { phase: "done", lost: { agents: 1, keys: 3 }, startedAt: START + 10 }),
  );
  expect(valueOf(await database.recovery.summary(START))).toEqual({ running: 1, lost: { agents: 3, keys: 3 } });
  expect(valueOf(await database.recovery.summary(START + 1)).lost).toEqual({ agents: 1, keys: 3 });
});

test("a statement that needs a tenant's row which is lost is to be sent again", async () => {
  const { tenant } = await makeTenant(database);
  await asOwner("delete from keys where tenant = $1", tenant.id);
  await asOwner("delete from tenants where id = $1", tenant.id);
  const agent = { id: newId("agent"), config: configOf("early") };
  expect(await database.agents.create(tenant.id, agent, act("agent.create", agent.id))).toMatchObject({
    error: { code: "upstream_failed", retryAfterMs: expect.any(Number) },
  });
});

test("the ids of a tenant's rows come in order, hidden ones too", async () => {
  const { tenant } = await makeTenant(database);
  const rows = [report(), report({ hidden: true }), report()];
  valueOf(await database.tasks.upsert(tenant.id, rows));
  const ids = rows.map(({ task }) => task).toSorted();
  expect(valueOf(await database.tasks.ids(tenant.id, null, 2))).toEqual(ids.slice(0, 2));
  expect(valueOf(await database.tasks.ids(tenant.id, ids[1] ?? "", 2))).toEqual(ids.slice(2));
});
