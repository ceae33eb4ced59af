/** The rows of triggers, the outbox of their endings, and the subscription to their events. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openDatabase } from "../../../adapters/database/database.ts";
import type { Database } from "../../../core/ports/database.ts";
import type { Trigger } from "../../../core/triggers/trigger.ts";
import { startTestDatabase, type TestDatabase } from "../../../scripts/database/test-database.ts";
import { valueOf } from "../value-of.ts";
import { connectAccount } from "./connect-account.ts";
import { SEAL } from "./filled-tenant.ts";
import { act, makeTenant, newId, personOf, triggerRow } from "./rows.ts";

const PAGE = { after: null, limit: 10 };
const ALL = { person: null, isAdmin: true };
const FAR = Date.UTC(2100, 0, 1);
const MINUTE_MS = 60_000;
const RIVAL = { error: { code: "conflict" } };
const GONE = { error: { code: "not_found" } };

let server: TestDatabase;
let database: Database;
let tenant: string;
let person: string;
let connection: string;

beforeAll(async () => {
  server = await startTestDatabase();
  database = openDatabase(server.url, server.endpoint);
});
afterAll(() => server.close());
beforeEach(async () => {
  tenant = (await makeTenant(database)).tenant.id;
  const record = personOf("Ana");
  person = valueOf(await database.people.create(tenant, record, act("person.create", record.id))).id;
  await consent();
});

async function consent(): Promise<void> {
  const tokens = { kind: "account", providerId: newId("key") } as const;
  const table = database.connections(tenant, SEAL);
  connection = (await connectAccount(table, { app: "spy", person, tokens, settingsHash: "h" })).id;
}

/** Makes a trigger of the person's connection, which the provider has. */
async function make(settings: Readonly<Record<string, unknown>> = {}, agent?: string): Promise<Trigger> {
  const { id, config } = triggerRow(connection, settings);
  const row = { id, config: agent === undefined ? config : { ...config, agent }, owner: person, actsFor: person };
  const { version } = valueOf(await database.triggers.create(tenant, row, act("trigger.create", id)));
  const change = { id, version, state: "active", why: null, providerId: `ti_${id}` } as const;
  return valueOf(await database.triggers.change(tenant, change, null));
}

const read = (id: string) => database.triggers.get(tenant, id);
const listEndings = async () => valueOf(await database.triggers.takeEndings(FAR, 1_000, MINUTE_MS));

describe("a trigger", () => {
  test("is made once for its id, and once for a connection, an event and settings", async () => {
    const row = { ...triggerRow(connection, { a: 1, b: 2 }), owner: person, actsFor: null };
    const made = valueOf(await database.triggers.create(tenant, row, act("trigger.create", row.id)));
    expect(made).toMatchObject({ version: 1, state: "pending", providerId: null, owner: person, actsFor: null });
    expect(valueOf(await database.triggers.create(tenant, row, act("trigger.create", row.id)))).toEqual(made);
    const same = { ...triggerRow(connection, { b: 2, a: 1 }), owner: person, actsFor: null };
    expect(await database.triggers.create(tenant, same, act("trigger.create", same.id))).toMatchObject(RIVAL);
    expect(await make({ a: 2 })).toMatchObject({ state: "active", actsFor: { person, name: "Ana" } });
  });

  test("is changed at the version that was read, and listed for its owner and for administrators", async () => {
    const made = await make();
    const change = { id: made.id, version: 1, state: "paused", why: null, providerId: null } as const;
    expect(await database.triggers.change(tenant, change, null)).toMatchObject(RIVAL);
    expect(await database.triggers.change(tenant, { ...change, id: newId("trigger") }, null)).toMatchObject(GONE);
    const list = async (reader: { person: string | null; isAdmin: boolean; app?: string }) =>
      valueOf(await database.triggers.page(tenant, reader, PAGE)).items.map(({ id }) => id);
    expect(await list({ person, isAdmin: false })).toEqual([made.id]);
    expect(await list(ALL)).toEqual([made.id]);
    expect(await list({ person: null, isAdmin: false })).toEqual([]);
    expect(await list({ person: newId("person"), isAdmin: false })).toEqual([]);
    expect(await list({ ...ALL, app: "other" })).toEqual([]);
  });

  test("is found by the provider's id in the tenant that owns it, and not once that is erased", async () => {
    const { id, providerId } = await make();
    expect(valueOf(await database.triggers.findOwner(String(providerId)))).toEqual({ tenant, id });
    expect(await database.triggers.findOwner("ti_none")).toMatchObject(GONE);
    valueOf(await database.tenants.erase(tenant, act("tenant.erase", tenant)));
    expect(await database.triggers.findOwner(String(providerId))).toMatchObject(GONE);
    valueOf(await database.tenants.purge(tenant));
    expect(await listEndings()).toContain(providerId);
  });

  test("that was pending before a time is found, and no other", async () => {
    const row = { ...triggerRow(connection), owner: person, actsFor: null };
    valueOf(await database.triggers.create(tenant, row, act("trigger.create", row.id)));
    await make({ a: 1 });
    const find = async (before: number) =>
      valueOf(await database.triggers.pendingSince(before, 100)).filter((one) => one.tenant === tenant);
    expect(await find(FAR)).toEqual([{ tenant, id: row.id }]);
    expect(await find(0)).toEqual([]);
  });
});

