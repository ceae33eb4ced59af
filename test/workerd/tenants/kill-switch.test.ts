import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import type { TaskStatus } from "../../../core/task/status.ts";
import { TaskObject } from "../../../durable-objects/task/object.ts";
import { TenantKillSwitch } from "../../../durable-objects/tenant/kill-switch.ts";
import { newId, report as reportOf } from "../../contracts/database/rows.ts";
import {
  newKey,
  newTenant,
  operatorKey,
  type Problem,
  readAll,
  send,
  sendJson,
  tenantStub,
  type TestTenant,
  watchDatabase,
} from "../tenant/client.ts";

interface Switch {
  readonly stopped: boolean;
  readonly by: string | null;
  readonly by_operator: boolean;
  readonly reason: string | null;
  readonly at: string | null;
}

const post = <T = Switch>(key: string, path: string, body: unknown = {}, headers: Record<string, string> = {}) =>
  sendJson<T>({ method: "POST", path, key, body, headers });
const stop = (tenant: TestTenant, reason = "a test") => post(tenant.key, "/v1/kill-switch/stop", { reason });
const release = <T = Switch>(tenant: TestTenant) => post<T>(tenant.key, "/v1/kill-switch/release");
const readSwitch = async (tenant: TestTenant) =>
  (await sendJson<Switch>({ path: "/v1/kill-switch", key: tenant.key })).body;
const released = { stopped: false, by: null, by_operator: false, reason: null, at: null };
const held = { input: "x", hold: true };

