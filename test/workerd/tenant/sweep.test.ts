import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { appCatalogueFromEnv } from "../../../adapters/env/app-catalogue.ts";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { filesFromEnv } from "../../../adapters/env/files.ts";
import { tasksFromEnv } from "../../../adapters/env/tasks.ts";
import { tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import { ok } from "../../../core/base/errors.ts";
import { sweep } from "../../../workers/sweep.ts";
import { report } from "../../contracts/database/rows.ts";
import { newTenant, operatorKey, send, sendJson, tenantStub, type TestTenant, watchDatabase } from "./client.ts";

interface Task {
  readonly id: string;
  readonly status: string;
}

const PAGE = { after: null, limit: 100 };
const ALL = { status: null, project: null };

const indexed = async (tenant: TestTenant) => {
  const read = await databaseFromEnv(env).tasks.page(tenant.id, ALL, PAGE);
  return read.ok ? read.value.items : [];
};

const taskState = (tenant: TestTenant, task: string) => env.TASKS.get(env.TASKS.idFromName(`${tenant.id}/${task}`));

async function newTask(tenant: TestTenant, body: object): Promise<Task> {
  const made = await sendJson<Task>({ method: "POST", path: "/v1/tasks", key: tenant.key, body });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  return made.body;
}

/** The ids of erased tenants whose rows are still there. */
const erased = async () => {
  const read = await databaseFromEnv(env).tenants.listErased(100);
  return read.ok ? read.value : [];
};

const untilPurged = async (tenant: TestTenant) =>
  await vi.waitFor(
    async () => {
      await sweep(env, Date.now());
      expect(await erased()).not.toContain(tenant.id);
    },
    { timeout: 20_000, interval: 50 },
  );

/** What the sweep has complained of; objects of other tests write to the log too. */
function complaintsIn(log: { readonly mock: { readonly calls: readonly unknown[][] } }): string[] {
  return log.mock.calls.flatMap(([line]) => /"sweep":"([^"]*)"/.exec(String(line))?.[1] ?? []);
}

/** From now on the task's object with this name cannot be reached. */
function breakTask(name: string): void {
  const get = env.TASKS.get.bind(env.TASKS);
  const broken = env.TASKS.idFromName(name);
  vi.spyOn(env.TASKS, "get").mockImplementation((id, ...rest) => {
    if (id.equals(broken)) throw new Error("the object cannot be reached");
    return get(id, ...rest);
  });
}

test("wakes a task whose alarm was lost", async () => {
  const tenant = await newTenant();
  const { id } = await newTask(tenant, {
    input: JSON.stringify({ replies: [{ calls: [{ name: "wait", arguments: { seconds: 5 } }] }] }),
  });
  const read = async () => (await sendJson<Task>({ path: `/v1/tasks/${id}`, key: tenant.key })).body.status;
  await vi.waitFor(async () => expect(await read()).toBe("sleeping"), { timeout: 20_000, interval: 25 });
  await runInDurableObject(taskState(tenant, id), (_, state) => state.storage.deleteAlarm());
  await vi.waitFor(async () => expect(await indexed(tenant)).toMatchObject([{ id, status: "sleeping" }]), {
    timeout: 20_000,
    interval: 50,
  });
  await sweep(env, Date.now());
  expect(await read()).toBe("sleeping");
  await sweep(env, Date.now() + 120_000);
  await vi.waitFor(async () => expect(await read()).toBe("completed"), { timeout: 25_000, interval: 100 });
});

test("checks many more tasks in one run than it reads at once, and continues after a failing one", async () => {
  const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const [tenant, broken] = [await newTenant(), await newTenant()];
  const stuck = report({ wakeAt: 1, hidden: true });
  await databaseFromEnv(env).tasks.upsert(broken.id, [stuck]);
  breakTask(`${broken.id}/${stuck.task}`);
  const ghosts = Array.from({ length: 250 }, (_, index) => report({ wakeAt: 2 + (index % 5), hidden: true }));
  await databaseFromEnv(env).tasks.upsert(tenant.id, ghosts);
  await sweep(env, Date.now());
  expect(await databaseFromEnv(env).tasks.some(tenant.id, 1)).toEqual({ ok: true, value: [] });
  expect(await databaseFromEnv(env).tasks.some(broken.id, 1)).toEqual({ ok: true, value: [stuck.task] });
  expect(complaintsIn(log)).toHaveLength(1);
  vi.restoreAllMocks();
  await sweep(env, Date.now());
  expect(await databaseFromEnv(env).tasks.some(broken.id, 1)).toEqual({ ok: true, value: [] });
});

test("says in the log that the database is away, and throws nothing", async () => {
  const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
  // Other tests may have published one, which the isolate holds.
  vi.spyOn(appCatalogueFromEnv(env), "snapshot").mockResolvedValue(ok(null));
  watchDatabase().isAway = true;
  await sweep(env, Date.now());
  expect(complaintsIn(log)).toEqual([
    "finding overdue tasks",
    "finding overdue deliveries",
    "finding overdue schedules",
    "finding erased tenants",
    "embedding memories",
    // Without a key of the operator, it looks for a tenant that has one.
    "looking after the catalogue of apps",
    "waking tasks that wait for connections",
    "revoking connections",
    "checking connections",
    "deleting events of ended triggers",
    "waking documents",
    "removing documents",
    "embedding documents",
    "indexing codebases again",
  ]);
});

