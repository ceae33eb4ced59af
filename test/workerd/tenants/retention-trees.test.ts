/** Retention of whole trees: what is due, what is lost, and what stays of them in memory. */
import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { blobsFromEnv } from "../../../adapters/env/files.ts";
import { tasksFromEnv } from "../../../adapters/env/tasks.ts";
import { tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import { getSummaryId } from "../../../core/memory/memory.ts";
import { type Caller, makeCaller } from "../http/entry.ts";
import { changeStored, DAY, DONE, ended, listed, setRetention, sweepAfter } from "./retention-client.ts";
import { inputOf, stubOf } from "../tasks/client.ts";
import { tenantStub } from "../tenant/client.ts";

const DISPATCH = [
  { calls: [{ name: "dispatch_subagent", arguments: { task_description: inputOf(DONE) } }] },
  { text: "All back." },
];

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

async function makeTree(caller: Caller): Promise<{ root: string; below: string }> {
  const root = await ended(caller, DISPATCH);
  const [below = ""] = (await listed(caller)).filter((id) => id !== root);
  return { root, below };
}

/** The object's file is lost. */
async function lose(caller: Caller, id: string): Promise<void> {
  await runInDurableObject(stubOf({ tenant: caller.tenant, id }), async (_, { storage }) => {
    await storage.deleteAlarm();
    await storage.deleteAll();
  });
  await abortAllDurableObjects();
}

const statusOf = async (caller: Caller, id: string) => (await caller.send("GET", `/v1/tasks/${id}`)).status;

const memories = async (caller: Caller): Promise<string[]> =>
  (await caller.send("GET", "/v1/memory?limit=100")).json.data.map(({ id }: { id: string }) => id);

const fileOf = ({ tenant }: Caller, root: string) => `${tenant}/tree/${root}/blobs/left`;

async function putFile(caller: Caller, root: string): Promise<void> {
  await blobsFromEnv(env).put(fileOf(caller, root), new TextEncoder().encode("left"));
}

const hasFile = async (caller: Caller, root: string) => (await blobsFromEnv(env).get(fileOf(caller, root))).ok;

describe("a tree with subtasks", () => {
  test("is erased in full", async () => {
    const caller = await makeCaller();
    const { root, below } = await makeTree(caller);
    await setRetention(caller, { tasks_days: 1 });
    await sweepAfter(caller, 2 * DAY);
    vi.useRealTimers();
    expect(await listed(caller)).toEqual([]);
    expect([await statusOf(caller, root), await statusOf(caller, below)]).toEqual([404, 404]);
  });

  test("is retained for its days after the end of its last subtask", async () => {
    const caller = await makeCaller();
    const { root, below } = await makeTree(caller);
    await changeStored(caller, below, ({ state }) => {
      if (state.phase.name === "ended") state.phase = { ...state.phase, at: state.phase.at + 1.5 * DAY };
    });
    await setRetention(caller, { tasks_days: 1 });
    await sweepAfter(caller, 2 * DAY);
    vi.useRealTimers();
    expect(await listed(caller)).toEqual([root, below].toSorted());
    await sweepAfter(caller, 3 * DAY);
    vi.useRealTimers();
    expect(await listed(caller)).toEqual([]);
  });

  test("stays while the end of a subtask is still to be reported", async () => {
    const caller = await makeCaller();
    const { root, below } = await makeTree(caller);
    await changeStored(caller, below, (row) => {
      row.reportable = row.version + 1;
    });
    // No alarm: it reports when somebody wakes it.
    await runInDurableObject(stubOf({ tenant: caller.tenant, id: below }), (_, { storage }) => storage.deleteAlarm());
    await setRetention(caller, { tasks_days: 1 });
    await sweepAfter(caller, 2 * DAY);
    vi.useRealTimers();
    expect(await listed(caller)).toEqual([root, below].toSorted());
  });
});

describe("a tree whose root lost its stored state", () => {
  test("is erased with the tasks below it, its files and its line", async () => {
    const caller = await makeCaller();
    const { root, below } = await makeTree(caller);
    await putFile(caller, root);
    await lose(caller, root);
    await setRetention(caller, { tasks_days: 1 });
    await sweepAfter(caller, 2 * DAY);
    vi.useRealTimers();
    expect(await listed(caller)).toEqual([]);
    expect([await statusOf(caller, root), await statusOf(caller, below)]).toEqual([404, 404]);
    expect(await hasFile(caller, root)).toBe(false);
    expect((await tasksFromEnv(env)(caller.tenant, below).view()).ok).toBe(false);
    expect((await caller.send("GET", "/v1/retention")).json.removed).toMatchObject({ total: 1 });
  });

  test("is retained in full while a task below it ended too late, and while only its log expires", async () => {
    const caller = await makeCaller();
    const { root, below } = await makeTree(caller);
    await putFile(caller, root);
    await changeStored(caller, below, ({ state }) => {
      if (state.phase.name === "ended") state.phase = { ...state.phase, at: state.phase.at + 1.5 * DAY };
    });
    await lose(caller, root);
    await setRetention(caller, { tasks_days: 1, logs_days: 1 });
    await sweepAfter(caller, 2 * DAY);
    vi.useRealTimers();
    expect(await listed(caller)).toEqual([root, below].toSorted());
    expect(await hasFile(caller, root)).toBe(true);
    expect(await statusOf(caller, below)).toBe(200);
    expect((await caller.send("GET", "/v1/retention")).json.removed).toMatchObject({ total: 0 });
  });
});

describe("the summary of a task past its days", () => {
  /** The object died before it saved the summary. */
  async function endedWithoutSummary(caller: Caller): Promise<string> {
    const id = await ended(caller);
    await runInDurableObject(tenantStub(caller.tenant), (_, { storage }) =>
      storage.sql.exec("UPDATE tasks SET summary = 'due' WHERE summary = 'stored'"),
    );
    const { json } = await caller.send("GET", "/v1/memory?limit=100");
    for (const memory of json.data as { id: string }[]) await caller.send("DELETE", `/v1/memory/${memory.id}`);
    return id;
  }

  test("is saved before the task goes", async () => {
    const caller = await makeCaller();
    const id = await endedWithoutSummary(caller);
    await setRetention(caller, { tasks_days: 1 });
    await sweepAfter(caller, 2 * DAY, { summaries: false });
    vi.useRealTimers();
    expect(await listed(caller)).toEqual([]);
    expect(await memories(caller)).toEqual([getSummaryId(id)]);
  });

  test("retains the task while its summary cannot be saved", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const caller = await makeCaller();
    const id = await endedWithoutSummary(caller);
    await setRetention(caller, { tasks_days: 1 });
    await runInDurableObject(stubOf({ tenant: caller.tenant, id }), (object) => {
      const methods = Object.getPrototypeOf(object) as { summary(): unknown };
      vi.spyOn(methods, "summary").mockResolvedValue({ ok: false, error: { code: "internal", message: "It failed." } });
    });
    await sweepAfter(caller, 0, { summaries: false });
    vi.setSystemTime(Date.now() + 2 * DAY);
    await runDurableObjectAlarm(tenantStub(caller.tenant));
    const waits = expect.arrayContaining(["the retention sweep of a tenant failed and is retried", caller.tenant]);
    await vi.waitFor(() => expect(log.mock.calls).toContainEqual(waits), { timeout: 20_000 });
    vi.useRealTimers();
    expect(await listed(caller)).toEqual([id]);
  });

  test("is remembered for a day, together with the forgotten task", async () => {
    const caller = await makeCaller();
    const id = await ended(caller);
    await tasksFromEnv(env)(caller.tenant, id).erase(true);
    await tenantsFromEnv(env)(caller.tenant).flush();
    const count = async () =>
      await runInDurableObject(tenantStub(caller.tenant), (_, { storage }) =>
        ["forgotten", "kept_summaries"].map((table) => storage.sql.exec(`SELECT 1 FROM ${table}`).toArray().length),
      );
    expect(await count()).toEqual([1, 1]);
    vi.setSystemTime(Date.now() + 1.1 * DAY);
    await runDurableObjectAlarm(tenantStub(caller.tenant));
    vi.useRealTimers();
    expect(await count()).toEqual([0, 0]);
  });

  test("stays when it is saved during the sweep", async () => {
    const caller = await makeCaller();
    const id = await endedWithoutSummary(caller);
    await runInDurableObject(tenantStub(caller.tenant), async (object) => {
      const { jobs } = object as unknown as {
        jobs: {
          summaries: { writeAll(): Promise<boolean>; removeForgotten(...given: unknown[]): Promise<unknown> };
          reports: { forget(task: string, retainsSummary: boolean): void };
        };
      };
      const { summaries, reports } = jobs;
      const real = summaries.removeForgotten.bind(summaries);
      vi.spyOn(summaries, "removeForgotten").mockImplementation(async (...given) => {
        reports.forget(id, true);
        return await real(...given);
      });
      expect(await summaries.writeAll()).toBe(true);
    });
    expect(await memories(caller)).toEqual([getSummaryId(id)]);
  });
});

test("a tree that is passed over makes the later ones neither trimmed nor counted again", async () => {
  const caller = await makeCaller();
  const early = await ended(caller);
  const late = await ended(caller);
  await lose(caller, early);
  await setRetention(caller, { logs_days: 1 });
  await sweepAfter(caller, 2 * DAY);
  expect((await caller.send("GET", "/v1/retention")).json.removed).toMatchObject({ total: 1 });
  await sweepAfter(caller, DAY);
  await sweepAfter(caller, DAY);
  vi.useRealTimers();
  expect((await caller.send("GET", "/v1/retention")).json.removed).toMatchObject({ today: 0, total: 1 });
  const { json: audit } = await caller.send("GET", "/v1/audit?action=retention.sweep");
  expect(audit.data).toHaveLength(1);
  const { json: log } = await caller.send("GET", `/v1/tasks/${late}/events`, undefined, { accept: "application/json" });
  expect(log.data).toHaveLength(1);
});
