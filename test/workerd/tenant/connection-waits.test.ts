/** Tasks that wait for a connection, and their waking: each once, through every crash. */
import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import { failed, ok, type Result } from "../../../core/base/errors.ts";
import { makeId } from "../../../core/base/ids.ts";
import type { OpenWait } from "../../../core/task/open-waits.ts";
import { TenantTables } from "../../../durable-objects/tenant/tables.ts";
import { TaskObject } from "../../../workers/index.ts";
import { report } from "../../contracts/database/rows.ts";
import { type Caller, makeCaller } from "../http/entry.ts";
import { tenantStub } from "./client.ts";

const SOON = { timeout: 20_000, interval: 20 };
const [CRM, ANA] = ["crm", "per_ana"];

const newTask = () => makeId("task", Date.now(), crypto.getRandomValues(new Uint8Array(10)));

let caller: Caller;
let tenant: string;

/** A new stub for every call: one from before a crash is broken. */
const object = () => tenantsFromEnv(env)(tenant);

const sql = async (query: string) =>
  await runInDurableObject(tenantStub(tenant), (_, { storage }) => storage.sql.exec(query).toArray());

const listRows = async () =>
  (await sql("SELECT task, wait FROM connection_waits ORDER BY task")).map(({ wait }) => wait);

function waitFor(task: string, change: Partial<OpenWait> = {}): OpenWait {
  const base = { kind: "connection", app: CRM, person: null, person_id: ANA, since: Date.now() } as const;
  return { id: `cnw_${task}`, ...base, ...change };
}

const reportWaits = async (task: string, waits: readonly OpenWait[], version = 1) =>
  await object().report({ ...report({ task, version, status: "waiting_input" }), waits });

/** Tasks that wait for a connection, with a wait each. */
async function makeWaiting(count: number, change: Partial<OpenWait> = {}): Promise<readonly string[]> {
  const tasks = Array.from({ length: count }, newTask);
  await Promise.all(tasks.map((task) => reportWaits(task, [waitFor(task, change)])));
  return tasks;
}

/** Records the waits that tasks of the tenant are woken with. `answer` is what the tasks reply. */
function recordWakes(answer: (wait: string) => Promise<Result<void>> = () => Promise.resolve(ok(undefined))) {
  const state = { called: [] as string[], answered: [] as string[], now: 0, most: 0 };
  const spy = vi.spyOn(TaskObject.prototype, "connected").mockImplementation(async function (this: TaskObject, wait) {
    const { ctx } = this as unknown as { readonly ctx: DurableObjectState };
    if (ctx.id.name?.startsWith(`${tenant}/`) !== true) return ok(undefined);
    state.called.push(wait);
    state.now += 1;
    state.most = Math.max(state.most, state.now);
    try {
      const reply = await answer(wait);
      state.answered.push(wait);
      return reply;
    } finally {
      state.now -= 1;
    }
  });
  return { ...state, read: () => state, release: () => spy.mockRestore() };
}

beforeEach(async () => {
  caller = await makeCaller();
  ({ tenant } = caller);
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});

