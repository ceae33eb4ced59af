/** What the sweep finds to do for connections of all tenants, what is sealed in their rows, and a tenant's erasure. */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openRowSeal } from "../../../adapters/connections/row-seal.ts";
import { openReseal, ResealedValues } from "../../../adapters/secrets/resealing.ts";
import { openSealing } from "../../../adapters/secrets/sealing.ts";
import { getHeaderText, parseKeyRing } from "../../../core/secrets/key-ring.ts";
import type { ConnectionTable } from "../../../core/ports/connection-table.ts";
import { valueOf } from "../value-of.ts";
import { openTenant, type SealedDatabase, startSealedDatabase, type TenantConnections } from "./connection-tables.ts";
import { act, newId, personOf, report, scheduleRow } from "./rows.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let sealed: SealedDatabase;
let at: TenantConnections;
let table: ConnectionTable;
let ana: string;

beforeAll(async () => {
  sealed = await startSealedDatabase();
});
afterAll(() => sealed.server.close());
beforeEach(async () => {
  at = await openTenant(sealed);
  ({ table } = at);
  ana = await at.addPerson("Ana");
});

async function connect(app: string, person: string | null, unattended: boolean): Promise<string> {
  const { id } = valueOf(await table.ensure({ app, person, alias: null }, "oauth"));
  const tokens = { kind: "oauth" as const, access: "canary-a", refresh: "canary-r", expiresAt: null, issuer: null };
  const consent = { tokens, label: null, scopes: null, unattended, settingsHash: "h", by: { person, name: "x" } };
  valueOf(await table.complete(id, consent, act("connection.connect", id)));
  return id;
}

describe("a check is due", () => {
  const due = async () => {
    const found = valueOf(await sealed.database.connectionJobs.toCheck(Date.now(), 100));
    return found.filter(({ tenant }) => tenant === at.tenant).map(({ connection }) => connection);
  };

  test("a day after the last one, of what is used while its owner is away and works", async () => {
    const [away, shared] = [await connect("crm", ana, true), await connect("crm", null, false)];
    await connect("mail", ana, false);
    const ended = await connect("books", ana, true);
    valueOf(await table.settle(ended, "expired", "refused"));
    await at.passTime(23 * HOUR_MS);
    expect(await due()).toEqual([]);
    await at.passTime(HOUR_MS + MINUTE_MS);
    expect((await due()).toSorted()).toEqual([away, shared].toSorted());
    valueOf(await table.markChecked(away));
    expect(await due()).toEqual([shared]);
  });

  test("an hour before a schedule that acts for its owner, not more than once an hour", async () => {
    const [away, shared] = [await connect("crm", ana, true), await connect("crm", null, false)];
    const bob = await at.addPerson("Bob");
    const ofBob = await connect("crm", bob, true);
    await at.passTime(2 * HOUR_MS);
    const row = { ...scheduleRow(at.tenant), wakeAt: Date.now() + 90 * MINUTE_MS };
    valueOf(await sealed.database.schedules.create(at.tenant, row, act("schedule.create", row.state.id)));
    await sealed.asOwner("update schedules set acts_for = $2 where tenant = $1", at.tenant, ana);
    expect(await due()).toEqual([]);
    await sealed.asOwner("update schedules set wake_at = now() + interval '50 minutes' where tenant = $1", at.tenant);
    expect((await due()).toSorted()).toEqual([away, shared].toSorted());
    for (const id of [away, shared]) valueOf(await table.markChecked(id));
    expect(await due()).not.toContain(ofBob);
    expect(await due()).toEqual([]);
  });

  test("the longest unchecked first, and at most as many as are asked for", async () => {
    const first = await connect("crm", null, false);
    await at.passTime(40 * 24 * HOUR_MS);
    await connect("mail", null, false);
    await at.passTime(40 * 24 * HOUR_MS);
    const found = valueOf(await sealed.database.connectionJobs.toCheck(Date.now(), 1));
    expect(found).toEqual([{ tenant: at.tenant, connection: first }]);
  });
});

