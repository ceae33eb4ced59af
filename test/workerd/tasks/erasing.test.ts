/** The erasing of a task that a crash cuts off is ended by the task's alarm. */
import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { tasksFromEnv } from "../../../adapters/env/tasks.ts";
import { tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import { TASK_ERASED } from "../../../core/base/errors.ts";
import { STATE_LOST } from "../../../core/task/lost.ts";
import { getSummaryId } from "../../../core/memory/memory.ts";
import { sweep } from "../../../workers/sweep.ts";
import { report } from "../../contracts/database/rows.ts";
import { type Caller, makeCaller } from "../http/entry.ts";
import { stubOf } from "./client.ts";
import { tenantStub } from "../tenant/client.ts";

const SOON = { timeout: 20_000, interval: 50 };

/** What a test replaces in the tenant's object. */
interface Patched {
  forget(task: string, keepsMemory?: boolean): Promise<void>;
}

afterEach(() => {
  vi.restoreAllMocks();
});

async function makeEnded(caller: Caller): Promise<string> {
  const { id } = await caller.makeTask([{ text: "Done." }]);
  await caller.until(id, ({ status }) => status === "completed");
  await tenantsFromEnv(env)(caller.tenant).summarise();
  return id;
}

/** Cuts an erasing off: in the tenant's call, before or after the tenant has stored that the task is gone. */
async function cutOffErasing(caller: Caller, task: string, hasStored: boolean, keepsMemory = false): Promise<void> {
  let isReached = false;
  await runInDurableObject(tenantStub(caller.tenant), (object) => {
    const methods = Object.getPrototypeOf(object) as Patched;
    const real = methods.forget;
    vi.spyOn(methods, "forget").mockImplementation(async function (this: Patched, ...given) {
      if (hasStored) await real.apply(this, given);
      isReached = true;
      await new Promise(() => undefined);
    });
  });
  const erasing = tasksFromEnv(env)(caller.tenant, task)
    .erase(keepsMemory)
    .catch(() => undefined);
  await vi.waitFor(() => expect(isReached).toBe(true), SOON);
  vi.restoreAllMocks();
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  await abortAllDurableObjects();
  await erasing;
}

const stored = async (tenant: string, id: string): Promise<number> =>
  await runInDurableObject(stubOf({ tenant, id }), (_, { storage }) => {
    return storage.sql.exec("SELECT name FROM sqlite_master WHERE name IN ('task', 'steps')").toArray().length;
  });

const memories = async (caller: Caller): Promise<string[]> =>
  (await caller.send("GET", "/v1/memory?limit=100")).json.data.map(({ id }: { id: string }) => id);

describe.each([
  { when: "after the tenant has forgotten the task", hasStored: true },
  { when: "before the tenant is notified", hasStored: false },
])("an erasing that a crash cuts off $when", ({ hasStored }) => {
  test("leaves no readable data, and its alarm empties the object", async () => {
    const caller = await makeCaller();
    const id = await makeEnded(caller);
    await cutOffErasing(caller, id, hasStored);
    expect(await tasksFromEnv(env)(caller.tenant, id).view()).toEqual({ ok: false, error: TASK_ERASED });
    expect((await caller.send("GET", `/v1/tasks/${id}`)).status).toBe(404);
    expect((await caller.send("GET", `/v1/tasks/${id}/events`)).status).toBe(404);
    expect(await stored(caller.tenant, id)).toBe(2);
    expect(await runDurableObjectAlarm(stubOf({ tenant: caller.tenant, id }))).toBe(true);
    expect(await stored(caller.tenant, id)).toBe(0);
    const found = await databaseFromEnv(env).tasks.find(caller.tenant, id);
    expect(found).toEqual({ ok: true, value: null });
    await vi.waitFor(async () => expect(await memories(caller)).toEqual([]), SOON);
  });

  test("repeats, and retains the memory if requested", async () => {
    const caller = await makeCaller();
    const id = await makeEnded(caller);
    await cutOffErasing(caller, id, hasStored, true);
    await runDurableObjectAlarm(stubOf({ tenant: caller.tenant, id }));
    expect(await stored(caller.tenant, id)).toBe(0);
    expect(await memories(caller)).toEqual([getSummaryId(id)]);
  });

  test("is not reported as a lost task by the sweep, which sets its alarm again", async () => {
    const caller = await makeCaller();
    const id = await makeEnded(caller);
    await cutOffErasing(caller, id, hasStored);
    const find = () => stubOf({ tenant: caller.tenant, id });
    await runInDurableObject(find(), (_, { storage }) => storage.deleteAlarm());
    await abortAllDurableObjects();
    await databaseFromEnv(env).tasks.upsert(caller.tenant, [
      { ...report({ task: id }), version: 1_000, wakeAt: Date.now() - 120_000 },
    ]);
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    await sweep(env, Date.now());
    expect(log.mock.calls.filter(([line]) => String(line).includes(STATE_LOST))).toEqual([]);
    expect(await runInDurableObject(find(), (_, { storage }) => storage.getAlarm())).not.toBeNull();
  });

  test("is ended by another one, and makes no task of the same id", async () => {
    const caller = await makeCaller();
    const id = await makeEnded(caller);
    const task = tasksFromEnv(env)(caller.tenant, id);
    const facts = await task.facts();
    if (!facts.ok) throw new Error(facts.error.message);
    await cutOffErasing(caller, id, hasStored);
    const made = await tasksFromEnv(env)(caller.tenant, id).create({ facts: facts.value, hold: true, call: null });
    expect(made).toEqual({ ok: false, error: TASK_ERASED });
    expect(await tasksFromEnv(env)(caller.tenant, id).erase()).toMatchObject({ ok: true });
    expect(await stored(caller.tenant, id)).toBe(0);
  });
});