describe("a trigger of the provider ends", () => {
  test("once its row is deleted, until the provider deleted it", async () => {
    const { id, providerId } = await make();
    expect(valueOf(await database.triggers.remove(tenant, id, act("trigger.delete", id)))).toMatchObject({ id });
    const now = Date.now() + MINUTE_MS;
    const take = async (at: number) =>
      valueOf(await database.triggers.takeEndings(at, 1_000, MINUTE_MS)).filter((one) => one === providerId);
    expect(await take(now)).toEqual([providerId]);
    expect(await take(now + MINUTE_MS - 1)).toEqual([]);
    expect(await take(now + MINUTE_MS)).toEqual([providerId]);
    expect(await take(now + 2 * MINUTE_MS)).toEqual([]);
    valueOf(await database.triggers.endEnding(String(providerId)));
    expect(await take(FAR)).toEqual([]);
  });

  test("and not if it is created again meanwhile", async () => {
    const { id, version, providerId } = await make();
    const stopped = { id, version, state: "stopped", why: "x", providerId: null } as const;
    valueOf(await database.triggers.change(tenant, stopped, null));
    const again = { id, version: version + 1, state: "active", why: null, providerId } as const;
    valueOf(await database.triggers.change(tenant, again, null));
    expect(await listEndings()).not.toContain(providerId);
  });

  test.each([
    ["revoked", "disconnected"],
    ["expired", "Connect it again"],
    ["active", "connected again"],
  ] as const)("when its connection becomes %s", async (status, why) => {
    const { id, providerId } = await make();
    const table = database.connections(tenant, SEAL);
    if (status === "revoked") valueOf(await table.revoke(connection, act("connection.revoke", connection)));
    else if (status === "expired") valueOf(await table.settle(connection, "expired", "x"));
    else await consent();
    const found = valueOf(await read(id));
    expect(found).toMatchObject({ state: "stopped", providerId: null, why: expect.stringContaining(why) });
    expect(await listEndings()).toContain(providerId);
  });

  test("with its agent, and with the person of its connection", async () => {
    const agent = newId("agent");
    const config = { name: "mailer", instructions: "x", tools: [], permissions: [] };
    valueOf(await database.agents.create(tenant, { id: agent, config }, act("agent.create", agent)));
    const [first, second] = [await make({}, agent), await make({ a: 1 })];
    valueOf(await database.agents.archive(tenant, agent, act("agent.archive", agent)));
    expect(await read(first.id)).toMatchObject(GONE);
    expect(valueOf(await read(second.id)).state).toBe("active");
    valueOf(await database.people.remove(tenant, person, act("person.delete", person)));
    expect(await read(second.id)).toMatchObject(GONE);
    expect(await listEndings()).toEqual(expect.arrayContaining([first.providerId, second.providerId]));
    // Their events are stored elsewhere, and end with them.
    const find = async (before: number) =>
      valueOf(await database.triggers.endedSince(before, 1_000)).filter((one) => one.tenant === tenant);
    expect(new Set((await find(FAR)).map(({ id }) => id))).toEqual(new Set([first.id, second.id]));
    expect(await find(0)).toEqual([]);
    for (const { id } of [first, second]) valueOf(await database.triggers.forgetEnded(id));
    expect(await find(FAR)).toEqual([]);
  });
});

test("the accounts of an owner and an app are found across tenants, and only active ones", async () => {
  const find = async (entity: string, app = "spy") =>
    valueOf(await database.triggers.connectionsOf(entity, app, 10)).map((one) => one.connection);
  expect(await find(`${tenant}.${person}`)).toEqual([connection]);
  expect(await find(`${tenant}.shared`)).toEqual([]);
  expect(await find(`${tenant}.${person}`, "other")).toEqual([]);
  valueOf(await database.connections(tenant, SEAL).settle(connection, "expired", "x"));
  expect(await find(`${tenant}.${person}`)).toEqual([]);
});

test("a subscription has one changer at a time, and the three secrets before the present one", async () => {
  const { subscriptions } = database;
  expect(valueOf(await subscriptions.find(tenant))).toBeNull();
  expect(valueOf(await subscriptions.claim(tenant, 1_000, 2_000))).toBe(true);
  expect(valueOf(await subscriptions.claim(tenant, 1_500, 9_000))).toBe(false);
  expect(valueOf(await subscriptions.find(tenant))).toBeNull();
  expect(valueOf(await subscriptions.claim(tenant, 2_000, 3_000))).toBe(true);
  const row = { providerId: "ws_1", url: "https://otto.example" };
  for (const at of [1, 2, 3, 4, 5])
    valueOf(await subscriptions.store(tenant, { ...row, sealed: `s${at}`, oldUntil: at }, at));
  const old = [5, 4, 3].map((until) => ({ sealed: `s${until - 1}`, until }));
  expect(valueOf(await subscriptions.find(tenant))).toEqual({ ...row, sealed: "s5", old, claimedUntil: null });
  expect(valueOf(await subscriptions.claim(tenant, 1_000, 2_000))).toBe(true);
  expect(valueOf(await subscriptions.find(tenant))).toMatchObject({ claimedUntil: 2_000 });
  valueOf(await subscriptions.release(tenant));
  expect(valueOf(await subscriptions.find(tenant))).toMatchObject({ claimedUntil: null });
});
