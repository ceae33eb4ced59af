/** Retention removes what is past its days, of ended trees alone, and nothing comes back. */
import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { blobsFromEnv } from "../../../adapters/env/files.ts";
import { tasksFromEnv } from "../../../adapters/env/tasks.ts";
import { tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import { getSummaryId } from "../../../core/memory/memory.ts";
import { type Caller, makeCaller } from "../http/entry.ts";
import { storeCopyOfCall } from "../task/stored-rows.ts";
import { DAY, DONE, ended, listed, setRetention, sweepAfter } from "./retention-client.ts";
import { operatorKey, sendJson, tenantStub } from "../tenant/client.ts";

const LOOK = [{ calls: [{ name: "get_current_datetime", arguments: { timezone: "UTC" } }] }, ...DONE];
const ASK = [{ calls: [{ name: "ask_human", arguments: { query: "Which city?" } }] }, ...DONE];

afterEach(() => {
  vi.useRealTimers();
});

async function rebuild(caller: Caller): Promise<void> {
  const path = `/v1/tenants/${caller.tenant}/reindex`;
  const started = await sendJson<{ state: string }>({ method: "POST", path, key: operatorKey(), body: {} });
  expect(started.status).toBe(202);
  await vi.waitFor(
    async () => {
      const { body } = await sendJson<{ state: string }>({ path, key: operatorKey() });
      expect(body.state).toBe("done");
    },
    { timeout: 20_000, interval: 50 },
  );
}

describe("retention", () => {
  test("retains everything by default, and reports the amounts", async () => {
    const caller = await makeCaller();
    await ended(caller);
    await sweepAfter(caller, 0);
    const { status, json } = await caller.send("GET", "/v1/retention");
    expect(status).toBe(200);
    expect(json).toMatchObject({ tasks_days: null, logs_days: null, results_days: null });
    expect(json.stored).toMatchObject({ tasks: 1, ended_tasks: 1, earliest_end: expect.any(String) });
    expect(json.removed).toEqual({ day: null, today: 0, total: 0 });
  });

  test.each([{ tasks_days: -1 }, { tasks_days: "7" }, { tasks_days: 36_501 }, { days: 7 }, []])(
    "refuses %j, and names the field",
    async (body) => {
      const refused = await setRetention(await makeCaller(), body);
      expect([refused.status, refused.json.code]).toEqual([422, "invalid_input"]);
    },
  );

  test("is for keys with the scope admin", async () => {
    const caller = await makeCaller(["tasks:read", "tasks:write"]);
    expect((await setRetention(caller, { tasks_days: 1 })).status).toBe(403);
    expect((await caller.send("GET", "/v1/retention")).status).toBe(403);
  });

  test("erases ended tasks past their days with an audit entry, but no running, waiting or draft task", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const caller = await makeCaller();
    const old = [await ended(caller), await ended(caller)];
    const waiting = await caller.makeTask(ASK);
    await caller.until(waiting.id, ({ status }) => status === "waiting_input");
    const draft = await caller.makeTask(DONE, { hold: true });
    const live = [draft.id, waiting.id].toSorted();
    expect((await setRetention(caller, { tasks_days: 7 })).json).toMatchObject({ tasks_days: 7, logs_days: null });
    await sweepAfter(caller, 6.9 * DAY);
    expect((await listed(caller)).length).toBe(4);
    await sweepAfter(caller, 0.2 * DAY);
    vi.useRealTimers();
    expect(await listed(caller)).toEqual(live);
    for (const id of old) expect((await caller.send("GET", `/v1/tasks/${id}`)).status).toBe(404);
    const { json: audit } = await caller.send("GET", "/v1/audit?action=retention.sweep");
    expect(audit.data).toMatchObject([{ actor: "otto", target: caller.tenant }]);
    expect((await caller.send("GET", "/v1/retention")).json.removed).toMatchObject({ today: 2, total: 2 });
    // What they used stays, and what they left in memory.
    const usage = await caller.send("GET", "/v1/usage");
    expect(usage.json.data.reduce((sum: number, { tasks }: { tasks: number }) => sum + tasks, 0)).toBe(4);
    for (const id of live) expect((await caller.send("GET", `/v1/tasks/${id}`)).status).toBe(200);
  });

  test("retains memories of a task, which a deletion of the task would erase", async () => {
    const caller = await makeCaller();
    const [swept, deleted] = [await ended(caller), await ended(caller)];
    await tenantsFromEnv(env)(caller.tenant).summarise();
    const find = async () =>
      (await caller.send("GET", "/v1/memory?limit=100")).json.data.map(({ id }: { id: string }) => id).toSorted();
    expect(await find()).toEqual([getSummaryId(swept), getSummaryId(deleted)].toSorted());
    expect((await caller.send("DELETE", `/v1/tasks/${deleted}`)).status).toBe(200);
    await setRetention(caller, { tasks_days: 1 });
    await sweepAfter(caller, 2 * DAY);
    vi.useRealTimers();
    expect(await listed(caller)).toEqual([]);
    expect(await find()).toEqual([getSummaryId(swept)]);
  });

  test("counts from the end of the tree", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const caller = await makeCaller();
    const id = await ended(caller);
    await setRetention(caller, { tasks_days: 1 });
    const stub = env.TASKS.get(env.TASKS.idFromName(`${caller.tenant}/${id}`));
    await runInDurableObject(stub, (object) => {
      // Calls reach methods of the class alone.
      vi.spyOn(Object.getPrototypeOf(object) as { treeEndedAt(): unknown }, "treeEndedAt").mockResolvedValue({
        ok: true,
        value: null,
      });
    });
    await sweepAfter(caller, 2 * DAY);
    expect(await listed(caller)).toEqual([id]);
    vi.restoreAllMocks();
    // The next day's pass begins before it.
    await sweepAfter(caller, DAY);
    vi.useRealTimers();
    expect(await listed(caller)).toEqual([]);
  });

  test("removes the log: the task, its answer and its ledger stay, and streams still end", async () => {
    const caller = await makeCaller();
    const id = await ended(caller, LOOK);
    await setRetention(caller, { logs_days: 3 });
    await sweepAfter(caller, 4 * DAY);
    vi.useRealTimers();
    const { json: log } = await caller.send("GET", `/v1/tasks/${id}/events`, undefined, { accept: "application/json" });
    expect(log.data.map(({ type }: { type: string }) => type)).toEqual(["task.completed"]);
    const { json: task } = await caller.send("GET", `/v1/tasks/${id}`);
    expect(task).toMatchObject({ status: "completed", output: { text: "All done." } });
    const { json: ledger } = await caller.send("GET", `/v1/tasks/${id}/ledger`);
    expect(ledger.data).toMatchObject([
      { tool: "get_current_datetime", state: "confirmed", result: { result: { gone: true } } },
    ]);
    expect((await caller.send("GET", `/v1/tasks/${id}/trace`)).status).toBe(200);
  });

  test("removes large results, whose rows say so, and retains small ones", async () => {
    const caller = await makeCaller();
    const id = await ended(caller, LOOK);
    const key = `${caller.tenant}/tree/${id}/results/large.json`;
    await blobsFromEnv(env).put(key, new TextEncoder().encode("[]"));
    const stub = env.TASKS.get(env.TASKS.idFromName(`${caller.tenant}/${id}`));
    await runInDurableObject(stub, (_, { storage }) => {
      const result = { ok: true, result: { stored: key, characters: 2 } } as const;
      storeCopyOfCall(storage, { callId: `call_${id}_1_1`, index: 1, result });
    });
    await abortAllDurableObjects();
    await setRetention(caller, { results_days: 3 });
    await sweepAfter(caller, 4 * DAY);
    vi.useRealTimers();
    expect((await blobsFromEnv(env).get(key)).ok).toBe(false);
    const { json: ledger } = await caller.send("GET", `/v1/tasks/${id}/ledger`);
    const results = ledger.data.map(({ result }: { result: { result: unknown } }) => result.result);
    expect(results[1]).toEqual({ gone: true });
    expect(results[0]).not.toEqual({ gone: true });
  });

  test("restarts at the earliest tree after a rebuild of the index, which lacked trees meanwhile", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const caller = await makeCaller();
    const [early, late] = [await ended(caller), await ended(caller)];
    await setRetention(caller, { tasks_days: 1 });
    await runInDurableObject(tenantStub(caller.tenant), (_, { storage }) => {
      const [row] = storage.sql.exec<{ progress: string }>("SELECT progress FROM retention").toArray();
      const progress = JSON.parse(row?.progress ?? "{}") as { parts: { tasks: object } };
      // What the sweep has looked at while the index lacked both.
      progress.parts.tasks = { ...progress.parts.tasks, after: { at: Date.now(), id: late } };
      storage.sql.exec("UPDATE retention SET progress = ?", JSON.stringify(progress));
    });
    await abortAllDurableObjects();
    await sweepAfter(caller, 2 * DAY);
    vi.useRealTimers();
    expect(await listed(caller)).toEqual([early, late].toSorted());
    await rebuild(caller);
    await sweepAfter(caller, 2 * DAY);
    vi.useRealTimers();
    expect(await listed(caller)).toEqual([]);
  });

  test("waits while the index is rebuilt", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const caller = await makeCaller();
    const id = await ended(caller);
    await setRetention(caller, { tasks_days: 1 });
    await sweepAfter(caller, 0);
    const isRunning = await runInDurableObject(tenantStub(caller.tenant), (object) => {
      const { jobs } = object as unknown as { jobs: { reindex: { isRunning(): boolean } } };
      return vi.spyOn(jobs.reindex, "isRunning").mockReturnValue(true);
    });
    vi.setSystemTime(Date.now() + 2 * DAY);
    await runDurableObjectAlarm(tenantStub(caller.tenant));
    vi.useRealTimers();
    expect(await listed(caller)).toEqual([id]);
    isRunning.mockRestore();
    await sweepAfter(caller, 2 * DAY);
    vi.useRealTimers();
    expect(await listed(caller)).toEqual([]);
  });

  test("is completed by the alarm after a crash, and a rebuild restores nothing", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const caller = await makeCaller();
    const old = [];
    for (let made = 0; made < 4; made += 1) old.push(await ended(caller));
    const draft = await caller.makeTask(DONE, { hold: true });
    await setRetention(caller, { tasks_days: 1 });
    // Two are gone before the crash, one of them without a word to the index.
    await tasksFromEnv(env)(caller.tenant, old[0] ?? "").erase(true);
    await runInDurableObject(
      env.TASKS.get(env.TASKS.idFromName(`${caller.tenant}/${old[1] ?? ""}`)),
      (_, { storage }) => storage.deleteAll(),
    );
    await abortAllDurableObjects();
    await sweepAfter(caller, 2 * DAY);
    vi.useRealTimers();
    expect(await listed(caller)).toEqual([draft.id]);
    await rebuild(caller);
    expect(await listed(caller)).toEqual([draft.id]);
  });
});
