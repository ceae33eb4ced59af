import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDatabase } from "../../../adapters/database/database.ts";
import type { Database } from "../../../core/ports/database.ts";
import type { PersonRecord } from "../../../core/people/person.ts";
import { startTestDatabase, type TestDatabase } from "../../../scripts/database/test-database.ts";
import { act, makeTenant, newId, personOf, START } from "./rows.ts";
import { valueOf } from "../value-of.ts";

let server: TestDatabase;
let database: Database;

beforeAll(async () => {
  server = await startTestDatabase();
  database = openDatabase(server.url, server.endpoint);
});
afterAll(() => server.close());

async function add(tenant: string, ...args: Parameters<typeof personOf>): Promise<PersonRecord> {
  const person = personOf(...args);
  return valueOf(await database.people.create(tenant, person, act("person.create", person.id)));
}

describe("people", () => {
  test("are stored as they were written, and once for one id", async () => {
    const { tenant } = await makeTenant(database);
    const person = personOf("Ana Lima", { aliases: ["Boss"], preferred: "email", workingHours: null });
    const made = act("person.create", person.id);
    const stored = { ...person, version: 1, createdAt: START, updatedAt: START };
    expect(await database.people.create(tenant.id, person, made)).toEqual({ ok: true, value: stored });
    expect(await database.people.create(tenant.id, { ...person, name: "Other" }, made)).toEqual({
      ok: true,
      value: stored,
    });
    expect(await database.people.get(tenant.id, person.id)).toEqual({ ok: true, value: stored });
    const acts = valueOf(await database.audit.page(tenant.id, { after: null, limit: 10 })).items;
    expect(acts).toEqual([made]);
  });

  test("of one tenant have different names, whatever their case, and different addresses", async () => {
    const [a, b] = [await makeTenant(database), await makeTenant(database)];
    const ana = await add(a.tenant.id, "Ana Lima");
    const taken = personOf("  ANA  lima ");
    expect(await database.people.create(a.tenant.id, taken, act("person.create", taken.id))).toMatchObject({
      ok: false,
      error: { code: "conflict", field: "name" },
    });
    const thief = personOf("Bo", { addresses: ana.addresses });
    expect(await database.people.create(a.tenant.id, thief, act("person.create", thief.id))).toMatchObject({
      ok: false,
      error: { code: "conflict", field: "addresses" },
    });
    await add(b.tenant.id, "Ana Lima", { addresses: ana.addresses });
  });

  test("are found by the addresses that they have now, mail in any case, and in their own tenant", async () => {
    const [a, b] = [await makeTenant(database), await makeTenant(database)];
    const slack = { kind: "slack", team: "T1", user: "UANA" } as const;
    const mail = { kind: "email", address: "Ana@Acme.example" } as const;
    const ana = await add(a.tenant.id, "Ana Lima", { addresses: [slack, mail] });
    const { people } = database;
    expect(await people.findByAddress(a.tenant.id, slack)).toEqual({ ok: true, value: ana });
    expect(await people.findByAddress(a.tenant.id, { ...mail, address: "ana@acme.EXAMPLE" })).toEqual({
      ok: true,
      value: ana,
    });
    expect(await people.findByAddress(a.tenant.id, { ...slack, team: "T2" })).toEqual({ ok: true, value: null });
    expect(await people.findByAddress(b.tenant.id, slack)).toEqual({ ok: true, value: null });

    const other = { kind: "email", address: "ana@other.example" } as const;
    const change = { id: ana.id, fields: { ...ana, addresses: [mail, other] }, ifVersion: 1 };
    const moved = valueOf(await people.update(a.tenant.id, change, act("person.update", ana.id, START + 1)));
    expect(moved).toEqual({ ...ana, addresses: [mail, other], version: 2, updatedAt: START + 1 });
    expect(await people.findByAddress(a.tenant.id, slack)).toEqual({ ok: true, value: null });
    expect(await people.findByAddress(a.tenant.id, other)).toEqual({ ok: true, value: moved });
    expect(await people.findByAddress(a.tenant.id, mail)).toEqual({ ok: true, value: moved });
  });

  test("are changed at the version that was read, and only there", async () => {
    const { tenant } = await makeTenant(database);
    const ana = await add(tenant.id, "Ana Lima");
    const change = { id: ana.id, fields: { ...ana, name: "Ana Costa", mayApprove: true }, ifVersion: 2 };
    expect(await database.people.update(tenant.id, change, act("person.update", ana.id))).toMatchObject({
      ok: false,
      error: { code: "conflict", field: "If-Match" },
    });
    expect(valueOf(await database.people.get(tenant.id, ana.id))).toEqual(ana);
    const changed = await database.people.update(
      tenant.id,
      { ...change, ifVersion: null },
      act("person.update", ana.id),
    );
    expect(valueOf(changed)).toMatchObject({ name: "Ana Costa", mayApprove: true, version: 2 });
    expect(
      await database.people.update(tenant.id, { ...change, id: newId("person") }, act("person.update", "x")),
    ).toMatchObject({ ok: false, error: { code: "not_found" } });
  });

  test("could be meant by their id, name, alias and first name, exact names first", async () => {
    const { tenant } = await makeTenant(database);
    const bob = await add(tenant.id, "Ana");
    const lima = await add(tenant.id, "Ana Lima", { aliases: ["The Boss"] });
    const costa = await add(tenant.id, "Ana Costa", { aliases: ["the  boss", "Bo"] });
    const findByName = async (asked: string) =>
      valueOf(await database.people.findByName(tenant.id, asked, 10)).map(({ id }) => id);
    expect(await findByName("ANA")).toEqual([bob.id, costa.id, lima.id]);
    expect(await findByName("ana  lima")).toEqual([lima.id]);
    expect(await findByName("the boss")).toEqual([costa.id, lima.id]);
    expect(await findByName(lima.id)).toEqual([lima.id]);
    expect(await findByName("Lima")).toEqual([]);
    const change = { id: costa.id, fields: { ...costa, name: "Eva Costa", aliases: [] }, ifVersion: null };
    valueOf(await database.people.update(tenant.id, change, act("person.update", costa.id)));
    expect(await findByName("the boss")).toEqual([lima.id]);
    expect(await findByName("eva")).toEqual([costa.id]);
    expect(await findByName("ana")).toEqual([bob.id, lima.id]);
  });

  test("are counted, and the first of them named", async () => {
    const { tenant } = await makeTenant(database);
    for (const name of ["cem", "Ana", "bo"]) await add(tenant.id, name);
    expect(await database.people.names(tenant.id, 2)).toEqual({ ok: true, value: { names: ["Ana", "bo"], total: 3 } });
  });

  test("that were removed release their name and addresses", async () => {
    const { tenant } = await makeTenant(database);
    const ana = await add(tenant.id, "Ana Lima");
    expect(await database.people.remove(tenant.id, ana.id, act("person.delete", ana.id))).toEqual({
      ok: true,
      value: ana,
    });
    expect(await database.people.remove(tenant.id, ana.id, act("person.delete", ana.id))).toMatchObject({
      ok: false,
      error: { code: "not_found" },
    });
    const next = await add(tenant.id, "Ana Lima", { addresses: ana.addresses });
    expect(valueOf(await database.people.findByName(tenant.id, "ana", 10))).toEqual([next]);
  });

  test("go with their tenant", async () => {
    const { tenant } = await makeTenant(database);
    await add(tenant.id, "Ana Lima");
    valueOf(await database.tenants.erase(tenant.id, act("tenant.erase", tenant.id)));
    valueOf(await database.tenants.purge(tenant.id));
    expect(await database.people.names(tenant.id, 2)).toEqual({ ok: true, value: { names: [], total: 0 } });
  });
});
