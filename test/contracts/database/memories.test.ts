import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDatabase } from "../../../adapters/database/database.ts";
import type { Database } from "../../../core/ports/database.ts";
import { startTestDatabase, type TestDatabase } from "../../../scripts/database/test-database.ts";
import { act, hashedMemory, makeTenant, newId, report, START } from "./rows.ts";
import { valueOf } from "../value-of.ts";

let server: TestDatabase;
let database: Database;

beforeAll(async () => {
  server = await startTestDatabase();
  database = openDatabase(server.url, server.endpoint);
});
afterAll(() => server.close());

const FIRST = { after: null, limit: 100 };
const ALL = { scope: null, kind: null, tag: null, withOutside: true };

const newTenantId = async () => (await makeTenant(database)).tenant.id;

describe("memories", () => {
  test("are returned as they were saved, including unusual characters", async () => {
    const tenant = await newTenantId();
    const odd = hashedMemory({
      content: ` "quoted" \\ {braces} \u0001 \u200b e\u0301 🦦 \u2028\r\n'; drop table memories; --`,
      tags: ["a,b", '"c"', "{d}", "NULL", "é 🦦", "\\"],
      project: "Sales-1",
      sourceTask: newId("task"),
    });
    const [saved] = valueOf(await database.memories.save(tenant, [odd], null));
    expect(saved).toEqual({ ...odd, updatedAt: START, embeddedBy: null });
    expect(valueOf(await database.memories.read(tenant, null, [odd.id]))).toEqual([saved]);
    for (const tag of odd.tags)
      expect(valueOf(await database.memories.page(tenant, { ...ALL, tag }, FIRST)).items, tag).toHaveLength(1);
  });

  test("are saved once however often the request repeats, with one audit row", async () => {
    const tenant = await newTenantId();
    const memory = hashedMemory({ tags: ["a"] });
    const made = act("memory.create", memory.id);
    const first = valueOf(await database.memories.save(tenant, [memory], made));
    expect(valueOf(await database.memories.save(tenant, [{ ...memory, tags: ["b"] }], made))).toEqual(first);
    expect(valueOf(await database.audit.page(tenant, FIRST)).items).toEqual([made]);
  });

  test("with a content that their project already contains are merged into the existing one", async () => {
    const tenant = await newTenantId();
    const first = hashedMemory({ content: "same", tags: ["a", "b"], project: "x" });
    const second = hashedMemory({ content: "same", tags: ["b", "c"], project: "x", createdAt: START + 5 });
    valueOf(await database.memories.save(tenant, [first], null));
    const creation = act("memory.create", second.id);
    const [saved] = valueOf(await database.memories.save(tenant, [second], creation));
    expect(saved).toEqual({ ...first, tags: ["a", "b", "c"], updatedAt: START + 5, embeddedBy: null });
    expect(valueOf(await database.memories.page(tenant, ALL, FIRST)).items).toHaveLength(1);
    expect(valueOf(await database.memories.tagged(tenant, ALL, ["c"], 10))).toMatchObject([{ id: first.id }]);
    expect(valueOf(await database.audit.page(tenant, FIRST)).items).toEqual([{ ...creation, target: first.id }]);
  });

  test("are not merged across projects, nor with the tenant's own", async () => {
    const tenant = await newTenantId();
    const of = (project: string | null) => hashedMemory({ content: "same", project });
    const saved = valueOf(await database.memories.save(tenant, [of(null), of("x"), of("y")], null));
    expect(new Set(saved.map(({ id }) => id)).size).toBe(3);
  });

  test("merged hold no more tags than one may have", async () => {
    const tenant = await newTenantId();
    const tags = (from: number) => Array.from({ length: 15 }, (_, index) => `t${from + index}`);
    valueOf(await database.memories.save(tenant, [hashedMemory({ content: "same", tags: tags(0) })], null));
    const [saved] = valueOf(
      await database.memories.save(tenant, [hashedMemory({ content: "same", tags: tags(10) })], null),
    );
    expect(saved?.tags).toHaveLength(20);
  });

  test("saved at the same moment with one content are one", async () => {
    const tenant = await newTenantId();
    const saved = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        const memory = hashedMemory({ content: "same", tags: [`t${index}`] });
        return valueOf(await database.memories.save(tenant, [memory], null))[0]?.id;
      }),
    );
    expect(new Set(saved).size).toBe(1);
    const [stored] = valueOf(await database.memories.page(tenant, ALL, FIRST)).items;
    expect(stored?.tags).toHaveLength(8);
  });

  test("are listed latest first, page by page, by project and tag", async () => {
    const tenant = await newTenantId();
    const made = Array.from({ length: 5 }, (_, index) =>
      hashedMemory({
        createdAt: START + (index % 3),
        project: index < 2 ? "x" : null,
        tags: index % 2 === 0 ? ["even"] : [],
      }),
    );
    valueOf(await database.memories.save(tenant, made, null));
    const ids: string[] = [];
    for (let after = null; ; ) {
      const page = valueOf(await database.memories.page(tenant, ALL, { after, limit: 2 }));
      ids.push(...page.items.map(({ id }) => id));
      if (page.next === null) break;
      after = page.next as never;
    }
    const order = made.toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1)).map(({ id }) => id);
    expect(ids).toEqual(order);
    const count = async (scope: readonly (string | null)[] | null, tag: string | null) =>
      valueOf(await database.memories.page(tenant, { ...ALL, scope, tag }, FIRST)).items.length;
    expect([await count(["x"], null), await count([null], null), await count([null, "x"], null)]).toEqual([2, 3, 5]);
    expect([await count(null, "even"), await count(["x"], "even"), await count(null, "Even")]).toEqual([3, 1, 3]);
    expect([await count(null, "eve"), await count(null, "even number")]).toEqual([0, 0]);
    expect([await count([], null), await count(["y"], null)]).toEqual([0, 0]);
  });

  test("are listed by kind", async () => {
    const tenant = await newTenantId();
    const made = [hashedMemory(), hashedMemory({ kind: "summary" }), hashedMemory({ kind: "summary", tags: ["t"] })];
    valueOf(await database.memories.save(tenant, made, null));
    const list = async (kind: "note" | "summary", tag: string | null = null) =>
      valueOf(await database.memories.page(tenant, { ...ALL, kind, tag }, FIRST))
        .items.map(({ id }) => id)
        .toSorted();
    expect(await list("note")).toEqual([made[0]?.id]);
    expect(await list("summary")).toEqual(
      made
        .slice(1)
        .map(({ id }) => id)
        .toSorted(),
    );
    expect(await list("summary", "t")).toEqual([made[2]?.id]);
    expect(await list("note", "t")).toEqual([]);
  });

  test("are read by a scope that holds them and by no other", async () => {
    const tenant = await newTenantId();
    const [wide, x] = [hashedMemory(), hashedMemory({ project: "x" })];
    valueOf(await database.memories.save(tenant, [wide, x], null));
    const read = async (scope: readonly (string | null)[] | null) =>
      valueOf(await database.memories.read(tenant, scope, [wide.id, x.id])).map(({ id }) => id);
    expect(await read(["y", null])).toEqual([wide.id]);
    expect(await read(["x"])).toEqual([x.id]);
    expect(await read(["y"])).toEqual([]);
    expect((await read(null)).toSorted()).toEqual([wide.id, x.id].toSorted());
  });

  test("that change need another vector, unless only their tags did", async () => {
    const tenant = await newTenantId();
    const memory = hashedMemory({ content: "before" });
    const saved = valueOf(await database.memories.save(tenant, [memory], null));
    expect(valueOf(await database.memories.markEmbedded(tenant, "m", saved))).toEqual([memory.id]);
    const change = { id: memory.id, label: memory.label, content: "before", contentHash: "before", tags: ["new tag"] };
    const changed = act("memory.update", memory.id, START + 9);
    expect(valueOf(await database.memories.update(tenant, change, changed))).toMatchObject({
      tags: ["new tag"],
      embeddedBy: "m",
      updatedAt: START + 9,
    });
    expect(valueOf(await database.memories.tagged(tenant, ALL, ["tag"], 10))).toEqual([
      { id: memory.id, tags: ["new tag"] },
    ]);
    const other = { ...change, content: "after", contentHash: "after" };
    expect(valueOf(await database.memories.update(tenant, other, act("memory.update", memory.id)))).toMatchObject({
      content: "after",
      embeddedBy: null,
    });
    // The vector that comes now is of what it held before.
    valueOf(await database.memories.markEmbedded(tenant, "m", saved));
    expect(valueOf(await database.memories.read(tenant, null, [memory.id]))).toMatchObject([{ embeddedBy: null }]);
    expect(valueOf(await database.audit.page(tenant, FIRST)).items).toHaveLength(2);
  });

  test("do not become what their project has already", async () => {
    const tenant = await newTenantId();
    const [one, two] = [hashedMemory({ content: "one" }), hashedMemory({ content: "two" })];
    valueOf(await database.memories.save(tenant, [one, two], null));
    const change = { id: two.id, label: two.label, content: "one", contentHash: "one", tags: [] };
    expect(await database.memories.update(tenant, change, act("memory.update", two.id))).toMatchObject({
      ok: false,
      error: { code: "conflict", field: "content" },
    });
    const missing = { ...change, id: newId("memory") };
    expect(await database.memories.update(tenant, missing, act("memory.update", missing.id))).toMatchObject({
      ok: false,
      error: { code: "not_found" },
    });
  });

  test("are deleted once, with one word in the audit log", async () => {
    const tenant = await newTenantId();
    const memory = hashedMemory();
    const [saved] = valueOf(await database.memories.save(tenant, [memory], null));
    const { contentHash: _, ...shown } = saved ?? memory;
    const gone = act("memory.delete", memory.id);
    expect(valueOf(await database.memories.delete(tenant, memory.id, gone))).toMatchObject(shown);
    const again = await database.memories.delete(tenant, memory.id, act("memory.delete", memory.id));
    expect(again).toMatchObject({ ok: false, error: { code: "not_found" } });
    expect(valueOf(await database.audit.page(tenant, FIRST)).items).toEqual([gone]);
  });

  test("without a vector of the present model are found across tenants that live", async () => {
    const [a, b] = [await newTenantId(), await newTenantId()];
    const [none, old, done] = [hashedMemory(), hashedMemory(), hashedMemory()];
    const saved = valueOf(await database.memories.save(a, [none, old, done], null));
    await database.memories.markEmbedded(a, "model-1", saved.slice(1, 2));
    await database.memories.markEmbedded(a, "model-2", saved.slice(2));
    const erased = hashedMemory();
    valueOf(await database.memories.save(b, [erased], null));
    valueOf(await database.tenants.erase(b, act("tenant.erase", b)));
    const open = valueOf(await database.memories.toEmbed("model-2", 1_000)).map(({ id }) => id);
    expect(open).toEqual(expect.arrayContaining([none.id, old.id]));
    expect(open).not.toContain(done.id);
    expect(open).not.toContain(erased.id);
    expect(valueOf(await database.memories.toEmbed("model-2", 1))).toHaveLength(1);
  });

  test("of an erased tenant are not taken, and purged with it", async () => {
    const tenant = await newTenantId();
    const memory = hashedMemory({ project: "x" });
    valueOf(await database.memories.save(tenant, [memory], null));
    valueOf(await database.tenants.erase(tenant, act("tenant.erase", tenant)));
    expect(valueOf(await database.memories.save(tenant, [hashedMemory()], null))).toEqual([]);
    expect(valueOf(await database.memories.some(tenant, null, 10))).toEqual([memory.id]);
    valueOf(await database.tenants.purge(tenant));
    expect(valueOf(await database.memories.some(tenant, null, 10))).toEqual([]);
    expect(valueOf(await database.projects.list(tenant, null, 10))).toEqual([]);
  });
});