describe("a stopped tenant", () => {
  test("says who stopped it and why, over a crash, until it is released", async () => {
    const tenant = await newTenant();
    expect(await readSwitch(tenant)).toEqual(released);
    const stopped = await stop(tenant);
    expect(stopped.body).toEqual({
      stopped: true,
      by: expect.stringMatching(/^key_/),
      by_operator: false,
      reason: "a test",
      at: expect.any(String),
    });
    expect((await stop(tenant, "again")).body).toEqual(stopped.body);
    await abortAllDurableObjects();
    expect(await readSwitch(tenant)).toEqual(stopped.body);
    expect((await release(tenant)).body).toEqual(released);
    expect((await release(tenant)).status).toBe(200);
    await abortAllDurableObjects();
    expect(await readSwitch(tenant)).toEqual(released);
  });

  test("makes and starts nothing and calls no tool, and still reads, cancels and erases", async () => {
    const tenant = await newTenant();
    const [first, second] = [
      await post<{ id: string }>(tenant.key, "/v1/tasks", held),
      await post<{ id: string }>(tenant.key, "/v1/tasks", held),
    ];
    await stop(tenant);
    for (const [path, body] of [
      ["/v1/tasks", held],
      [`/v1/tasks/${first.body.id}/start`, {}],
      ["/v1/tools/get_current_datetime/call", { arguments: {} }],
    ] as const) {
      const answer = await post<Problem & { detail: string }>(tenant.key, path, body);
      expect([path, answer.status, answer.body.code]).toEqual([path, 409, "conflict"]);
      expect(answer.body.detail).toMatch(/^key_\w+ stopped this tenant \(a test\)\. Release it with POST/);
    }
    const task = `/v1/tasks/${first.body.id}`;
    expect((await send({ path: task, key: tenant.key })).status).toBe(200);
    expect((await post(tenant.key, `${task}/cancel`)).status).toBe(202);
    expect((await send({ method: "DELETE", path: task, key: tenant.key })).status).toBe(200);
    await release(tenant);
    expect((await post(tenant.key, `/v1/tasks/${second.body.id}/start`)).status).toBe(200);
  });

  test("replays an ended request, and stores no rejection for a running one", async () => {
    const tenant = await newTenant();
    const once = { "idempotency-key": "once" };
    const first = await post<{ id: string }>(tenant.key, "/v1/tasks", held, once);
    await stop(tenant);
    const again = await post<{ id: string }>(tenant.key, "/v1/tasks", held, once);
    expect([again.status, again.body.id]).toEqual([201, first.body.id]);
    const later = { "idempotency-key": "later" };
    expect((await post(tenant.key, "/v1/tasks", held, later)).status).toBe(409);
    await release(tenant);
    expect((await post(tenant.key, "/v1/tasks", held, later)).status).toBe(201);
  });

  test("that the operator stopped is released by the operator only", async () => {
    const tenant = await newTenant();
    const path = `/v1/tenants/${tenant.id}`;
    await stop(tenant, "mine");
    const outranked = await post(operatorKey(), `${path}/stop`, { reason: "abuse" });
    expect(outranked.body).toMatchObject({ by: "operator", by_operator: true, reason: "abuse" });
    expect((await stop(tenant)).body).toEqual(outranked.body);
    const refused = await release<Problem>(tenant);
    expect([refused.status, refused.body.code]).toEqual([403, "forbidden"]);
    expect(await readSwitch(tenant)).toEqual(outranked.body);
    const answer = await post<{ detail: string }>(tenant.key, "/v1/tasks", held);
    expect(answer.body.detail).toBe("The operator stopped this tenant (abuse). Only the operator can release it.");
    expect((await post(operatorKey(), `${path}/release`)).body).toMatchObject({ stopped: true, reason: "mine" });
    expect((await release(tenant)).body).toEqual(released);
    expect((await post(tenant.key, "/v1/tasks", held)).status).toBe(201);
  });

  test("that was stopped by both continues when both have released it, in either order", async () => {
    const tenant = await newTenant();
    const path = `/v1/tenants/${tenant.id}`;
    await post(operatorKey(), `${path}/stop`, { reason: "abuse" });
    await stop(tenant, "mine");
    expect((await post(operatorKey(), `${path}/release`)).body).toMatchObject({ by_operator: false, reason: "mine" });
    expect((await post(operatorKey(), `${path}/release`)).body).toMatchObject({ stopped: true });
    expect((await post(tenant.key, "/v1/tasks", held)).status).toBe(409);
    expect((await release(tenant)).body).toEqual(released);
  });

  test("is stopped and released by its own administrators only", async () => {
    const [tenant, other] = [await newTenant(), await newTenant()];
    const worker = await newKey(tenant, ["tasks:read", "tasks:write", "tools:call"]);
    for (const path of ["/v1/kill-switch/stop", "/v1/kill-switch/release"]) {
      expect((await post(worker.key, path)).status).toBe(403);
      expect((await post(operatorKey(), path)).status).toBe(403);
    }
    for (const path of [`/v1/tenants/${tenant.id}/stop`, `/v1/tenants/${tenant.id}/release`])
      expect((await post(tenant.key, path)).status).toBe(404);
    await stop(other);
    expect(await readSwitch(tenant)).toEqual(released);
    expect((await post(tenant.key, "/v1/tasks", held)).status).toBe(201);
  });

  test.each([
    ["an unknown field", { because: "x" }, "because"],
    ["a reason that is too long", { reason: "x".repeat(501) }, "reason"],
    ["a reason of another type", { reason: 7 }, "reason"],
  ])("is not stopped with %s", async (_what, body, field) => {
    const tenant = await newTenant();
    for (const [key, path] of [
      [tenant.key, "/v1/kill-switch/stop"],
      [operatorKey(), `/v1/tenants/${tenant.id}/stop`],
    ] as const) {
      const answer = await post<Problem>(key, path, body);
      expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([422, field]);
    }
    expect(await readSwitch(tenant)).toEqual(released);
  });

  test("is no tenant that never was", async () => {
    for (const id of [newId("tenant"), "operator", "ten_x"])
      expect((await post(operatorKey(), `/v1/tenants/${id}/stop`)).status).toBe(404);
  });

  test("writes audit rows, and can be stopped while the database is unavailable", async () => {
    const tenant = await newTenant();
    await readSwitch(tenant);
    const watch = watchDatabase();
    watch.isAway = true;
    expect((await stop(tenant)).status).toBe(503);
    expect((await post(operatorKey(), `/v1/tenants/${tenant.id}/stop`)).status).toBe(503);
    expect(await readSwitch(tenant)).toMatchObject({ stopped: true, by_operator: true });
    watch.isAway = false;
    await post(operatorKey(), `/v1/tenants/${tenant.id}/release`);
    await stop(tenant);
    await release(tenant);
    const actions = async (key: string) =>
      (await readAll<{ action: string; target: string }>("/v1/audit", key, 50))
        .filter(({ target }) => target === tenant.id)
        .map(({ action }) => action);
    expect(await actions(tenant.key)).toEqual(["tenant.release", "tenant.stop"]);
    expect(await actions(operatorKey())).toEqual(["tenant.release", "tenant.create"]);
  });
});

