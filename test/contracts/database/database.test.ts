import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { asTenant, openConnection } from "../../../adapters/database/connection.ts";
import { openDatabase } from "../../../adapters/database/database.ts";
import { keys } from "../../../adapters/database/schema.ts";
import type { Database } from "../../../core/ports/database.ts";
import { OPERATOR_TENANT } from "../../../core/ports/audit.ts";
import type { PageRequest, PagePosition } from "../../../core/base/page-cursor.ts";
import { startTestDatabase, type TestDatabase } from "../../../scripts/database/test-database.ts";
import { act, configOf, makeTenant, newId, newKey, newTenant, report, sourceOf, START } from "./rows.ts";
import { valueOf } from "../value-of.ts";

let server: TestDatabase;
let database: Database;

beforeAll(async () => {
  server = await startTestDatabase();
  database = openDatabase(server.url, server.endpoint);
});
afterAll(() => server.close());

const firstPage: PageRequest = { after: null, limit: 100 };

/** Reads a list to its end in pages of `limit`. */
async function readAll<T>(
  read: (request: PageRequest) => Promise<{ items: readonly T[]; next: PagePosition | null }>,
  limit: number,
) {
  const pages: T[][] = [];
  for (let after: PagePosition | null = null; ; ) {
    const page: { items: readonly T[]; next: PagePosition | null } = await read({ after, limit });
    pages.push([...page.items]);
    if (page.next === null) return pages;
    after = page.next;
  }
}

describe("tenants", () => {
  test("are created once with their first key, however often the request repeats", async () => {
    const [tenant, key] = [newTenant(), newKey("")];
    const first = { ...key, key: { ...key.key, tenant: tenant.id } };
    const made = act("tenant.create", tenant.id);
    expect(await database.tenants.create(tenant, first, made)).toEqual({ ok: true, value: undefined });
    expect(await database.tenants.create(tenant, first, made)).toEqual({ ok: true, value: undefined });
    expect(await database.tenants.get(tenant.id)).toEqual({ ok: true, value: tenant });
    expect(valueOf(await database.keys.page(tenant.id, firstPage)).items).toEqual([first.key]);
    const acts = valueOf(await database.audit.page(OPERATOR_TENANT, firstPage)).items;
    expect(acts.filter(({ target }) => target === tenant.id)).toEqual([made]);
  });

  test("are listed from the latest to the earliest, page by page, each once", async () => {
    const made: string[] = [];
    for (let index = 0; index < 5; index += 1)
      made.push((await makeTenant(database, START + 1e9 + (index % 3))).tenant.id);
    const pages = await readAll(async (request) => valueOf(await database.tenants.page(request)), 2);
    const listed = pages.flat().filter(({ id }) => made.includes(id));
    expect(pages[0]).toHaveLength(2);
    expect(listed.map(({ id }) => id).toSorted()).toEqual(made.toSorted());
    expect(listed.map(({ createdAt }) => createdAt)).toEqual([2, 1, 1, 0, 0].map((ms) => START + 1e9 + ms));
  });

  test("are gone for everyone as soon as they are erased, and purged without a trace of their data", async () => {
    const { tenant, key } = await makeTenant(database);
    const agent = { id: newId("agent"), config: configOf("worker") };
    valueOf(await database.agents.create(tenant.id, agent, act("agent.create", agent.id)));
    const task = report();
    valueOf(await database.tasks.upsert(tenant.id, [task]));
    valueOf(await database.toolSources.publish(tenant.id, sourceOf("custom"), null));
    expect(await database.tenants.erase(tenant.id, act("tenant.erase", tenant.id))).toEqual({
      ok: true,
      value: tenant,
    });
    expect(await database.tenants.get(tenant.id)).toMatchObject({ ok: false, error: { code: "not_found" } });
    expect(await database.tenants.erase(tenant.id, act("tenant.erase", tenant.id))).toMatchObject({
      ok: false,
      error: { code: "not_found" },
    });
    expect(await database.keys.findByHash(tenant.id, key.hash)).toMatchObject({
      ok: false,
      error: { code: "not_found" },
    });
    expect(valueOf(await database.tenants.listErased(100))).toContain(tenant.id);

    valueOf(await database.tasks.upsert(tenant.id, [report()]));
    expect(valueOf(await database.tasks.some(tenant.id, 10))).toEqual([task.task]);

    valueOf(await database.tenants.purge(tenant.id));
    expect(valueOf(await database.tenants.listErased(100))).not.toContain(tenant.id);
    expect(valueOf(await database.tasks.some(tenant.id, 10))).toEqual([]);
    expect(valueOf(await database.keys.page(tenant.id, firstPage)).items).toEqual([]);
    expect(valueOf(await database.agents.page(tenant.id, firstPage)).items).toEqual([]);
    expect(valueOf(await database.toolSources.all(tenant.id))).toEqual([]);
    expect(valueOf(await database.toolSources.definitions(tenant.id))).toEqual([]);
  });

  test("that are active cannot be purged", async () => {
    const { tenant, key } = await makeTenant(database);
    valueOf(await database.tenants.purge(tenant.id));
    expect(valueOf(await database.keys.page(tenant.id, firstPage)).items).toEqual([key.key]);
  });
});

