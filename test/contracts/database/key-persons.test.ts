/** Whose a key is: the binding, its audit row, and what a change of the person does to it. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../../adapters/database/database.ts";
import type { Database } from "../../../core/ports/database.ts";
import { startTestDatabase, type TestDatabase } from "../../../scripts/database/test-database.ts";
import { valueOf } from "../value-of.ts";
import { act, makeTenant, newId, newKey, personOf, START } from "./rows.ts";

let server: TestDatabase;
let database: Database;

beforeAll(async () => {
  server = await startTestDatabase();
  database = openDatabase(server.url, server.endpoint);
});
afterAll(() => server.close());

async function addPerson(tenant: string, name: string) {
  const person = personOf(name);
  const { id, timeZone } = valueOf(await database.people.create(tenant, person, act("person.create", person.id)));
  return { id, name, timeZone };
}

test("a key is bound to a person, who comes with its record in one statement", async () => {
  const { tenant, key } = await makeTenant(database);
  const ana = await addPerson(tenant.id, "Ana");
  const bound = valueOf(await database.keys.bind(tenant.id, key.key.id, ana.id, act("key.bind", key.key.id)));
  expect(bound).toEqual({ key: { ...key.key, person: ana }, boundAt: START });
  expect(await database.keys.findByHash(tenant.id, key.hash)).toMatchObject({ ok: true, value: { person: ana } });
  expect(valueOf(await database.keys.get(tenant.id, key.key.id)).person).toEqual(ana);
  expect(valueOf(await database.keys.page(tenant.id, { after: null, limit: 5 })).items[0]?.person).toEqual(ana);
});

test("a key is created with its person, and restored with it after a loss", async () => {
  const { tenant } = await makeTenant(database);
  const ana = await addPerson(tenant.id, "Ana");
  const { key, hash } = newKey(tenant.id);
  const created = await database.keys.create({ key: { ...key, person: ana }, hash }, act("key.create", key.id));
  expect(created).toEqual({ ok: true, value: { ...key, person: ana } });
  const lost = newKey(tenant.id);
  valueOf(await database.recovery.restoreKeys(tenant.id, [{ ...lost, key: { ...lost.key, person: ana } }]));
  expect(valueOf(await database.keys.get(tenant.id, lost.key.id)).person).toEqual(ana);
});

test("each change is in the audit log once, with the earlier person", async () => {
  const { tenant, key } = await makeTenant(database);
  const [ana, ben] = [await addPerson(tenant.id, "Ana"), await addPerson(tenant.id, "Ben")];
  const { id } = key.key;
  const acts = [ana.id, ana.id, ben.id, null].map((person, index) => ({
    person,
    act: act("key.bind", id, START + 1000 * (index + 1)),
  }));
  const times: number[] = [];
  for (const { person, act: done } of acts)
    times.push(valueOf(await database.keys.bind(tenant.id, id, person, done)).boundAt);
  expect(times.map((at) => at - START)).toEqual([1000, 1000, 3000, 4000]);
  const stored = valueOf(
    await database.audit.page(tenant.id, { after: null, limit: 10 }, { action: "key.bind" }),
  ).items;
  expect(stored.map(({ target, details }) => ({ target, details }))).toEqual([
    { target: id, details: { person: null, before: ben.id } },
    { target: id, details: { person: ben.id, before: ana.id } },
    { target: id, details: { person: ana.id, before: null } },
  ]);
});

test("a key is not bound to a person that the tenant does not have, and not when it is revoked", async () => {
  const [{ tenant, key }, other] = [await makeTenant(database), await makeTenant(database)];
  const { id } = key.key;
  const stranger = await addPerson(other.tenant.id, "Ana");
  const own = await addPerson(tenant.id, "Ana");
  const bind = async (person: string | null) => await database.keys.bind(tenant.id, id, person, act("key.bind", id));
  for (const person of [stranger.id, newId("person")])
    expect(await bind(person)).toMatchObject({ ok: false, error: { code: "not_found", field: "person" } });
  expect(await database.keys.bind(other.tenant.id, id, stranger.id, act("key.bind", id))).toMatchObject({
    ok: false,
    error: { code: "not_found" },
  });
  valueOf(await database.keys.revoke(tenant.id, id, act("key.revoke", id)));
  expect(await bind(own.id)).toMatchObject({ ok: false, error: { code: "conflict" } });
  const stored = valueOf(await database.audit.page(tenant.id, { after: null, limit: 10 }, { action: "key.bind" }));
  expect(stored.items).toEqual([]);
});

test("a renamed person is renamed on the key, and a deleted one leaves it to nobody", async () => {
  const { tenant, key } = await makeTenant(database);
  const { id } = key.key;
  const ana = personOf("Ana");
  valueOf(await database.people.create(tenant.id, ana, act("person.create", ana.id)));
  valueOf(await database.keys.bind(tenant.id, id, ana.id, act("key.bind", id)));
  const fields = { ...ana, name: "Ana Lima", timeZone: "Asia/Tokyo" };
  valueOf(
    await database.people.update(tenant.id, { id: ana.id, fields, ifVersion: null }, act("person.update", ana.id)),
  );
  const renamed = { id: ana.id, name: "Ana Lima", timeZone: "Asia/Tokyo" };
  expect(valueOf(await database.keys.get(tenant.id, id)).person).toEqual(renamed);
  valueOf(await database.people.remove(tenant.id, ana.id, act("person.delete", ana.id)));
  expect(valueOf(await database.keys.get(tenant.id, id)).person).toBeNull();
  // The id is cleared, so a person who is restored under it does not have the key again.
  valueOf(await database.people.create(tenant.id, ana, act("person.create", ana.id)));
  expect(valueOf(await database.keys.get(tenant.id, id)).person).toBeNull();
});

test("a tenant is created with its first person and the key of that person, once", async () => {
  const id = newId("tenant");
  const person = personOf("Owner", { addresses: [] });
  const first = newKey(id);
  const owner = { id: person.id, name: "Owner", timeZone: person.timeZone };
  const key = { ...first, key: { ...first.key, person: owner } };
  const made = act("tenant.create", id);
  const added = act("person.create", person.id);
  for (let round = 0; round < 2; round += 1)
    valueOf(await database.tenants.create({ id, name: "Acme", createdAt: START }, key, made, { person, act: added }));
  expect(await database.keys.findByHash(id, first.hash)).toMatchObject({ ok: true, value: { person: owner } });
  expect(valueOf(await database.people.page(id, { after: null, limit: 5 })).items.map(({ name }) => name)).toEqual([
    "Owner",
  ]);
  expect(valueOf(await database.audit.page(id, { after: null, limit: 5 })).items).toEqual([added]);
});