describe("the notification of tasks", () => {
  const taskReport = (task: string, status: TaskStatus, version = 1, hidden = false) => ({
    ...reportOf({ task, status, version, hidden }),
    used: { tokens: 0, costMicros: 0 },
  });
  const none = { tokens: 0, costMicros: 0 };
  const asking = (task: string, version: number, want: typeof none) => ({
    task,
    version,
    key: null,
    agent: "agent_a",
    used: none,
    need: want,
    want,
    isPriced: true,
  });
  const statuses: readonly TaskStatus[] = ["queued", "running", "sleeping", "waiting_input", "completed"];

  /** Records the notifications of task objects. Those in `failing` fail; a halt takes `slowMs` to reply. */
  function watchTasks({ failing = new Set<string>(), slowMs = 0 } = {}) {
    const calls: string[] = [];
    const note = (what: string, object: object) => {
      const { ctx } = object as { ctx: DurableObjectState };
      const task = ctx.id.name?.split("/")[1] ?? "";
      if (failing.has(task)) throw new Error("unreachable");
      calls.push(`${task} ${what}`);
    };
    const { halt, called } = TaskObject.prototype;
    vi.spyOn(TaskObject.prototype, "halt").mockImplementation(async function (this: TaskObject, message) {
      note("halt", this);
      await halt.call(this, message);
      await scheduler.wait(slowMs);
    });
    vi.spyOn(TaskObject.prototype, "called").mockImplementation(async function (this: TaskObject) {
      note("called", this);
      await called.call(this);
    });
    return calls;
  }

  const stopIt = { by: "key_a", byOperator: false, reason: null, at: 1 };
  const pending = async (tenant: string) =>
    await runInDurableObject(tenantStub(tenant), (_, state) =>
      state.storage.sql.exec("SELECT task FROM tasks WHERE tell IS NOT NULL").toArray(),
    );

  test("halts what runs or is about to, hidden tasks too, and calls at the release all that may have been turned away", async () => {
    const tenant = newId("tenant");
    const rpc = tenantsFromEnv(env)(tenant);
    const byStatus = new Map(statuses.map((status) => [status, newId("task")]));
    for (const [status, task] of byStatus) await rpc.report(taskReport(task, status));
    const hidden = newId("task");
    await rpc.report(taskReport(hidden, "running", 1, true));
    const [queued, running, sleeping] = statuses.map((status) => byStatus.get(status) ?? "");
    const calls = watchTasks();
    await rpc.stop(stopIt);
    await vi.waitFor(async () => expect(await pending(tenant)).toEqual([]), { timeout: 20_000 });
    expect(calls.splice(0).toSorted()).toEqual([`${queued} halt`, `${running} halt`, `${hidden} halt`].toSorted());
    await rpc.release(false);
    await vi.waitFor(async () => expect(await pending(tenant)).toEqual([]), { timeout: 20_000 });
    expect(calls.toSorted()).toEqual(
      [`${queued} called`, `${running} called`, `${sleeping} called`, `${hidden} called`].toSorted(),
    );
  });

  test("halts a task that continues after a wait and has not reported it, and wakes it at the release", async () => {
    const tenant = newId("tenant");
    const rpc = tenantsFromEnv(env)(tenant);
    const [answered, late, old] = [newId("task"), newId("task"), newId("task")];
    for (const task of [answered, late, old]) {
      await rpc.report(taskReport(task, "waiting_input"));
      await rpc.enter(asking(task, 2, none), null);
    }
    // An earlier report of the task may arrive after its question.
    await rpc.report(taskReport(late, "waiting_input", 2));
    // A row may have a slot under any status.
    await runInDurableObject(tenantStub(tenant), (_, state) => {
      state.storage.sql.exec("UPDATE tasks SET status = 'waiting_input' WHERE task = ?", old);
    });
    const calls = watchTasks();
    await rpc.stop(stopIt);
    await vi.waitFor(async () => expect(await pending(tenant)).toEqual([]), { timeout: 20_000 });
    expect(calls.splice(0).toSorted()).toEqual([answered, late, old].map((task) => `${task} halt`).toSorted());
    for (const task of [answered, late, old])
      expect(await rpc.enter(asking(task, 3, none), null)).toMatchObject({ kind: "stopped" });
    await rpc.release(false);
    await vi.waitFor(async () => expect(await pending(tenant)).toEqual([]), { timeout: 20_000 });
    expect(calls.toSorted()).toEqual([answered, late, old].map((task) => `${task} called`).toSorted());
  });

  test("halts running tasks before queued ones, however many these are and wherever they are queued", async () => {
    const tenant = newId("tenant");
    const rows = Array.from({ length: 3000 }, (_, index) => ({ task: newId("task"), runs: index % 12 === 7 }));
    const running = rows
      .filter(({ runs }) => runs)
      .slice(0, 250)
      .map(({ task }) => task);
    expect(running).toHaveLength(250);
    await tenantsFromEnv(env)(tenant).report(taskReport(newId("task"), "completed"));
    await runInDurableObject(tenantStub(tenant), (_, state) => {
      const insert = `INSERT INTO tasks (task, version, key, agent, status, holds_place, used_tokens, used_micros)
        VALUES (?, 1, NULL, 'agent_a', ?, ?, 0, 0)`;
      // As tasks report that were never let in, and those that were.
      for (const [index, { task, runs }] of rows.entries())
        state.storage.sql.exec(insert, task, index % 5 < 3 ? "queued" : "running", runs ? 1 : 0);
    });
    // In the order of the calls; the order of their arrival depends on the machine.
    const calls: string[] = [];
    const teller = TenantKillSwitch.prototype as unknown as {
      notifyOne(row: { readonly task: string }): Promise<boolean>;
    };
    vi.spyOn(teller, "notifyOne").mockImplementation(async ({ task }) => {
      calls.push(task);
      await scheduler.wait(500);
      return true;
    });
    await tenantsFromEnv(env)(tenant).stop(stopIt);
    await vi.waitFor(() => expect(calls.length).toBeGreaterThanOrEqual(300), { timeout: 20_000 });
    expect(calls.slice(0, 250).toSorted()).toEqual(running.toSorted());
    // The others need not be waited for: an erased tenant notifies no task.
    await tenantsFromEnv(env)(tenant).erase();
  });

  test("halts a task that starts while the tenant is stopped, and admits none", async () => {
    const tenant = newId("tenant");
    const rpc = tenantsFromEnv(env)(tenant);
    await rpc.stop(stopIt);
    const calls = watchTasks();
    const task = newId("task");
    await rpc.report(taskReport(task, "running"));
    await vi.waitFor(() => expect(calls).toEqual([`${task} halt`]), { timeout: 20_000 });
    expect(await rpc.enter(asking(task, 2, none), null)).toMatchObject({
      kind: "stopped",
      message: expect.stringContaining("POST /v1/kill-switch/release"),
    });
  });

  test("reaches 256 tasks within 5 seconds, also when tool calls take their time to end", async () => {
    const tenant = newId("tenant");
    const rpc = tenantsFromEnv(env)(tenant);
    const running = Array.from({ length: 256 }, () => newId("task"));
    for (const task of running) await rpc.report(taskReport(task, "running"));
    const calls = watchTasks({ slowMs: 3000 });
    await rpc.stop(stopIt);
    // Twice the time, for a busy machine: waiting for earlier replies would take five times three seconds.
    await vi.waitFor(() => expect(new Set(calls).size).toBe(256), { timeout: 10_000 });
    await vi.waitFor(async () => expect(await pending(tenant)).toEqual([]), { timeout: 20_000 });
    expect(calls).toHaveLength(256);
  });

  test("is done again for a task that could not be reached, after a crash too", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const tenant = newId("tenant");
    const [near, far] = [newId("task"), newId("task")];
    for (const task of [near, far]) await tenantsFromEnv(env)(tenant).report(taskReport(task, "running"));
    const failing = new Set([far]);
    const calls = watchTasks({ failing });
    await tenantsFromEnv(env)(tenant).stop(stopIt);
    await vi.waitFor(async () => expect(await pending(tenant)).toEqual([{ task: far }]), { timeout: 20_000 });
    await vi.waitFor(
      () => expect(log).toHaveBeenCalledWith(expect.stringContaining("stop"), tenant, far, expect.anything()),
      { timeout: 20_000 },
    );
    expect(calls).toEqual([`${near} halt`]);
    await abortAllDurableObjects();
    failing.clear();
    await vi.waitFor(() => expect(calls).toEqual([`${near} halt`, `${far} halt`]), { timeout: 20_000 });
    await vi.waitFor(async () => expect(await pending(tenant)).toEqual([]), { timeout: 20_000 });
  });

  test("wakes the next waiting task when a slot becomes free", async () => {
    const tenant = newId("tenant");
    const rpc = tenantsFromEnv(env)(tenant);
    const limit = { tokens: 10, costMicros: null, period: "total" as const };
    await rpc.setBudget("tenant", limit);
    const calls = watchTasks();
    const [one, two] = [newId("task"), newId("task")];
    const want = { tokens: 10, costMicros: 0 };
    for (const task of [one, two]) await rpc.enter(asking(task, 1, want), null);
    expect(calls).toEqual([]);
    await rpc.report(taskReport(one, "completed", 2));
    await vi.waitFor(() => expect(calls).toEqual([`${two} called`]), { timeout: 20_000 });
  });
});