describe("keys", () => {
  test("with bounds are found by their hash, and an earlier release does not find them", async () => {
    const { tenant } = await makeTenant(database);
    const { key, hash } = newKey(tenant.id);
    const bound = { ...key, projects: ["sales"], agents: ["agent_1"] };
    const created = await database.keys.create({ key: bound, hash }, act("key.create", key.id));
    expect(created).toEqual({ ok: true, value: bound });
    expect(await database.keys.findByHash(tenant.id, hash)).toMatchObject({
      ok: true,
      value: { id: key.id, projects: ["sales"], agents: ["agent_1"] },
    });
    const stored = await asTenant(openConnection(server.url, server.endpoint), tenant.id, (query) => [
      query.select({ hash: keys.hash }).from(keys).where(eq(keys.id, key.id)),
    ]);
    expect(valueOf(stored)).toEqual([[{ hash: `bound:${hash}` }]]);
  });

  test("are found by their hash by their own tenant, until they are revoked", async () => {
    const [a, b] = [await makeTenant(database), await makeTenant(database)];
    const { id, name, scopes, expiresAt } = a.key.key;
    expect(await database.keys.findByHash(a.tenant.id, a.key.hash)).toEqual({
      ok: true,
      value: { id, tenant: a.tenant.id, name, scopes, expiresAt, person: null, projects: null, agents: null },
    });
    expect(await database.keys.findByHash(b.tenant.id, a.key.hash)).toMatchObject({
      ok: false,
      error: { code: "not_found" },
    });
    const revoked = act("key.revoke", id, START + 5);
    expect(valueOf(await database.keys.get(a.tenant.id, id))).toEqual(a.key.key);
    expect(await database.keys.get(b.tenant.id, id)).toMatchObject({ ok: false, error: { code: "not_found" } });
    expect(await database.keys.revoke(a.tenant.id, id, revoked)).toEqual({
      ok: true,
      value: { ...a.key.key, revokedAt: START + 5 },
    });
    expect(valueOf(await database.keys.get(a.tenant.id, id)).revokedAt).toBe(revoked.at);
    expect(await database.keys.findByHash(a.tenant.id, a.key.hash)).toMatchObject({
      ok: false,
      error: { code: "not_found" },
    });
  });

  test("are revoked once: a second time changes nothing and writes no second audit row", async () => {
    const { tenant, key } = await makeTenant(database);
    const first = act("key.revoke", key.key.id, START + 5);
    valueOf(await database.keys.revoke(tenant.id, key.key.id, first));
    const again = await database.keys.revoke(tenant.id, key.key.id, act("key.revoke", key.key.id, START + 9));
    expect(valueOf(again).revokedAt).toBe(START + 5);
    expect(valueOf(await database.audit.page(tenant.id, firstPage)).items).toEqual([first]);
  });

  test("that do not exist cannot be revoked, and write no audit row", async () => {
    const { tenant } = await makeTenant(database);
    const missing = newId("key");
    const answer = await database.keys.revoke(tenant.id, missing, act("key.revoke", missing));
    expect(answer).toMatchObject({ ok: false, error: { code: "not_found" } });
    expect(valueOf(await database.audit.page(tenant.id, firstPage)).items).toEqual([]);
  });
});