test("a revocation is due from the start, and again at its next attempt, until it is confirmed", async () => {
  const jobs = sealed.database.connectionJobs;
  const due = async (now: number) =>
    valueOf(await jobs.revocationsDue(now, 100)).filter(({ tenant }) => tenant === at.tenant);
  const id = await connect("crm", ana, false);
  expect(await due(Date.now() + HOUR_MS)).toEqual([]);
  valueOf(await table.revoke(id, act("connection.revoke", id)));
  expect(await due(Date.now() + 1)).toEqual([{ tenant: at.tenant, connection: id }]);
  const taken = valueOf(await table.takeRevocation(id));
  expect(await due(Date.now() + 1)).toEqual([]);
  expect(await due(Date.now() + 2 * MINUTE_MS)).toHaveLength(1);
  valueOf(await table.endRevocation(id, taken ?? { receipt: "" }));
  expect(await due(Date.now() + 365 * 24 * HOUR_MS)).toEqual([]);
});

test("a sign-in that nobody finished is due once it has expired, and once with what waits besides", async () => {
  const due = async (now: number) =>
    valueOf(await sealed.database.connectionJobs.revocationsDue(now, 100)).filter(({ tenant }) => tenant === at.tenant);
  const [id, other] = [await connect("crm", ana, false), await connect("mail", ana, false)];
  valueOf(await table.revoke(id, act("connection.revoke", id)));
  const flow = { nonce: "n", verifier: "v", issuer: null, redirectUrl: "", until: Date.now() + 15 * MINUTE_MS };
  const begun = { ...flow, unattended: false, by: { person: ana, name: "Ana" } };
  for (const app of ["crm", "mail"]) {
    const account = { providerId: `ca_${app}`, entity: "e" };
    const owned = { app, person: ana, alias: null };
    valueOf(await table.beginFlow(owned, { createdAt: Date.now(), nonce: "link" }, { ...begun, account }));
  }
  expect(await due(Date.now() + MINUTE_MS)).toEqual([{ tenant: at.tenant, connection: id }]);
  expect(await due(Date.now() + 16 * MINUTE_MS)).toEqual(
    [id, other].map((connection) => ({ tenant: at.tenant, connection })),
  );
  expect(valueOf(await sealed.database.connectionJobs.revocationsDue(Date.now() + 16 * MINUTE_MS, 1))).toHaveLength(1);
});

describe("a task that waits for a connection", () => {
  const ready = async () => {
    const found = valueOf(await sealed.database.connectionJobs.waitsReady(500));
    return found.filter(({ tenant }) => tenant === at.tenant).map(({ app, person }) => ({ app, person }));
  };

  async function wait(app: string, person: string | null, since: number): Promise<void> {
    const row = report();
    valueOf(await sealed.database.tasks.upsert(at.tenant, [row]));
    const question = { id: newId("question"), kind: "question", person: null, person_id: ana, since };
    const waits = JSON.stringify([
      question,
      { id: "cnw_1", kind: "connection", app, person: "Ana", person_id: person, since },
    ]);
    await sealed.asOwner(
      "update tasks set waits = $2::jsonb where tenant = $1 and id = $3",
      at.tenant,
      waits,
      row.task,
    );
  }

  test("is found once its connection is active, with others that wait for the same one", async () => {
    for (const person of [ana, ana, null]) await wait("crm", person, Date.now());
    await wait("mail", ana, Date.now());
    expect(await ready()).toEqual([]);
    await connect("crm", await at.addPerson("Bob"), true);
    expect(await ready()).toEqual([]);
    const id = await connect("crm", ana, false);
    expect(await ready()).toEqual([{ app: "crm", person: ana }]);
    await connect("crm", null, false);
    expect(await ready()).toHaveLength(2);
    valueOf(await table.revoke(id, act("connection.revoke", id)));
    expect(await ready()).toEqual([{ app: "crm", person: null }]);
  });

  test("is not found for an active connection that did not change since", async () => {
    const id = await connect("crm", ana, false);
    await at.passTime(HOUR_MS);
    await wait("crm", ana, Date.now());
    expect(await ready()).toEqual([]);
    valueOf(await table.change(id, { unattended: true }, act("connection.update", id)));
    expect(await ready()).toEqual([{ app: "crm", person: ana }]);
  });
});

