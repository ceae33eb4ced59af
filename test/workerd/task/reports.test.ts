import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { tasksFromEnv } from "../../../adapters/env/tasks.ts";
import { tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import type { TaskRpc } from "../../../core/task/rpc.ts";
import type { TenantRpc } from "../../../core/tenant/rpc.ts";
import { TaskReports } from "../../../durable-objects/task/reports.ts";
import type { TaskStore } from "../../../durable-objects/task/store.ts";
import { ask, inputOf, stubOf } from "../tasks/client.ts";
import { type Caller, makeCaller } from "../http/entry.ts";
import { tenantStub } from "../tenant/client.ts";

const look = { calls: [{ name: "get_current_datetime", arguments: { timezone: "UTC" } }] };
const done = { text: "Done." };
const slow = { text: "Late.", delayMs: 20_000 };

/** The class of the tenants' objects, whose methods the tasks call. */
async function tenantMethods(caller: Caller): Promise<TenantRpc> {
  return await runInDurableObject(tenantStub(caller.tenant), (object) => Object.getPrototypeOf(object) as TenantRpc);
}

/** How the list shows a task. */
async function untilListed(caller: Caller, id: string, status: string): Promise<void> {
  await vi.waitFor(
    async () => {
      const { data } = (await caller.send("GET", "/v1/tasks")).json;
      expect(data).toEqual([expect.objectContaining({ id, status })]);
    },
    { timeout: 20_000, interval: 50 },
  );
}

/** Waits until the task's object has published everything. */
async function waitForReports(caller: Caller, id: string): Promise<void> {
  const hasUnpublished = async () =>
    await runInDurableObject(stubOf({ tenant: caller.tenant, id }), (object) =>
      (object as unknown as { store: TaskStore }).store.hasUnpublished(),
    );
  await vi.waitFor(async () => expect(await hasUnpublished()).toBe(false), { timeout: 20_000, interval: 20 });
}

/** A caller whose tasks request their permits, because a budget limits them. */
async function makeLimitedCaller(): Promise<Caller> {
  const caller = await makeCaller();
  const limit = { max_tokens: 1_000_000, period: "day" };
  expect((await caller.send("PUT", "/v1/budgets/tenant", limit)).status).toBe(200);
  return caller;
}

const away = () => Promise.reject(new Error("the tenant is away"));

describe("a tenant receives a report of a task", () => {
  test("that runs with its first permit request, without another report", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const caller = await makeLimitedCaller();
    const report = vi.spyOn(await tenantMethods(caller), "report").mockImplementation(away);
    const { id } = await caller.makeTask([slow]);
    await untilListed(caller, id, "queued");
    const reports = report.mock.calls.filter(([row]) => row.task === id);
    expect(reports.filter(([row]) => row.view.status === "queued")).toEqual([]);
    report.mockRestore();
    await caller.send("POST", `/v1/tasks/${id}/cancel`);
    await untilListed(caller, id, "cancelled");
  });

  test("that is a draft at once, though it requests no permit and before its alarm", async () => {
    const caller = await makeCaller();
    const alarm = await runInDurableObject(env.TASKS.get(env.TASKS.newUniqueId()), (object) =>
      vi.spyOn(Object.getPrototypeOf(object) as { alarm(): Promise<void> }, "alarm"),
    );
    alarm.mockImplementation(() => Promise.resolve());
    const enter = vi.spyOn(await tenantMethods(caller), "enter");
    const { id } = await caller.makeTask([slow], { hold: true });
    await untilListed(caller, id, "queued");
    expect(enter.mock.calls.filter(([request]) => request.task === id)).toEqual([]);
  });

  test.each([
    ["completed", [{ text: "Done." }], makeCaller, [], ["running", "completed"]],
    ["waiting_input", [ask], makeCaller, [], ["running", "waiting_input"]],
    ["completed", [{ text: "Done." }], makeLimitedCaller, ["queued"], ["completed"]],
    ["waiting_input", [ask], makeLimitedCaller, ["queued"], ["waiting_input"]],
  ])("that is %s at once: when it begins and with its final state", async (status, replies, make, entries, sent) => {
    // Reports that can wait are never sent.
    vi.spyOn(TaskReports.prototype, "schedule").mockImplementation(() => undefined);
    const caller = await make();
    const tenant = await tenantMethods(caller);
    const [enter, report] = [vi.spyOn(tenant, "enter"), vi.spyOn(tenant, "report")];
    const { id } = await caller.makeTask(replies);
    await untilListed(caller, id, status);
    // The tasks of other tests report too.
    const entered = enter.mock.calls.filter(([request]) => request.task === id);
    const reports = report.mock.calls.filter(([row]) => row.task === id);
    expect(entered.map(([, row]) => row?.view.status)).toEqual(entries);
    expect(reports.map(([row]) => row.view.status)).toEqual(sent);
  });

  test("that resumes under a permit of its answer, at once", async () => {
    const caller = await makeCaller();
    const { id } = await caller.makeTask([ask, done]);
    const { pending } = await caller.until(id, ({ status }) => status === "waiting_input");
    await waitForReports(caller, id);
    vi.spyOn(TaskReports.prototype, "schedule").mockImplementation(() => undefined);
    const report = vi.spyOn(await tenantMethods(caller), "report");
    const path = `/v1/tasks/${id}/questions/${(pending[0] as { id: string }).id}/answer`;
    expect((await caller.send("POST", path, { text: "Oslo" })).status).toBe(200);
    await untilListed(caller, id, "completed");
    const reports = report.mock.calls.filter(([row]) => row.task === id);
    expect(reports.map(([row]) => row.view.status)).toEqual(["running", "completed"]);
  });

  test.each(["enter", "report"] as const)("also when its object fails once at %s", async (method) => {
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const caller = await makeLimitedCaller();
    const tenant = await tenantMethods(caller);
    vi.spyOn(tenant, method).mockImplementationOnce(away);
    const { id } = await caller.makeTask([{ text: "Done." }]);
    await untilListed(caller, id, "completed");
    expect(log).toHaveBeenCalled();
    const task = env.TASKS.get(env.TASKS.idFromName(`${caller.tenant}/${id}`));
    await vi.waitFor(
      async () => expect(await runInDurableObject(task, (_, { storage }) => storage.getAlarm())).toBeNull(),
      { timeout: 20_000, interval: 50 },
    );
  });

  test("whose first report failed, during its run: a stop halts it", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const caller = await makeCaller();
    vi.spyOn(await tenantMethods(caller), "report").mockImplementationOnce(away);
    const { id } = await caller.makeTask([slow]);
    expect((await caller.send("POST", "/v1/kill-switch/stop", { reason: "A test." })).status).toBe(200);
    await vi.waitFor(
      async () => expect((await caller.send("GET", `/v1/tasks/${id}`)).json).toMatchObject({ status: "sleeping" }),
      { timeout: 8000, interval: 100 },
    );
  });

  test("below an ended task, even while that task acknowledges slowly", async () => {
    const caller = await makeCaller();
    const report = vi.spyOn(await tenantMethods(caller), "report");
    const part = { name: "dispatch_subagent", arguments: { task_description: inputOf([done]) } };
    const { id } = await caller.makeTask([{ calls: [part] }, done], { hold: true });
    const parent = await runInDurableObject(
      stubOf({ tenant: caller.tenant, id }),
      (object) => Object.getPrototypeOf(object) as TaskRpc,
    );
    const gate = Promise.withResolvers<void>();
    const real = parent.subtaskEnded;
    vi.spyOn(parent, "subtaskEnded").mockImplementation(async function slow(this: TaskRpc, view) {
      await gate.promise;
      await real.call(this, view);
    });
    await caller.send("POST", `/v1/tasks/${id}/start`);
    const endOf = (of: string | null) =>
      report.mock.calls.filter(([{ view }]) => view.parent_id === of && view.status === "completed");
    await vi.waitFor(() => expect(endOf(id)).toHaveLength(1), { timeout: 20_000, interval: 20 });
    expect(endOf(null)).toEqual([]);
    gate.resolve();
    await caller.until(id, ({ status }) => status === "completed");
  });

  test("and does not receive it again at every step when it is slow", async () => {
    const caller = await makeCaller();
    const methods = await tenantMethods(caller);
    const real = methods.report;
    const report = vi.spyOn(methods, "report").mockImplementation(async function slow(this: TenantRpc, row) {
      await new Promise((resolve) => setTimeout(resolve, 60));
      return await real.call(this, row);
    });
    const { id } = await caller.makeTask([...Array.from({ length: 90 }, () => look), done], {
      budget: { max_steps: 95 },
    });
    await caller.until(id, ({ status }) => status === "completed" || status === "failed");
    await new Promise((resolve) => setTimeout(resolve, 300));
    const reports = report.mock.calls
      .filter(([row]) => row.task === id)
      .map(([row]) => `${row.version} ${row.view.status}`);
    expect(reports.length).toBeLessThan(5);
  });

  test("that has ended, once: its erasure reports nothing again, also after its tenant and over a crash", async () => {
    const caller = await makeCaller();
    const report = vi.spyOn(await tenantMethods(caller), "report");
    const { id } = await caller.makeTask([done]);
    await caller.until(id, ({ status }) => status === "completed");
    await waitForReports(caller, id);
    await abortAllDurableObjects();
    report.mockClear();
    await tenantsFromEnv(env)(caller.tenant).erase();
    expect(await tasksFromEnv(env)(caller.tenant, id).erase()).toMatchObject({ ok: true });
    expect(report.mock.calls.filter(([row]) => row.task === id)).toEqual([]);
  });

  test("that is erased while its end is reported and the tenant is gone: nothing is left to erase", async () => {
    const caller = await makeLimitedCaller();
    const tenant = await tenantMethods(caller);
    const gate = Promise.withResolvers<void>();
    const real = tenant.report;
    const report = vi.spyOn(tenant, "report").mockImplementation(async function slow(this: TenantRpc, row) {
      await gate.promise;
      return await real.call(this, row);
    });
    const forget = vi.spyOn(tenant, "forget");
    const { id } = await caller.makeTask([done]);
    const endOf = () => report.mock.calls.filter(([row]) => row.task === id && row.view.status === "completed");
    await vi.waitFor(() => expect(endOf()).toHaveLength(1), { timeout: 20_000, interval: 20 });
    const task = tasksFromEnv(env)(caller.tenant, id);
    const erasing = task.erase();
    // Answered after the erasure has begun: the calls of one stub come in order.
    expect(await task.view()).toMatchObject({ ok: true });
    await tenantsFromEnv(env)(caller.tenant).erase();
    gate.resolve();
    expect(await erasing).toMatchObject({ ok: true });
    expect(forget.mock.calls.filter(([forgotten]) => forgotten === id)).toHaveLength(1);
    expect(await task.view()).toMatchObject({ ok: false, error: { code: "not_found" } });
  });

  test("that cannot be forgotten when it is gone, again and with longer waits", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const caller = await makeCaller();
    const tenant = await tenantMethods(caller);
    const { id } = await caller.makeTask([{ text: "late", delayMs: 10_000 }]);
    await caller.until(id, ({ status }) => status === "running");
    const tried: number[] = [];
    vi.spyOn(tenant, "forget").mockImplementation((task) => {
      if (task === id) tried.push(Date.now());
      return Promise.reject(new Error("away"));
    });
    await tenantsFromEnv(env)(caller.tenant).erase();
    await tasksFromEnv(env)(caller.tenant, id).cancel("test");
    // Tried at once, after one second and two seconds later: a rejection that nobody takes would fail the run of this file.
    await vi.waitFor(() => expect(tried.length).toBeGreaterThanOrEqual(3), { timeout: 20_000, interval: 10 });
    const [first = 0, second = 0, third = 0] = tried;
    // A late first try shortens the wait after it: the waits count from when a try was due.
    expect(third - first).toBeGreaterThan(1500);
    expect(second).toBeGreaterThan(first);
  });
});