describe("agents", () => {
  test("retain every version as it was saved, including characters that Postgres cannot store in jsonb", async () => {
    const { tenant } = await makeTenant(database);
    const id = newId("agent");
    const config = {
      ...configOf("odd"),
      instructions: "NUL \u0000, half a pair \ud83d, and 🦦",
      tool_config: { a: { b: null } },
    };
    const made = valueOf(await database.agents.create(tenant.id, { id, config }, act("agent.create", id)));
    expect(made).toEqual({ id, version: 1, config, createdAt: START, updatedAt: START, archivedAt: null });
    const next = { ...config, name: "odder" };
    const update = { id, config: next, ifVersion: null };
    expect(valueOf(await database.agents.update(tenant.id, update, act("agent.update", id, START + 1)))).toEqual({
      id,
      version: 2,
      config: next,
      createdAt: START,
      updatedAt: START + 1,
      archivedAt: null,
    });
    expect(valueOf(await database.agents.versions(tenant.id, id, firstPage)).items).toEqual([
      { id, version: 2, config: next, createdAt: START + 1 },
      { id, version: 1, config, createdAt: START },
    ]);
    expect(valueOf(await database.agents.get(tenant.id, "odder"))).toMatchObject({ id, version: 2 });
    const acts = valueOf(await database.audit.page(tenant.id, firstPage)).items;
    expect(acts.map(({ action }) => action)).toEqual(["agent.update", "agent.create"]);
  });

  test("are made once by a request that is repeated", async () => {
    const { tenant } = await makeTenant(database);
    const agent = { id: newId("agent"), config: configOf("again") };
    const made = act("agent.create", agent.id);
    const first = valueOf(await database.agents.create(tenant.id, agent, made));
    expect(valueOf(await database.agents.create(tenant.id, agent, made))).toEqual(first);
    expect(valueOf(await database.audit.page(tenant.id, firstPage)).items).toEqual([made]);
  });

  test("have names that are unique in their tenant, and only there", async () => {
    const [a, b] = [await makeTenant(database), await makeTenant(database)];
    const create = (tenant: string, name: string) => {
      const id = newId("agent");
      return database.agents.create(tenant, { id, config: configOf(name) }, act("agent.create", id));
    };
    valueOf(await create(a.tenant.id, "twin"));
    const other = valueOf(await create(a.tenant.id, "other"));
    expect(await create(a.tenant.id, "twin")).toMatchObject({ ok: false, error: { code: "conflict", field: "name" } });
    expect((await create(b.tenant.id, "twin")).ok).toBe(true);
    const rename = { id: other.id, config: configOf("twin"), ifVersion: null };
    expect(await database.agents.update(a.tenant.id, rename, act("agent.update", other.id))).toMatchObject({
      ok: false,
      error: { code: "conflict", field: "name" },
    });
    expect(valueOf(await database.agents.get(a.tenant.id, other.id)).version).toBe(1);
  });

  test("are changed only at the version that the caller has seen", async () => {
    const { tenant } = await makeTenant(database);
    const id = newId("agent");
    valueOf(await database.agents.create(tenant.id, { id, config: configOf("seen") }, act("agent.create", id)));
    const change = (ifVersion: number | null, instructions: string) => {
      const config = { ...configOf("seen"), instructions };
      return database.agents.update(tenant.id, { id, config, ifVersion }, act("agent.update", id));
    };
    expect(valueOf(await change(1, "second")).version).toBe(2);
    expect(await change(1, "third")).toMatchObject({ ok: false, error: { code: "conflict", field: "If-Match" } });
    const versions = (await Promise.all(Array.from({ length: 8 }, (_, at) => change(null, `${at}`)))).map(
      (made) => valueOf(made).version,
    );
    expect(Math.max(...versions)).toBe(10);
    expect(valueOf(await database.agents.versions(tenant.id, id, firstPage)).items).toHaveLength(10);
  });

  test("have versions that are listed page by page", async () => {
    const { tenant } = await makeTenant(database);
    const id = newId("agent");
    valueOf(await database.agents.create(tenant.id, { id, config: configOf("paged") }, act("agent.create", id)));
    for (let index = 0; index < 4; index += 1) {
      const change = { id, config: { ...configOf("paged"), instructions: `${index}` }, ifVersion: null };
      valueOf(await database.agents.update(tenant.id, change, act("agent.update", id)));
    }
    const pages = await readAll(async (request) => valueOf(await database.agents.versions(tenant.id, id, request)), 2);
    expect(pages.map((page) => page.map(({ version }) => version))).toEqual([[5, 4], [3, 2], [1]]);
  });
});

