/** The rows of hooks. */
import { neon } from "@neondatabase/serverless";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDatabase } from "../../../adapters/database/database.ts";
import type { HookConfig } from "../../../core/channels/webhooks/hook.ts";
import type { Database } from "../../../core/ports/database.ts";
import { startTestDatabase, type TestDatabase } from "../../../scripts/database/test-database.ts";
import { act, hookRow, makeTenant, newId, personOf } from "./rows.ts";
import { valueOf } from "../value-of.ts";

let server: TestDatabase;
let database: Database;
let tenant: string;

beforeAll(async () => {
  server = await startTestDatabase();
  database = openDatabase(server.url, server.endpoint);
  tenant = (await makeTenant(database)).tenant.id;
});
afterAll(() => server.close());

async function make(name: string, type: HookConfig["type"] = "generic") {
  const row = hookRow(name);
  return valueOf(
    await database.hooks.create(tenant, { ...row, config: { ...row.config, type } }, act("hook.create", row.id)),
  );
}

describe("a hook", () => {
  test("is made once, whatever is sent for its id again, and its name is its own", async () => {
    const row = hookRow("a");
    const made = valueOf(await database.hooks.create(tenant, row, act("hook.create", row.id)));
    expect(made).toMatchObject({ ...row, version: 1 });
    const again = await database.hooks.create(tenant, { ...row, sealed: "other" }, act("hook.create", row.id));
    expect(valueOf(again)).toEqual(made);
    const other = hookRow("a");
    const taken = await database.hooks.create(tenant, other, act("hook.create", other.id));
    expect(taken).toMatchObject({ error: { code: "conflict", field: "name" } });
  });

  test("is replaced at the version that was read, and retains its secret unless another is given", async () => {
    const { id, config, sealed } = await make("b");
    const act2 = () => act("hook.update", id);
    const config2 = { ...config, prompt: "{{a}}" };
    const set = valueOf(
      await database.hooks.update(tenant, { id, config: config2, secret: null, actsFor: null, ifVersion: 1 }, act2()),
    );
    expect(set).toMatchObject({ version: 2, config: config2, sealed });
    const late = await database.hooks.update(tenant, { id, config, secret: null, actsFor: null, ifVersion: 1 }, act2());
    expect(late).toMatchObject({ error: { code: "conflict", field: "If-Match" } });
    const any = await database.hooks.update(
      tenant,
      { id, config, secret: { sealed: "other", oldUntil: 7 }, actsFor: null, ifVersion: null },
      act2(),
    );
    expect(valueOf(any)).toMatchObject({ version: 3, sealed: "other", old: [{ sealed, until: 7 }] });
    for (const [secret, oldUntil] of [
      ["c", 8],
      ["d", 9],
      ["e", 10],
    ] as const)
      await database.hooks.update(
        tenant,
        { id, config, secret: { sealed: secret, oldUntil }, actsFor: null, ifVersion: null },
        act2(),
      );
    const three = [10, 9, 8].map((until, index) => ({ sealed: ["d", "c", "other"][index], until }));
    expect(valueOf(await database.hooks.get(tenant, id))).toMatchObject({ sealed: "e", old: three });
    const clear = { sealed: "f", oldUntil: null };
    const cleared = await database.hooks.update(
      tenant,
      { id, config, secret: clear, actsFor: null, ifVersion: null },
      act2(),
    );
    expect(valueOf(cleared)).toMatchObject({ sealed: "f", old: [] });
    expect(
      await database.hooks.update(tenant, { id: "x", config, secret: null, actsFor: null, ifVersion: null }, act2()),
    ).toMatchObject({
      error: { code: "not_found" },
    });
  });

  test("is found by its name, else as the oldest of its type", async () => {
    const first = await make("c", "github");
    await make("d", "github");
    const named = await make("github", "stripe");
    expect(valueOf(await database.hooks.find(tenant, "c")).id).toBe(first.id);
    expect(valueOf(await database.hooks.find(tenant, "github")).id).toBe(named.id);
    expect(valueOf(await database.hooks.find(tenant, "stripe")).id).toBe(named.id);
    expect(await database.hooks.find(tenant, "standard")).toMatchObject({ error: { code: "not_found" } });
  });

  test("is listed in pages, and removed; each change is in the log once", async () => {
    const of = (await makeTenant(database)).tenant.id;
    const rows = ["e", "f", "g"].map(hookRow);
    for (const row of rows) valueOf(await database.hooks.create(of, row, act("hook.create", row.id)));
    const page = valueOf(await database.hooks.page(of, { after: null, limit: 2 }));
    const rest = valueOf(await database.hooks.page(of, { after: page.next, limit: 2 }));
    expect([...page.items, ...rest.items].map(({ id }) => id).toSorted()).toEqual(rows.map(({ id }) => id).toSorted());
    const [{ id } = hookRow("")] = rows;
    expect(valueOf(await database.hooks.remove(of, id, act("hook.delete", id))).id).toBe(id);
    expect(await database.hooks.remove(of, id, act("hook.delete", id))).toMatchObject({ error: { code: "not_found" } });
    const acts = valueOf(await database.audit.page(of, { after: null, limit: 100 })).items;
    expect(
      acts
        .filter(({ target }) => target === id)
        .map(({ action }) => action)
        .toSorted(),
    ).toEqual(["hook.create", "hook.delete"]);
  });

  test("acts for a person, until a release that does not know that changes it, or the person is deleted", async () => {
    const addPerson = async () => {
      const person = personOf(newId("person"));
      return valueOf(await database.people.create(tenant, person, act("person.create", person.id)));
    };
    const [ana, ben] = [await addPerson(), await addPerson()];
    const row = hookRow("acts");
    const { id, config } = row;
    const made = valueOf(await database.hooks.create(tenant, { ...row, actsFor: ana.id }, act("hook.create", id)));
    const caller = { person: ana.id, name: ana.name, timeZone: ana.timeZone };
    expect(made.actsFor).toEqual(caller);
    const replace = async (actsFor: string | null) =>
      valueOf(
        await database.hooks.update(
          tenant,
          { id, config, secret: null, actsFor, ifVersion: null },
          act("hook.update", id),
        ),
      ).actsFor;
    expect(await replace(ana.id)).toEqual(caller);
    const query = `update hooks set version = version + 1 where tenant = '${tenant}' and id = '${id}'`;
    await neon(server.ownerUrl, { disableWarningInBrowsers: true }).query(query);
    const read = async () => valueOf(await database.hooks.get(tenant, id)).actsFor;
    expect(await read()).toBeNull();
    expect(await replace(ben.id)).toMatchObject({ person: ben.id });
    valueOf(await database.people.remove(tenant, ben.id, act("person.delete", ben.id)));
    expect([await read(), await replace(ben.id), await replace(null)]).toEqual([null, null, null]);
  });

  test("goes with its tenant", async () => {
    const gone = (await makeTenant(database)).tenant.id;
    const row = hookRow("h");
    valueOf(await database.hooks.create(gone, row, act("hook.create", row.id)));
    valueOf(await database.tenants.erase(gone, act("tenant.erase", gone)));
    valueOf(await database.tenants.purge(gone));
    expect(valueOf(await database.hooks.page(gone, { after: null, limit: 10 })).items).toEqual([]);
  });
});
