/** What comes back of a tenant when its rows are lost, or are those of an older database, or its object is the older one. */
import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { filesFromEnv } from "../../../adapters/env/files.ts";
import { tasksFromEnv } from "../../../adapters/env/tasks.ts";
import { tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import { getSummaryId } from "../../../core/memory/memory.ts";
import { report } from "../../contracts/database/rows.ts";
import { type Caller, makeCaller } from "../http/entry.ts";
import {
  asOwner,
  hold,
  listed,
  loseRows,
  quiet,
  readLater,
  reindexOf,
  SOON,
  setClockAhead,
  startReindex,
  untilDone,
} from "../tenants/reindex-client.ts";
import { makeAgent, newKey, newTenant, operatorKey, send, sendJson, tenantStub, type TestTenant } from "./client.ts";

afterEach(() => {
  vi.useRealTimers();
});

async function callerOf(): Promise<{ caller: Caller; tenant: TestTenant }> {
  const caller = await makeCaller();
  return { caller, tenant: { id: caller.tenant, key: caller.key } };
}

describe("a tenant whose rows are lost", () => {
  test("gets back its row, keys, tasks, projects and schedules, and reports what only the database had", async () => {
    quiet();
    const tenant = await newTenant("Lost Ltd");
    const other = await newKey(tenant, ["tasks:read"]);
    await send({ path: "/v1/tasks", key: other.key });
    const draft = await hold(tenant, "sales");
    const body = { input: "Hello.", project: "sales" };
    const ended = await sendJson<{ id: string }>({ method: "POST", path: "/v1/tasks?wait=20", key: tenant.key, body });
    const erased = await hold(tenant);
    expect((await send({ method: "POST", path: `/v1/tasks/${erased}/cancel`, key: tenant.key })).status).toBe(202);
    expect((await send({ method: "DELETE", path: `/v1/tasks/${erased}`, key: tenant.key })).status).toBe(200);
    const when = { kind: "interval", every_seconds: 3600 };
    const schedule = { name: "hourly", when, task: { input: "Look." } };
    const made = await sendJson<{ id: string }>({
      method: "POST",
      path: "/v1/schedules",
      key: tenant.key,
      body: schedule,
    });
    expect(made).toMatchObject({ status: 201 });
    expect(await makeAgent(tenant, "lost-agent")).toMatchObject({ status: 201 });
    const secret = { name: "TOKEN", value: "a-value-of-some-length-7", hosts: ["api.example.com"] };
    const sealed = await sendJson({ method: "POST", path: "/v1/secrets", key: tenant.key, body: secret });
    expect(sealed).toMatchObject({ status: 201 });
    expect((await readLater(tenant)).length).toBe(2);

    await loseRows(tenant.id);
    await readLater(tenant);
    const reindex = await untilDone(tenant);
    expect(reindex).toMatchObject({
      reason: "missing",
      rebuilt: { tasks: 2, projects: 1, schedules: 1, keys: 2 },
      not_rebuilt: { agents: 1, people: 1, secrets: 1 },
      missing: 0,
    });
    expect(await listed(tenant)).toEqual([draft, ended.body.id].toSorted());
    const row = await sendJson<{ name: string }>({ path: `/v1/tenants/${tenant.id}`, key: operatorKey() });
    expect([row.status, row.body.name]).toEqual([200, "Lost Ltd"]);
    const schedules = await sendJson<{ data: { id: string }[] }>({ path: "/v1/schedules", key: tenant.key });
    expect(schedules.body.data.map(({ id }) => id)).toEqual([made.body.id]);
    const keys = await sendJson<{ data: { id: string }[] }>({ path: "/v1/keys", key: tenant.key });
    expect(keys.body.data.map(({ id }) => id)).toContain(other.id);
    // Its person is lost: nobody acts under that name any more.
    const task = { method: "POST", path: "/v1/tasks", key: tenant.key, body: { input: "x", hold: true } };
    expect(await sendJson(task)).toMatchObject({ status: 201, body: { acts_for: null } });
    const acts = await sendJson<{ data: { action: string; actor: string }[] }>({
      path: "/v1/audit?action=tenant.reindex",
      key: tenant.key,
    });
    expect(acts.body.data).toMatchObject([{ actor: "otto" }]);
    setClockAhead();
    const health = await sendJson<{ reindex: { not_rebuilt: Record<string, number> } }>({ path: "/health" });
    expect(health.body.reindex.not_rebuilt["agents"]).toBeGreaterThanOrEqual(1);
  });

  test("gets back projects that have files and no task, and counts those that have neither", async () => {
    quiet();
    const tenant = await newTenant();
    const files = filesFromEnv(env, { tenant: tenant.id, rootId: "task_x", project: "filed" });
    for (const project of ["filed", "empty"]) {
      const memory = { content: `Of ${project}.`, project };
      expect((await sendJson({ method: "POST", path: "/v1/memory", key: tenant.key, body: memory })).status).toBe(201);
    }
    const written = await files.write("project/plan.md", new TextEncoder().encode("Plan"), { key: "one" });
    expect(written.ok).toBe(true);
    await readLater(tenant);
    await loseRows(tenant.id);
    await readLater(tenant);
    expect(await untilDone(tenant)).toMatchObject({
      rebuilt: { projects: 1 },
      not_rebuilt: { projects: 1, memories: 2 },
    });
    const projects = await sendJson<{ data: { name: string }[] }>({ path: "/v1/projects", key: tenant.key });
    expect(projects.body.data.map(({ name }) => name)).toEqual(["filed"]);
    expect((await startReindex(tenant)).status).toBe(202);
    expect((await untilDone(tenant)).not_rebuilt).toMatchObject({ projects: 1 });
  });

  test("is found by the next batch of its index too, whose tasks run meanwhile and lose nothing", async () => {
    quiet();
    const { caller, tenant } = await callerOf();
    const before = await caller.makeTask([{ text: "One." }]);
    await caller.until(before.id, ({ status }) => status === "completed");
    await caller.send("GET", "/v1/tasks");
    await loseRows(tenant.id);
    const after = await caller.makeTask([{ text: "Two." }]);
    await caller.until(after.id, ({ status }) => status === "completed");
    await untilDone(tenant);
    await vi.waitFor(async () => expect(await listed(tenant)).toEqual([before.id, after.id].toSorted()), SOON);
  });

  test("continues after a crash, and a repeat finds nothing to do and still reports the losses", async () => {
    quiet();
    const tenant = await newTenant();
    const tasks = [];
    for (let made = 0; made < 5; made += 1) tasks.push(await hold(tenant));
    expect((await makeAgent(tenant, "lost-agent")).status).toBe(201);
    await readLater(tenant);
    await loseRows(tenant.id);
    const started = await startReindex(tenant);
    expect([started.status, started.body.state, started.body.reason]).toEqual([202, "running", "missing"]);
    await abortAllDurableObjects();
    expect((await untilDone(tenant)).not_rebuilt).toEqual({ agents: 1, people: 1 });
    expect((await startReindex(tenant)).status).toBe(202);
    const again = await untilDone(tenant);
    expect(again).toMatchObject({ reason: "requested", not_rebuilt: { agents: 1, people: 1 }, removed: 0, missing: 0 });
    expect(again.progress).toEqual({ done: 5, total: 5 });
    expect(await listed(tenant)).toEqual(tasks.toSorted());
  });
});

test("an older database forgets again what was erased since, and takes what came since", async () => {
  quiet();
  const tenant = await newTenant();
  const [live, since, erased] = [await hold(tenant), await hold(tenant), await hold(tenant)];
  await readLater(tenant);
  const saved = await asOwner("select row_to_json(t) as row from tasks t where id = $1", erased);
  expect((await send({ method: "POST", path: `/v1/tasks/${erased}/cancel`, key: tenant.key })).status).toBe(202);
  expect((await send({ method: "DELETE", path: `/v1/tasks/${erased}`, key: tenant.key })).status).toBe(200);
  // One that the tenant's object remembers as erased, and one that it has long forgotten.
  const ghost = report({ status: "completed" });
  await databaseFromEnv(env).tasks.upsert(tenant.id, [ghost]);
  await asOwner(
    "insert into tasks select * from json_populate_record(null::tasks, $1::json)",
    JSON.stringify(saved[0]?.["row"]),
  );
  await asOwner("delete from tasks where tenant = $1 and id = $2", tenant.id, since);
  await asOwner("update tenants set counter = 0 where id = $1", tenant.id);
  await readLater(tenant);
  expect(await untilDone(tenant)).toMatchObject({ reason: "behind", removed: 2 });
  expect(await listed(tenant)).toEqual([live, since].toSorted());
});

test("an older database retains memories of a task that retention has erased since", async () => {
  quiet();
  const { caller, tenant } = await callerOf();
  const tasks = [];
  for (let made = 0; made < 2; made += 1) {
    const { id } = await caller.makeTask([{ text: "Done." }]);
    await caller.until(id, ({ status }) => status === "completed");
    tasks.push(id);
  }
  const [retained = "", deleted = ""] = tasks;
  await tenantsFromEnv(env)(tenant.id).summarise();
  await readLater(tenant);
  const saved = await asOwner("select row_to_json(t) as row from tasks t where tenant = $1", tenant.id);
  await tasksFromEnv(env)(tenant.id, retained).erase(true);
  await tasksFromEnv(env)(tenant.id, deleted).erase(false);
  expect(await listed(tenant)).toEqual([]);
  for (const { row } of saved)
    await asOwner("insert into tasks select * from json_populate_record(null::tasks, $1::json)", JSON.stringify(row));
  await asOwner("update tenants set counter = 0 where id = $1", tenant.id);
  await readLater(tenant);
  expect(await untilDone(tenant)).toMatchObject({ reason: "behind", removed: 2 });
  expect(await listed(tenant)).toEqual([]);
  const { json } = await caller.send("GET", "/v1/memory?limit=100");
  expect(json.data.map(({ id }: { id: string }) => id)).toEqual([getSummaryId(retained)]);
});

test("an object that is older than its row takes in its tasks, and removes no row", async () => {
  quiet();
  const tenant = await newTenant();
  const task = await hold(tenant);
  await readLater(tenant);
  const ghost = report({ status: "completed" });
  await databaseFromEnv(env).tasks.upsert(tenant.id, [ghost]);
  await asOwner("update tenants set counter = 1000 where id = $1", tenant.id);
  await runInDurableObject(tenantStub(tenant.id), (_, { storage }) => storage.sql.exec("DELETE FROM tasks"));
  await readLater(tenant);
  expect(await untilDone(tenant)).toMatchObject({ reason: "ahead", removed: 0, missing: 1 });
  expect(await listed(tenant)).toEqual([ghost.task, task].toSorted());
  const known = await runInDurableObject(tenantStub(tenant.id), (_, { storage }) =>
    storage.sql.exec("SELECT task FROM tasks").toArray(),
  );
  expect(known).toEqual([{ task }]);
});

test("a batch that was cut off after the database took it does not set them apart", async () => {
  const tenant = await newTenant();
  await hold(tenant);
  await readLater(tenant);
  await asOwner("update tenants set counter = counter + 1 where id = $1", tenant.id);
  await abortAllDurableObjects();
  await hold(tenant);
  await readLater(tenant);
  expect((await reindexOf(tenant)).state).toBe("none");
  expect((await listed(tenant)).length).toBe(2);
});

describe("the operator", () => {
  test("gives a tenant another admin key, also when its rows are lost", async () => {
    quiet();
    const tenant = await newTenant();
    const task = await hold(tenant);
    await readLater(tenant);
    await loseRows(tenant.id);
    const path = `/v1/tenants/${tenant.id}/keys`;
    const made = await sendJson<{ key: string; scopes: string[] }>({
      method: "POST",
      path,
      key: operatorKey(),
      body: {},
    });
    expect([made.status, made.body.scopes.includes("admin")]).toEqual([201, true]);
    await untilDone(tenant);
    expect(await listed({ id: tenant.id, key: made.body.key })).toEqual([task]);
  });

  test("answers 404 for an unknown or erased tenant, and only the operator reaches these routes", async () => {
    const tenant = await newTenant();
    const gone = await newTenant();
    expect((await send({ method: "DELETE", path: `/v1/tenants/${gone.id}`, key: operatorKey() })).status).toBe(200);
    for (const id of [gone.id, "ten_00000000000000000000000000"]) {
      for (const path of [`/v1/tenants/${id}/reindex`, `/v1/tenants/${id}/keys`])
        expect((await send({ method: "POST", path, key: operatorKey(), body: {} })).status).toBe(404);
    }
    expect((await send({ path: `/v1/tenants/${tenant.id}/reindex`, key: tenant.key })).status).toBe(404);
    expect(
      (await send({ method: "POST", path: `/v1/tenants/${tenant.id}/keys`, key: tenant.key, body: {} })).status,
    ).toBe(404);
    expect((await reindexOf(tenant)).state).toBe("none");
  });
});

test("the index row of a task is what it reports, and reading it changes nothing", async () => {
  const { caller, tenant } = await callerOf();
  const { id } = await caller.makeTask([{ text: "Done." }]);
  await caller.until(id, ({ status }) => status === "completed");
  await tenantsFromEnv(env)(tenant.id).flush();
  const [first, second] = [
    await tasksFromEnv(env)(tenant.id, id).indexRow(),
    await tasksFromEnv(env)(tenant.id, id).indexRow(),
  ];
  expect(first).toMatchObject({ ok: true, value: { task: id, view: { status: "completed" }, wakeAt: null } });
  expect(second).toEqual(first);
});