describe("the index of tasks", () => {
  test("takes a newer row, and never an older one", async () => {
    const { tenant } = await makeTenant(database);
    const { task } = report();
    for (const [version, status] of [
      [2, "running"],
      [1, "queued"],
      [2, "failed"],
      [3, "completed"],
    ] as const) {
      const row = report({ version, status, input: `v${version}`, task });
      valueOf(await database.tasks.upsert(tenant.id, [row]));
      const seen = valueOf(await database.tasks.page(tenant.id, { status: null, project: null }, firstPage)).items;
      expect(seen.map((view) => view.status)).toEqual([version === 3 ? "completed" : "running"]);
    }
  });

  test("shows a task as it was reported, byte for byte", async () => {
    const { tenant } = await makeTenant(database);
    const row = report({ input: "NUL \u0000, half a pair \udc00, 🦦 and \\u0000", project: "sales\u0000" });
    valueOf(await database.tasks.upsert(tenant.id, [row]));
    const all = { status: null, project: null };
    expect(valueOf(await database.tasks.page(tenant.id, all, firstPage)).items).toEqual([row.view]);
    expect(valueOf(await database.tasks.page(tenant.id, { ...all, project: "sales\u0000" }, firstPage)).items).toEqual([
      row.view,
    ]);
  });

  test("lists by status and project, the latest first, and no hidden task", async () => {
    const { tenant } = await makeTenant(database);
    const rows = [
      report({ at: START + 1, status: "completed", project: "sales" }),
      report({ at: START + 2, status: "completed" }),
      report({ at: START + 3, project: "sales" }),
      report({ at: START + 4, hidden: true, project: "sales" }),
    ];
    valueOf(await database.tasks.upsert(tenant.id, rows));
    const [first, second, third] = rows.map(({ task }) => task);
    const list = async (filter: object) => {
      const all = { status: null, project: null, ...filter };
      return (await readAll(async (request) => valueOf(await database.tasks.page(tenant.id, all, request)), 1))
        .flat()
        .map(({ id }) => id);
    };
    expect(await list({})).toEqual([third, second, first]);
    expect(await list({ status: ["completed"] })).toEqual([second, first]);
    expect(await list({ project: "sales" })).toEqual([third, first]);
  });

  test("names the tasks of every tenant that are overdue, and forgets what is removed", async () => {
    const [a, b] = [await makeTenant(database), await makeTenant(database)];
    const [late, later, waiting] = [report({ wakeAt: 1000 }), report({ wakeAt: 2000 }), report({ wakeAt: null })];
    valueOf(await database.tasks.upsert(a.tenant.id, [later, waiting]));
    valueOf(await database.tasks.upsert(b.tenant.id, [late]));
    const expected = [
      { tenant: b.tenant.id, task: late.task },
      { tenant: a.tenant.id, task: later.task },
    ];
    const overdue = async (before: number) => valueOf(await database.tasks.overdue(before, firstPage)).items;
    expect(await overdue(3000)).toEqual(expected);
    expect(await overdue(2000)).toEqual(expected.slice(0, 1));
    valueOf(await database.tasks.remove(b.tenant.id, [late.task]));
    expect(await overdue(3000)).toEqual(expected.slice(1));
    valueOf(await database.tasks.remove(a.tenant.id, [later.task]));
  });

  test("names overdue tasks page by page, the longest overdue first, each once", async () => {
    const { tenant } = await makeTenant(database);
    const rows = [1003, 1001, 1002, 1002, 1002].map((wakeAt) => report({ wakeAt }));
    valueOf(await database.tasks.upsert(tenant.id, rows));
    const wanted = rows.toSorted((x, y) => (x.wakeAt ?? 0) - (y.wakeAt ?? 0) || (x.task < y.task ? -1 : 1));
    const pages = await readAll(async (request) => valueOf(await database.tasks.overdue(3000, request)), 2);
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(pages.flat().map(({ task }) => task)).toEqual(wanted.map(({ task }) => task));
    valueOf(
      await database.tasks.remove(
        tenant.id,
        wanted.map(({ task }) => task),
      ),
    );
  });

  test("ends a page early if its tasks are large, and returns every task in full on some page", async () => {
    const { tenant } = await makeTenant(database);
    const input = "日".repeat(200_000);
    const rows = Array.from({ length: 30 }, (_, index) => report({ at: START + index, input }));
    for (const row of rows) valueOf(await database.tasks.upsert(tenant.id, [row]));
    const all = { status: null, project: null };
    const pages = await readAll(async (request) => valueOf(await database.tasks.page(tenant.id, all, request)), 100);
    expect(pages.length).toBeGreaterThan(1);
    for (const page of pages) expect(page.length).toBeGreaterThan(0);
    expect(pages.flat()).toEqual(rows.map(({ view }) => view).toReversed());
  });
});

describe("a database that is away", () => {
  test("is upstream_failed with a retry time, and is used again once it is available", async () => {
    const away = openDatabase(server.url, "http://127.0.0.1:1/sql");
    expect(await away.tenants.get(newId("tenant"))).toMatchObject({
      ok: false,
      error: { code: "upstream_failed", retryAfterMs: expect.any(Number) },
    });
    const back = openDatabase(server.url, server.endpoint);
    expect(await back.tenants.get(newId("tenant"))).toMatchObject({ ok: false, error: { code: "not_found" } });
    expect(await away.tenants.get(newId("tenant"))).toMatchObject({ ok: false, error: { code: "not_found" } });
  });

  test("is reported for a wrong password too, without the password in the caller's text", async () => {
    const wrong = openDatabase(server.url.replace(/:[^:@]+@/, ":not-the-password@"), server.endpoint);
    const answer = await wrong.tenants.get(newId("tenant"));
    expect(answer).toMatchObject({ ok: false, error: { code: "upstream_failed" } });
    expect(JSON.stringify(answer)).not.toContain("not-the-password");
  });
});