describe("the rows", () => {
  test("follow the reports of their task, and a late report changes nothing", async () => {
    const task = newTask();
    const [one, two] = [waitFor(task, { id: "cnw_1" }), waitFor(task, { id: "cnw_2", app: "mail" })];
    await reportWaits(task, [one, { ...one, id: "qst_1", kind: "question" }], 2);
    expect(await listRows()).toEqual(["cnw_1"]);
    await reportWaits(task, [one, two], 3);
    expect(await sql("SELECT wait, app, owner, since FROM connection_waits ORDER BY wait")).toEqual([
      { wait: "cnw_1", app: CRM, owner: ANA, since: one.since },
      { wait: "cnw_2", app: "mail", owner: ANA, since: two.since },
    ]);
    await reportWaits(task, [two], 4);
    await reportWaits(task, [one, two], 3);
    expect(await listRows()).toEqual(["cnw_2"]);
    await reportWaits(task, [], 5);
    await reportWaits(task, [one], 2);
    expect(await listRows()).toEqual([]);
  });

  test("are counted by app and owner, each task once", async () => {
    const [task] = await makeWaiting(3);
    await makeWaiting(2, { person_id: null });
    await reportWaits(task ?? "", [waitFor("1"), waitFor("2")], 2);
    expect(await object().countConnectionWaits(CRM, ANA)).toBe(3);
    expect(await object().countConnectionWaits(CRM, null)).toBe(2);
    expect(await object().countConnectionWaits("mail", ANA)).toBe(0);
  });

  test("go with their task, and with the tenant", async () => {
    const [erased] = await makeWaiting(2);
    await object().forget(erased ?? "");
    expect(await listRows()).toHaveLength(1);
    await object().erase();
    expect(await listRows()).toEqual([]);
    await object().connectionReady(CRM, ANA);
  });

  test("are made in an object of an earlier release", async () => {
    await makeWaiting(1);
    await sql("DROP TABLE connection_waits");
    await abortAllDurableObjects();
    const [task] = await makeWaiting(1);
    expect(await listRows()).toEqual([`cnw_${task}`]);
  });

  test("are restored from the tasks by a rebuild", async () => {
    const [task = ""] = await makeWaiting(1);
    const row = { ...report({ task, status: "waiting_input" }), waits: [waitFor(task)] };
    vi.spyOn(TaskObject.prototype, "indexRow").mockResolvedValue(ok(row));
    await sql("DELETE FROM connection_waits");
    await abortAllDurableObjects();
    expect(await object().startReindex()).toMatchObject({ ok: true });
    await vi.waitFor(async () => expect(await listRows()).toEqual([`cnw_${task}`]), SOON);
  });

  test("cost tasks without a connection no query", async () => {
    await reportWaits(newTask(), []);
    const queries = [vi.spyOn(TenantTables.prototype, "read"), vi.spyOn(TenantTables.prototype, "write")];
    for (let tasks = 0; tasks < 20; tasks += 1) await reportWaits(newTask(), []);
    const isOwn = (tables: unknown) => (tables as { readonly objectName: string }).objectName === tenant;
    const statements = queries.flatMap(({ mock }) =>
      mock.calls.flatMap(([query], index) => (isOwn(mock.contexts[index]) ? [query] : [])),
    );
    expect(statements.length).toBeGreaterThan(20);
    expect(statements.filter((query) => query.includes("connection_waits"))).toEqual([]);
  });
});

test("an app that is removed wakes the tasks of all its owners, and no other", async () => {
  const [[anas = ""], [shared = ""]] = [await makeWaiting(1), await makeWaiting(1, { person_id: null })];
  const [other = ""] = await makeWaiting(1, { app: "mail" });
  const wakes = recordWakes();
  await object().appRemoved(CRM);
  await vi.waitFor(async () => expect(await listRows()).toEqual([`cnw_${other}`]), SOON);
  expect(wakes.read().called.toSorted()).toEqual([`cnw_${anas}`, `cnw_${shared}`].toSorted());
  wakes.release();
});

