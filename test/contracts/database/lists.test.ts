/** What lists of tasks are searched in and narrowed by, what waits for people, trees, and lists of acts. */
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { neon } from "@neondatabase/serverless";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { openDatabase } from "../../../adapters/database/database.ts";
import type { Database } from "../../../core/ports/database.ts";
import type { InboxPage } from "../../../core/ports/task-index.ts";
import type { TaskReport } from "../../../core/task/rpc.ts";
import type { PageRequest, PagePosition } from "../../../core/base/page-cursor.ts";
import type { OpenWait } from "../../../core/task/open-waits.ts";
import { migrate } from "../../../scripts/database/migrate.ts";
import { openEmptyDatabase, startTestDatabase, type TestDatabase } from "../../../scripts/database/test-database.ts";
import { act, makeTenant, report, type ReportOptions, START } from "./rows.ts";

const MIGRATIONS = "migrations";
const ALL = { status: null, project: null };
const EVERYTHING = { kind: null, person: null };
const firstPage: PageRequest = { after: null, limit: 100 };

let server: TestDatabase;
let database: Database;

beforeAll(async () => {
  server = await startTestDatabase();
  database = openDatabase(server.url, server.endpoint);
});
afterAll(() => server.close());

function valueOf<T>(result: { ok: true; value: T } | { ok: false; error: unknown }): T {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

const newTenantId = async () => (await makeTenant(database)).tenant.id;
const put = async (tenant: string, ...rows: readonly TaskReport[]) =>
  valueOf(await database.tasks.upsert(tenant, rows));

const question = (since: number, more: Partial<OpenWait> = {}): OpenWait => {
  return { id: `qst_${since}`, kind: "question", person: null, person_id: null, since, ...more };
};

function below(parent: string, options: ReportOptions = {}): TaskReport {
  const made = report(options);
  return { ...made, view: { ...made.view, parent_id: parent } };
}

async function inbox(tenant: string, filter: Parameters<Database["tasks"]["inbox"]>[1] = EVERYTHING, page = firstPage) {
  return valueOf(await database.tasks.inbox(tenant, filter, page));
}

describe("the index", () => {
  test("accepts text that Postgres cannot store, and finds the text around it", async () => {
    const tenant = await newTenantId();
    const [nul, half] = [String.fromCharCode(0), String.fromCharCode(0xd800)];
    const odd = report({ input: `Before ${nul} and ${half}\nafter`, status: "waiting_input" });
    await put(tenant, { ...odd, waits: [question(1, { person: `A${nul}na` })] });
    const found = valueOf(await database.tasks.page(tenant, { ...ALL, text: "before" }, firstPage));
    expect(found.items).toEqual([odd.view]);
    expect((await inbox(tenant)).items).toMatchObject([{ person: "A\ufffdna" }]);
  });

  test("searches for a text as it is written: no character of it means anything", async () => {
    const tenant = await newTenantId();
    const task = report({ input: "100% of a_b\\c" });
    await put(tenant, task, report({ input: "100 of axb c" }));
    for (const text of ["100%", "a_b", "b\\c"]) {
      const found = valueOf(await database.tasks.page(tenant, { ...ALL, text }, firstPage));
      expect(found.items.map(({ id }) => id)).toEqual([task.task]);
    }
  });
});

describe("the short form of a list", () => {
  test("is cut, follows the reports, and reads no long view", async () => {
    const tenant = await newTenantId();
    const [long, brief] = [report({ input: "x".repeat(200_000), at: START + 1 }), report()];
    await put(tenant, long, brief);
    const listed = async () => valueOf(await database.tasks.shortPage(tenant, ALL, firstPage)).items;
    const cut = { ...long.view, input: "x".repeat(500), cut: ["input"] };
    expect(await listed()).toEqual([cut, { ...brief.view, cut: [] }]);
    await put(tenant, { ...long, version: 2, view: { ...long.view, input: "Shorter" } });
    expect(await listed()).toMatchObject([{ input: "Shorter", cut: [] }, {}]);
    const many = Array.from({ length: 45 }, () => report({ input: "x".repeat(190_000), at: START + 2 }));
    for (let start = 0; start < many.length; start += 15) await put(tenant, ...many.slice(start, start + 15));
    expect(valueOf(await database.tasks.page(tenant, ALL, { after: null, limit: 45 })).items.length).toBeLessThan(45);
    const page = valueOf(await database.tasks.shortPage(tenant, ALL, { after: null, limit: 45 }));
    expect(page.items.map(({ id }) => id).toSorted()).toEqual(many.map(({ task }) => task).toSorted());
  });

  test.each([
    ["that an earlier release made", "short_view = null"],
    ["that an earlier release wrote after this one", `version = version + 1, view = replace(view, 'XX', 'YY')`],
  ])("of a row %s is made of its view", async (_, change) => {
    const tenant = await newTenantId();
    // Ids are lower-case: an id that has "xx" would be changed with the text.
    const long = report({ input: "X".repeat(200_000) });
    await put(tenant, long);
    const statement = neon(server.url, { disableWarningInBrowsers: true });
    await statement.transaction([
      statement.query("select set_config('app.tenant', $1, true)", [tenant]),
      statement.query(`update tasks set ${change} where id = $1`, [long.task]),
    ]);
    const input = change.includes("replace") ? "Y" : "X";
    const { items } = valueOf(await database.tasks.shortPage(tenant, ALL, firstPage));
    expect(items).toEqual([{ ...long.view, input: input.repeat(500), cut: ["input"] }]);
  });
});

describe("what waits for people", () => {
  test("is that of each task's latest report, and is deleted with it", async () => {
    const tenant = await newTenantId();
    const asks = report({ status: "waiting_input" });
    await put(tenant, { ...asks, waits: [question(5), question(3, { id: "qst_first" })] });
    expect(await inbox(tenant)).toMatchObject({
      total: 2,
      items: [{ id: "qst_first", task: { id: asks.task, title: "Say hello" } }, { since: 5 }],
    });
    await put(tenant, { ...asks, version: 2, waits: [question(5)] });
    expect((await inbox(tenant)).total).toBe(1);
    await put(tenant, { ...asks, version: 3 });
    expect(await inbox(tenant)).toEqual({ items: [], next: null, total: 0 });
  });

  test("includes hidden tasks, but no other tenant's", async () => {
    const [tenant, other] = [await newTenantId(), await newTenantId()];
    await put(tenant, { ...report({ hidden: true }), waits: [question(1, { kind: "approval" })] });
    expect((await inbox(tenant)).total).toBe(1);
    expect(await inbox(other)).toEqual({ items: [], next: null, total: 0 });
  });

  test("is read in pages, also where many wait since the same moment", async () => {
    const tenant = await newTenantId();
    const waits = Array.from({ length: 7 }, (_, index) => question(1, { id: `qst_${index}` }));
    await put(tenant, { ...report(), waits });
    const seen: string[] = [];
    for (let after: PagePosition | null = null; ; ) {
      const { items, next, total }: InboxPage = await inbox(tenant, EVERYTHING, { after, limit: 3 });
      expect(total).toBe(7);
      seen.push(...items.map(({ id }) => id));
      if (next === null) break;
      after = next;
    }
    expect(seen).toEqual(waits.map(({ id }) => id));
  });
});

describe("what waits for people, the newest first,", () => {
  test("is the same in the other order, in pages too", async () => {
    const tenant = await newTenantId();
    await put(tenant, {
      ...report(),
      waits: [3, 1, 2, 2].map((since, index) => question(since, { id: `qst_${index}` })),
    });
    const seen: string[] = [];
    for (let after: PagePosition | null = null; ; ) {
      const { items, next, total }: InboxPage = await inbox(
        tenant,
        { ...EVERYTHING, order: "newest" },
        { after, limit: 3 },
      );
      expect(total).toBe(4);
      seen.push(...items.map(({ id }) => id));
      if (next === null) break;
      after = next;
    }
    expect(seen).toEqual(["qst_0", "qst_3", "qst_2", "qst_1"]);
  });
});

describe("the tasks below one", () => {
  test("are walked no further than their limit, however wide, deep or round a tree is", async () => {
    const tenant = await newTenantId();
    const [one, other] = [report(), report()];
    const round = [below(other.task, { task: one.task }), below(one.task, { task: other.task })];
    const wide = Array.from({ length: 20 }, (_, index) => below(one.task, { at: START + 1 + index }));
    await put(tenant, ...round, ...wide);
    // A circle has no end: the walk itself has to have one.
    const nodes = valueOf(await database.tasks.listBelow(tenant, one.task, 30));
    expect(nodes).toHaveLength(30);
    expect(valueOf(await database.tasks.listBelow(tenant, one.task, 5)).map(({ id }) => id)).toEqual([
      other.task,
      ...wide.slice(0, 4).map(({ task }) => task),
    ]);
  });

  test("are those of its tree, the nearest first, without hidden ones and those of another tenant", async () => {
    const [tenant, other] = [await newTenantId(), await newTenantId()];
    const root = report();
    const [late, early] = [below(root.task, { at: START + 2 }), below(root.task, { at: START + 1, tokens: 50 })];
    const deep = below(late.task, { at: START + 3, input: "Deep\nwork" });
    await put(tenant, root, late, early, deep, below(root.task, { hidden: true }));
    await put(other, below(root.task));
    const nodes = valueOf(await database.tasks.listBelow(tenant, root.task, 10));
    expect(nodes.map(({ id }) => id)).toEqual([early.task, late.task, deep.task]);
    expect(nodes[0]).toMatchObject({ parent_id: root.task, usage: { tokens: 50, cost_usd: 0.0001 }, ended_at: null });
    expect(nodes[2]).toMatchObject({ parent_id: late.task, title: "Deep", created_at: deep.view.created_at });
    expect(valueOf(await database.tasks.listBelow(tenant, root.task, 2))).toEqual(nodes.slice(0, 2));
    expect(valueOf(await database.tasks.listBelow(other, late.task, 10))).toEqual([]);
  });
});

describe("a list of acts", () => {
  test("is narrowed to a kind of act or one act, to an actor, a target and a time", async () => {
    const tenant = await newTenantId();
    const acts = [
      { ...act("agent.create", "agent_1", START + 1), actor: "key_1" },
      { ...act("agent.update", "agent_1", START + 2), actor: "key_2" },
      { ...act("mcp_server.set", "agent", START + 3), actor: "key_2" },
    ];
    for (const one of acts) valueOf(await database.audit.add(tenant, one));
    const listed = async (filter: Parameters<Database["audit"]["page"]>[2]) =>
      valueOf(await database.audit.page(tenant, firstPage, filter))
        .items.filter(({ at }) => at > START)
        .map(({ action }) => action);
    expect(await listed({ action: "agent" })).toEqual(["agent.update", "agent.create"]);
    expect(await listed({ action: "agent.update" })).toEqual(["agent.update"]);
    expect(await listed({ action: "mcp" })).toEqual([]);
    expect(await listed({ actor: "key_2" })).toEqual(["mcp_server.set", "agent.update"]);
    expect(await listed({ target: "agent_1", from: START + 2 })).toEqual(["agent.update"]);
    expect(await listed({ before: START + 2 })).toEqual(["agent.create"]);
  });
});

test("rows of an earlier release are listed by their text and wait for people as before", async () => {
  const folder = await mkdtemp(join(tmpdir(), "otto-migrations-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const names = (await readdir(MIGRATIONS)).filter((name) => name.endsWith(".sql")).toSorted();
  const [before, after] = [names.filter((name) => name < "0016"), names.filter((name) => name >= "0016")];
  const copy = async (files: readonly string[]) => {
    for (const file of files) await cp(join(MIGRATIONS, file), join(folder, file));
  };
  const backend = await openEmptyDatabase();
  onTestFinished(() => backend.close());
  await copy(before);
  await migrate(backend, { folder, appPassword: null });
  const pending = [
    { kind: "question", id: "qst_1", query: "?", person: "Ana" },
    { kind: "unknown", call_id: "call_1", task_id: "task_below" },
  ];
  const view = JSON.stringify({ input: "First LINE\nsecond", pending, ended_at: null });
  const odd = JSON.stringify({ input: "nul \u0000", pending: [], ended_at: null });
  await backend.asOwner(async (connection) => {
    await connection.script(`
      alter table tenants no force row level security; alter table tasks no force row level security;
      insert into tenants values ('ten_1', 'x', now());
      insert into tasks (tenant, id, version, status, hidden, agent, created_at, updated_at, view) values
        ('ten_1', 'task_1', 1, 'waiting_input', false, 'a', now(), now(), '${view}'),
        ('ten_1', 'task_2', 1, 'waiting_input', false, 'a', now(), now(), '${odd}');
      alter table tenants force row level security; alter table tasks force row level security;`);
  });
  await copy(after);
  await migrate(backend, { folder, appPassword: null });
  const rows = await backend.asOwner(async (connection) => {
    await connection.script("alter table tasks no force row level security");
    return await connection.query({
      query: "select id, title, search_text, waits::text from tasks order by id",
      params: [],
    });
  });
  expect(JSON.stringify(rows)).toContain("first line");
  expect(JSON.stringify(rows)).toContain("qst_1");
  expect(JSON.stringify(rows)).not.toContain("call_1");
});