describe("projects", () => {
  test("are known from the first task or memory that names them, with what they hold", async () => {
    const tenant = await newTenantId();
    valueOf(await database.tasks.upsert(tenant, [report({ project: "beta" }), report({ project: "beta" }), report()]));
    valueOf(await database.tasks.upsert(tenant, [report({ project: "beta", hidden: true })]));
    valueOf(await database.memories.save(tenant, [hashedMemory({ project: "Alpha" }), hashedMemory()], null));
    expect(valueOf(await database.projects.list(tenant, null, 10))).toEqual([
      { name: "Alpha", createdAt: START, memories: 1, tasks: 0 },
      { name: "beta", createdAt: START, memories: 0, tasks: 2 },
    ]);
    expect(valueOf(await database.projects.list(tenant, null, 1))).toHaveLength(2);
    expect(valueOf(await database.projects.list(tenant, "Alpha", 10)).map(({ name }) => name)).toEqual(["beta"]);
    expect(valueOf(await database.projects.get(tenant, "beta"))).toMatchObject({ tasks: 2 });
    expect(await database.projects.get(tenant, "alpha")).toMatchObject({ ok: false, error: { code: "not_found" } });
  });

  test("that are erased reappear with a report of a changed task, but not with a repeated report", async () => {
    const tenant = await newTenantId();
    const task = report({ project: "p" });
    valueOf(await database.tasks.upsert(tenant, [task]));
    valueOf(await database.projects.erase(tenant, "p", act("project.erase", "p")));
    valueOf(await database.tasks.upsert(tenant, [task]));
    expect(valueOf(await database.projects.list(tenant, null, 10))).toEqual([]);
    valueOf(await database.tasks.upsert(tenant, [{ ...task, version: 2 }]));
    expect(valueOf(await database.projects.list(tenant, null, 10))).toHaveLength(1);
    expect(valueOf(await database.audit.page(tenant, FIRST)).items).toMatchObject([{ action: "project.erase" }]);
  });

  test("with a task that has not ended say which", async () => {
    const tenant = await newTenantId();
    const live = report({ project: "p", status: "sleeping" });
    valueOf(await database.tasks.upsert(tenant, [live, report({ project: "q", status: "failed" })]));
    const refused = await database.projects.refuseLive(tenant, "p");
    expect(refused).toMatchObject({
      ok: false,
      error: { code: "conflict", message: expect.stringContaining(live.task) },
    });
    expect(await database.projects.refuseLive(tenant, "q")).toEqual({ ok: true, value: undefined });
  });
});