test("erases all of a tenant: its tasks, files, blobs, object and rows", async () => {
  const tenant = await newTenant();
  const asks = {
    input: JSON.stringify({ replies: [{ calls: [{ name: "ask_human", arguments: { query: "Which?" } }] }] }),
    project: "sales",
  };
  const [live, ended] = [await newTask(tenant, asks), await newTask(tenant, { input: "Say hello" })];
  const read = async (id: string) => (await sendJson<Task>({ path: `/v1/tasks/${id}`, key: tenant.key })).body.status;
  await vi.waitFor(
    async () => expect([await read(live.id), await read(ended.id)]).toEqual(["waiting_input", "completed"]),
    { timeout: 25_000, interval: 50 },
  );
  await env.FILES.put(`${tenant.id}/tree/${live.id}/blobs/abc`, "secret");
  await env.FILES.put(`${tenant.id}x/tree/other/blobs/abc`, "a neighbour's");
  await vi.waitFor(async () => expect(await indexed(tenant)).toHaveLength(2), { timeout: 20_000, interval: 50 });

  expect((await send({ method: "DELETE", path: `/v1/tenants/${tenant.id}`, key: operatorKey() })).status).toBe(200);
  await untilPurged(tenant);
  for (const task of [live, ended]) {
    expect(await tasksFromEnv(env)(tenant.id, task.id).view()).toMatchObject({
      ok: false,
      error: { code: "not_found" },
    });
  }
  expect((await env.FILES.list({ prefix: `${tenant.id}/` })).objects).toEqual([]);
  expect((await env.FILES.list({ prefix: `${tenant.id}x/` })).objects).toHaveLength(1);
  expect(await databaseFromEnv(env).audit.page(tenant.id, PAGE)).toEqual({
    ok: true,
    value: { items: [], next: null },
  });
  expect(
    await tenantsFromEnv(env)(tenant.id).admit({ keyHash: "a".repeat(64), keyRecord: null, idempotency: null }),
  ).toEqual({ kind: "dead_key" });
});

test("erases the tasks of a tenant too that Postgres does not know", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const tenant = await newTenant();
  await send({ path: "/v1/agents/agent_default", key: tenant.key });
  const watch = watchDatabase();
  watch.isAway = true;
  const asks = JSON.stringify({ replies: [{ calls: [{ name: "ask_human", arguments: { query: "Which?" } }] }] });
  const { id } = await newTask(tenant, { input: asks, project: "sales" });
  const read = async () => (await sendJson<Task>({ path: `/v1/tasks/${id}`, key: tenant.key })).body.status;
  await vi.waitFor(async () => expect(await read()).toBe("waiting_input"), { timeout: 25_000, interval: 25 });
  await env.FILES.put(`${tenant.id}/project/sales/blobs/abc`, "secret");
  expect(await tenantsFromEnv(env)(tenant.id).flush()).toBe(false);
  await runInDurableObject(tenantStub(tenant.id), (_, state) => state.storage.deleteAlarm());
  watch.isAway = false;

  expect((await send({ method: "DELETE", path: `/v1/tenants/${tenant.id}`, key: operatorKey() })).status).toBe(200);
  expect(await databaseFromEnv(env).tasks.some(tenant.id, 1)).toEqual({ ok: true, value: [] });
  await untilPurged(tenant);
  expect(await tasksFromEnv(env)(tenant.id, id).view()).toMatchObject({ ok: false, error: { code: "not_found" } });
  expect((await env.FILES.list({ prefix: `${tenant.id}/` })).objects).toEqual([]);
});

test("erases the files of a project too that no task remembers", async () => {
  const tenant = await newTenant();
  const files = filesFromEnv(env, { tenant: tenant.id, rootId: "task_gone", project: "sales" });
  for (const path of ["own.txt", "project/shared.txt"])
    expect((await files.write(path, new TextEncoder().encode("secret"), { key: path })).ok).toBe(true);
  expect((await send({ method: "DELETE", path: `/v1/tenants/${tenant.id}`, key: operatorKey() })).status).toBe(200);
  await sweep(env, Date.now());
  expect(await files.list("project")).toEqual({ ok: true, value: [] });
  expect(await files.stat("own.txt")).toMatchObject({ ok: false, error: { code: "not_found" } });
  expect((await env.FILES.list({ prefix: `${tenant.id}/` })).objects).toEqual([]);
});

test("erases in one run many more tasks of a tenant than it reads at once", async () => {
  const tenant = await newTenant();
  const rows = Array.from({ length: 230 }, () => report());
  await databaseFromEnv(env).tasks.upsert(tenant.id, rows);
  expect((await send({ method: "DELETE", path: `/v1/tenants/${tenant.id}`, key: operatorKey() })).status).toBe(200);
  await sweep(env, Date.now());
  expect(await erased()).not.toContain(tenant.id);
});