describe("a connection that becomes active", () => {
  test("wakes each of a hundred tasks once, at most ten at a time, and no other", async () => {
    const tasks = await makeWaiting(100);
    await makeWaiting(3, { app: "mail" });
    await makeWaiting(3, { person_id: "per_ben" });
    await makeWaiting(3, { person_id: null });
    const wakes = recordWakes(async () => {
      await scheduler.wait(5);
      return ok(undefined);
    });
    await Promise.all([object().connectionReady(CRM, ANA), object().connectionReady(CRM, ANA)]);
    await vi.waitFor(async () => expect(await listRows()).toHaveLength(9), SOON);
    expect(wakes.read().called.toSorted()).toEqual(tasks.map((task) => `cnw_${task}`).toSorted());
    expect(wakes.read().most).toBe(10);
  });

  test.each([0, 1, 37, 95])("wakes every task although the object is killed after %i of them", async (after) => {
    const tasks = await makeWaiting(100);
    const never = new Promise<Result<void>>(() => undefined);
    let left = after;
    const wakes = recordWakes(() => {
      left -= 1;
      return left < 0 ? never : Promise.resolve(ok(undefined));
    });
    await object().connectionReady(CRM, ANA);
    const atOnce = Math.min(10, 100 - after);
    await vi.waitFor(() => expect(wakes.read().now).toBe(atOnce), SOON);
    await vi.waitFor(async () => expect(await listRows()).toHaveLength(100 - after), SOON);
    const before = [...wakes.read().answered];
    wakes.release();
    await abortAllDurableObjects();
    // Nobody calls it: its alarm finds what was cut off.
    const later = recordWakes();
    await vi.waitFor(async () => expect(await listRows()).toEqual([]), SOON);
    expect([...before, ...later.read().answered].toSorted()).toEqual(tasks.map((task) => `cnw_${task}`).toSorted());
  });

  test("calls a task again that fails, and one that is gone no more", async () => {
    const [away, gone, fine] = (await makeWaiting(3)).map((task) => `cnw_${task}`);
    let isAway = true;
    const wakes = recordWakes((wait) => {
      if (wait === away && isAway) return Promise.reject(new TypeError("it has no such method"));
      return Promise.resolve(wait === gone ? failed("not_found", "There is no such task.") : ok(undefined));
    });
    await object().connectionReady(CRM, ANA);
    await vi.waitFor(async () => expect(await listRows()).toEqual([away]), SOON);
    isAway = false;
    await vi.waitFor(async () => expect(await listRows()).toEqual([]), SOON);
    const called = (wait: string | undefined) => wakes.read().called.filter((one) => one === wait).length;
    expect([called(gone), called(fine)]).toEqual([1, 1]);
    expect(called(away)).toBeGreaterThan(1);
  });

  test("wakes the next wait of a task that found no usable account", async () => {
    const [task = ""] = await makeWaiting(1);
    const wakes = recordWakes();
    await object().connectionReady(CRM, ANA);
    await vi.waitFor(() => expect(wakes.read().called).toHaveLength(1), SOON);
    await reportWaits(task, [waitFor(task, { id: "cnw_next" })], 2);
    await object().connectionReady(CRM, ANA);
    await vi.waitFor(() => expect(wakes.read().called).toEqual([`cnw_${task}`, "cnw_next"]), SOON);
  });
});

describe("a repair", () => {
  test("wakes what began before the change, and nothing that waits again since", async () => {
    const changedAt = Date.now() - 60_000;
    const [missed] = await makeWaiting(1, { since: changedAt - 1_000 });
    const [raced] = await makeWaiting(1, { since: changedAt + 5_000 });
    const [again] = await makeWaiting(1, { since: changedAt + 30_000 });
    const wakes = recordWakes();
    await object().connectionReady(CRM, ANA, changedAt);
    await vi.waitFor(async () => expect(await listRows()).toEqual([`cnw_${again}`]), SOON);
    expect(wakes.read().called.toSorted()).toEqual([missed, raced].map((task) => `cnw_${task}`).toSorted());
    await object().connectionReady(CRM, ANA);
    await vi.waitFor(async () => expect(await listRows()).toEqual([]), SOON);
  });

  test("does not shorten the pause after a failure", async () => {
    await makeWaiting(1, { since: 0 });
    const wakes = recordWakes(() => Promise.reject(new Error("no")));
    await object().connectionReady(CRM, ANA);
    await vi.waitFor(() => expect(wakes.read().called).toHaveLength(1), SOON);
    for (let repairs = 0; repairs < 10; repairs += 1) await object().connectionReady(CRM, ANA, Date.now());
    expect(wakes.read().called.length).toBeLessThan(3);
  });
});

test("the stamp of the apps changes when one may have changed, and only then", async () => {
  const stamps = async () => {
    const { agentsStamp, appsStamp } = (await object().standing()) ?? {};
    return { agentsStamp, appsStamp };
  };
  const first = await stamps();
  expect(first.appsStamp).toEqual(expect.any(String));
  await object().stampAgents();
  const second = await stamps();
  expect(second.appsStamp).toBe(first.appsStamp);
  await object().appsChanged();
  const third = await stamps();
  expect(third.appsStamp).not.toBe(first.appsStamp);
  expect(third.agentsStamp).toBe(second.agentsStamp);
});
