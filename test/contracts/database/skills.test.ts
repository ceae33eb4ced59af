import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDatabase } from "../../../adapters/database/database.ts";
import type { Database } from "../../../core/ports/database.ts";
import type { SkillChange } from "../../../core/ports/skill-table.ts";
import { startTestDatabase, type TestDatabase } from "../../../scripts/database/test-database.ts";
import { act, makeTenant, publishSkill, skillChange, sourceOf, START } from "./rows.ts";
import { valueOf } from "../value-of.ts";

let server: TestDatabase;
let database: Database;

beforeAll(async () => {
  server = await startTestDatabase();
  database = openDatabase(server.url, server.endpoint);
});
afterAll(() => server.close());

const [ONE, TWO] = ["1".repeat(64), "2".repeat(64)];

/** Publishes a change of the source `skills`, whose content is `sourceHash`. */
async function change(tenant: string, ifVersion: number, skill: SkillChange, sourceHash: string, at = START) {
  const names = skill.kind === "put" ? [skill.skill.slug] : [];
  const source = sourceOf("skills", { ifVersion, names, definitions: [], skill, hash: sourceHash, at });
  return await database.toolSources.publish(tenant, source, null);
}

describe("the rows of skills", () => {
  test("hold each content once, and which of them is the present one", async () => {
    const { tenant } = await makeTenant(database);
    const put = (ifVersion: number, hash: string, source: string, at: number) =>
      change(tenant.id, ifVersion, skillChange("a-skill", hash), source.repeat(64), at);
    valueOf(await put(0, ONE, "a", START));
    valueOf(await put(1, TWO, "b", START + 1_000));
    expect(valueOf(await database.skills.get(tenant.id, "a-skill"))).toMatchObject({
      name: "a-skill",
      versions: 2,
      createdAt: START,
      updatedAt: START + 1_000,
      current: { version: 2, skill: { hash: TWO }, createdBy: "key_x" },
    });
    valueOf(await put(2, ONE, "c", START + 2_000));
    const record = valueOf(await database.skills.get(tenant.id, "a-skill"));
    expect([record.versions, record.current.version, record.current.createdAt]).toEqual([2, 1, START]);
    const page = valueOf(await database.skills.versions(tenant.id, "a-skill", { after: null, limit: 1 }));
    expect(page.items.map(({ version }) => version)).toEqual([2]);
    const rest = valueOf(await database.skills.versions(tenant.id, "a-skill", { after: page.next, limit: 1 }));
    expect([rest.items.map(({ version }) => version), rest.next]).toEqual([[1], null]);
    expect(valueOf(await database.skills.version(tenant.id, "a-skill", TWO)).version).toBe(2);
    expect(valueOf(await database.skills.version(tenant.id, "a-skill", 1)).skill.hash).toBe(ONE);
    expect(await database.skills.version(tenant.id, "a-skill", 3)).toMatchObject({ error: { code: "not_found" } });
    const far = { after: { at: 8.64e15, id: "x" }, limit: 9 };
    expect(valueOf(await database.skills.versions(tenant.id, "a-skill", far)).items).toHaveLength(2);
  });

  test("change with their source or not at all", async () => {
    const { tenant } = await makeTenant(database);
    await publishSkill(database, tenant.id, "kept");
    const late = await change(tenant.id, 0, skillChange("late"), "b".repeat(64));
    expect(late).toMatchObject({ ok: false, error: { code: "conflict", field: "ifVersion" } });
    const gone = await change(tenant.id, 0, { kind: "remove", name: "kept" }, "b".repeat(64));
    expect(gone.ok).toBe(false);
    const names = valueOf(await database.skills.page(tenant.id, { after: null, limit: 10 })).items;
    expect(names.map(({ name }) => name)).toEqual(["kept"]);
    const taken = sourceOf("custom", { names: ["kept"], definitions: [] });
    const refused = await database.toolSources.publish(tenant.id, taken, null);
    expect(refused).toMatchObject({ ok: false, error: { code: "conflict", field: "name" } });
  });

  test("are listed by pages, the latest first, and go with their versions", async () => {
    const { tenant } = await makeTenant(database);
    for (const [index, name] of ["one", "two", "three"].entries())
      valueOf(await change(tenant.id, index, skillChange(name), String(index).repeat(64), START + (index < 2 ? 0 : 9)));
    const page = valueOf(await database.skills.page(tenant.id, { after: null, limit: 2 }));
    expect(page.items.map(({ name }) => name)).toEqual(["three", "two"]);
    const rest = valueOf(await database.skills.page(tenant.id, { after: page.next, limit: 2 }));
    expect([rest.items.map(({ name }) => name), rest.next]).toEqual([["one"], null]);
    valueOf(await change(tenant.id, 3, { kind: "remove", name: "two" }, "d".repeat(64)));
    const missing = { ok: false, error: { code: "not_found" } };
    expect(await database.skills.get(tenant.id, "two")).toMatchObject(missing);
    expect(await database.skills.versions(tenant.id, "two", { after: null, limit: 2 })).toMatchObject(missing);
  });

  test("go when their tenant is purged", async () => {
    const { tenant } = await makeTenant(database);
    await publishSkill(database, tenant.id, "gone");
    valueOf(await database.tenants.erase(tenant.id, act("tenant.erase", tenant.id)));
    valueOf(await database.tenants.purge(tenant.id));
    expect(await database.skills.version(tenant.id, "gone", 1)).toMatchObject({ error: { code: "not_found" } });
    expect(valueOf(await database.skills.page(tenant.id, { after: null, limit: 9 })).items).toEqual([]);
  });
});
