/** What tests of retention share: ended tasks, and the sweep by a clock that is ahead. */
import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import { tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import type { Caller } from "../http/entry.ts";
import { changeLastRow } from "../task/stored-rows.ts";
import { stubOf } from "../tasks/client.ts";
import { tenantStub } from "../tenant/client.ts";

export const DAY = 86_400_000;
export const DONE = [{ text: "All done." }];
const SOON = { timeout: 20_000, interval: 50 };

/** Makes a task, and waits until the index has its end. */
export async function ended(caller: Caller, replies: readonly unknown[] = DONE): Promise<string> {
  const { id } = await caller.makeTask(replies);
  await caller.until(id, ({ status }) => status === "completed");
  await vi.waitFor(async () => {
    const { json } = await caller.send("GET", "/v1/tasks?status=completed&limit=100");
    expect(json.data.map((task: { id: string }) => task.id)).toContain(id);
  }, SOON);
  return id;
}

export const listed = async (caller: Caller): Promise<string[]> =>
  (await caller.send("GET", "/v1/tasks?limit=100")).json.data.map(({ id }: { id: string }) => id).toSorted();

export const setRetention = async (caller: Caller, days: object) => await caller.send("PUT", "/v1/retention", days);

/** Until the sweep has nothing more to do. */
async function untilSwept(caller: Caller): Promise<void> {
  await vi.waitFor(async () => {
    const { progress } = await tenantsFromEnv(env)(caller.tenant).retention();
    expect(progress?.nextAt ?? Number.POSITIVE_INFINITY).toBeGreaterThan(Date.now());
  }, SOON);
}

/** Lets the sweep run now, `ms` later by the clock. With `summaries`, those of the tasks are saved first. */
export async function sweepAfter(caller: Caller, ms: number, { summaries = true } = {}): Promise<void> {
  await tenantsFromEnv(env)(caller.tenant).flush();
  if (summaries) await tenantsFromEnv(env)(caller.tenant).summarise();
  await untilSwept(caller);
  vi.setSystemTime(Date.now() + ms);
  await runDurableObjectAlarm(tenantStub(caller.tenant));
  await untilSwept(caller);
}

/** Changes the stored state of a task, and restarts every object. */
export async function changeStored(
  caller: Caller,
  id: string,
  change: Parameters<typeof changeLastRow>[1],
): Promise<void> {
  await runInDurableObject(stubOf({ tenant: caller.tenant, id }), (_, { storage }) => changeLastRow(storage, change));
  await abortAllDurableObjects();
}