describe("what is sealed", () => {
  test("is stored nowhere unsealed, also what waits to be revoked, and opens for its tenant and row alone", async () => {
    const [id, other] = [await connect("crm", ana, false), await connect("mail", ana, false)];
    const owned = { app: "mail", person: ana, alias: null };
    const flow = { nonce: "canary-n", verifier: "canary-v", issuer: null, redirectUrl: "https://otto.example" };
    const begun = { ...flow, until: Date.now() + MINUTE_MS, unattended: false, by: { person: ana, name: "Ana" } };
    valueOf(await table.beginFlow(owned, { createdAt: Date.now(), nonce: "link" }, begun));
    const rowsOf = async () =>
      JSON.stringify(await sealed.asOwner("select * from entity_connections where tenant = $1", at.tenant));
    expect(await rowsOf()).not.toContain("canary");
    await sealed.asOwner(
      `update entity_connections set sealed = (select sealed from entity_connections where tenant = $1 and id = $2)
       where tenant = $1 and id = $3`,
      at.tenant,
      id,
      other,
    );
    expect(await table.tokens(other)).toMatchObject({ error: { code: "not_available" } });
    // A flow is no token set.
    await sealed.asOwner("update entity_connections set sealed = flow where tenant = $1 and id = $2", at.tenant, other);
    expect(await table.tokens(other)).toMatchObject({ error: { code: "not_available" } });
    valueOf(await table.revoke(id, act("connection.revoke", id)));
    expect(await rowsOf()).not.toContain("canary");
    expect(valueOf(await table.takeRevocation(id))?.tokens).toMatchObject({ access: "canary-a" });
  });

  test("is sealed with the present key when it is used, so that the earlier key can be removed", async () => {
    const { database } = sealed;
    const [first, second] = [0, 1].map(() => randomBytes(32).toString("base64"));
    if (first === undefined || second === undefined) throw new Error("there are two");
    const unused = () => Promise.resolve();
    const seal = openRowSeal({ tenant: at.tenant, sealing: openSealing(first), reseal: unused });
    table = database.connections(at.tenant, seal);
    const id = await connect("crm", ana, false);
    const sealing = openSealing(second, first);
    const values = { values: database.sealed, resealed: new ResealedValues(), clock: { now: Date.now } };
    const later = openRowSeal({ tenant: at.tenant, sealing, reseal: openReseal({ sealing, ...values }) });
    const forget = async () => valueOf(await database.sealed.forget(getHeaderText(parseKeyRing(first, null)[0])));
    expect(await forget()).toBe(false);
    const used = database.connections(at.tenant, later);
    expect(valueOf(await used.tokens(id))).toMatchObject({ tokens: { access: "canary-a" }, version: 1 });
    expect(await forget()).toBe(true);
    expect(valueOf(await used.lease(id, 1, 1_000))).toBe(true);
    expect(valueOf(await used.tokens(id)).version).toBe(1);
  });

  test("is not lost to a revocation while its key is missing", async () => {
    const id = await connect("crm", ana, false);
    valueOf(await table.revoke(id, act("connection.revoke", id)));
    const away = sealed.database.connections(at.tenant, {
      ...sealed.sealOf(at.tenant),
      open: () => Promise.resolve(null),
    });
    expect(valueOf(await away.takeRevocation(id))).toBeNull();
    await at.passTime(2 * MINUTE_MS);
    expect(valueOf(await table.takeRevocation(id))).toMatchObject({ attempt: 2 });
  });
});

test("an erased tenant's connections can be revoked once more, and go with it", async () => {
  const { database } = sealed;
  const [id, shared] = [await connect("crm", ana, true), await connect("crm", null, false)];
  const { tenant } = at;
  expect(valueOf(await table.revokeAll({}, act("connection.revoke", tenant)))).toBe(2);
  valueOf(await database.tenants.erase(tenant, act("tenant.erase", tenant)));
  const due = valueOf(await database.connectionJobs.revocationsDue(Date.now() + 1, 100));
  expect(
    due
      .filter((one) => one.tenant === tenant)
      .map(({ connection }) => connection)
      .toSorted(),
  ).toEqual([id, shared].toSorted());
  expect(valueOf(await table.takeRevocation(id))?.attempt).toBe(1);
  valueOf(await database.tenants.purge(tenant));
  expect(await sealed.asOwner("select id from entity_connections where tenant = $1", tenant)).toEqual([]);
  expect(await sealed.asOwner("select id from people where tenant = $1", tenant)).toEqual([]);
});

test("no check and no wait of an erased tenant is found", async () => {
  const { database } = sealed;
  const person = personOf("Cara");
  valueOf(await database.people.create(at.tenant, person, act("person.create", person.id)));
  await connect("crm", null, false);
  await at.passTime(48 * HOUR_MS);
  valueOf(await database.tenants.erase(at.tenant, act("tenant.erase", at.tenant)));
  const found = valueOf(await database.connectionJobs.toCheck(Date.now(), 100));
  expect(found.filter(({ tenant }) => tenant === at.tenant)).toEqual([]);
});
