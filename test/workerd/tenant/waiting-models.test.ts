/** A model that hangs delays the tasks of nobody else: slots are shared by work under way. */
import { runInDurableObject } from "cloudflare:test";
import { afterEach, expect, test, vi } from "vitest";
import { type Caller, makeCaller } from "../http/entry.ts";
import { tenantStub } from "./client.ts";

/** Longer than the test waits for a first call. */
const HANG_MS = 12_000;

afterEach(() => {
  vi.restoreAllMocks();
});

/** Lets tenants share this number of slots. */
async function shareSlots(callers: readonly Caller[], count: number): Promise<void> {
  for (const { tenant } of callers)
    await runInDurableObject(tenantStub(tenant), (instance) => {
      const { slots } = (instance as unknown as { jobs: { slots: { env: object } } }).jobs;
      slots.env = { ...slots.env, OTTO_SHARED_RUNNING_TASKS: String(count) };
    });
}

/** Creates a task and returns the time until it ends, in milliseconds. */
async function timeTask(caller: Caller): Promise<number> {
  const startedAt = performance.now();
  const { id } = await caller.makeTask([{ text: "Done." }]);
  await caller.until(id, ({ status }) => status === "completed");
  return performance.now() - startedAt;
}

/** Creates tasks whose model hangs. Returns what ends them. */
async function hangModels(caller: Caller): Promise<() => Promise<void>> {
  const tasks = await Promise.all(
    Array.from({ length: 3 }, () => caller.makeTask([{ text: "Late.", delayMs: HANG_MS }])),
  );
  return async () => {
    for (const { id } of tasks) await caller.send("POST", `/v1/tasks/${id}/cancel`);
  };
}

test("a tenant's task begins at once while models of other tenants, and its own, hang", {
  timeout: 60_000,
}, async () => {
  const callers = await Promise.all(Array.from({ length: 4 }, () => makeCaller()));
  const [victim] = callers;
  if (victim === undefined) throw new Error("no caller");
  await timeTask(victim);
  // Each of the four has two slots.
  await shareSlots(callers, 4);
  const ends = await Promise.all(callers.map(async (caller) => await hangModels(caller)));
  const tookMs = await timeTask(victim);
  console.info("first call while models hang, ms", Math.round(tookMs));
  for (const end of ends) await end();
  expect(tookMs).toBeLessThan(HANG_MS / 2);
});
