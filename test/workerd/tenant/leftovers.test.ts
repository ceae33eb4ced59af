/** What a task leaves behind is sent together: few Postgres statements, and nothing lost or stored twice by a crash. */
import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, inject, test, vi } from "vitest";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import { report } from "../../contracts/database/rows.ts";
import { type Caller, makeCaller } from "../http/entry.ts";
import { newTenant, tenantStub } from "./client.ts";

const LONGEST_WAIT_MS = 10_000;

const getAlarm = async (tenant: string) =>
  await runInDurableObject(tenantStub(tenant), (_, { storage }) => storage.getAlarm());

/** Moves the next alarm of a fresh instance far away: only the test runs it. */
async function runAlarms(tenant: string): Promise<void> {
  for (;;) {
    const at = await getAlarm(tenant);
    if (at === null || at > Date.now() + LONGEST_WAIT_MS) return;
    await runDurableObjectAlarm(tenantStub(tenant));
    await scheduler.wait(50);
  }
}

/** Counts the Postgres statements of a tenant. While `losesReplies`, Postgres works and its replies are lost. */
function watchStatements(tenant: string): { count: number; losesReplies: boolean } {
  const watch = { count: 0, losesReplies: false };
  const { databaseEndpoint } = inject("servers");
  const real = globalThis.fetch.bind(globalThis);
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const body = typeof init?.body === "string" ? init.body : "";
    const response = await real(input, init);
    if (url !== databaseEndpoint || !body.includes(tenant)) return response;
    watch.count += (JSON.parse(body) as { queries?: readonly unknown[] }).queries?.length ?? 1;
    if (watch.losesReplies) throw new TypeError("connection reset");
    return response;
  });
  return watch;
}

async function completeTask(caller: Caller): Promise<string> {
  const { id } = await caller.makeTask([{ text: "Done." }]);
  await caller.until(id, ({ status }) => status === "completed");
  return id;
}

async function listSummaries(caller: Caller): Promise<string[]> {
  const { json } = await caller.send("GET", "/v1/memory?kind=summary&limit=100");
  return (json["data"] as { source_task: string }[]).map((one) => one.source_task);
}

async function readIndex(tenant: string): Promise<string[]> {
  const read = await databaseFromEnv(env).tasks.page(
    tenant,
    { status: null, project: null },
    { after: null, limit: 100 },
  );
  return read.ok ? read.value.items.map(({ id, status }) => `${id} ${status}`) : [];
}

test("a task that runs alone costs at most six Postgres statements, requests included", async () => {
  const caller = await makeCaller();
  await completeTask(caller);
  await runAlarms(caller.tenant);
  const watch = watchStatements(caller.tenant);
  const id = await completeTask(caller);
  await runAlarms(caller.tenant);
  await vi.waitFor(() => expect(watch.count).toBe(4), { timeout: 20_000 });
  expect(await readIndex(caller.tenant)).toContain(`${id} completed`);
  await vi.waitFor(async () => expect(await listSummaries(caller)).toContain(id), { timeout: 20_000 });
});

test("rows wait two seconds for others, those of a running task ten, and fifty leave at once", async () => {
  const { id } = await newTenant();
  const rpc = tenantsFromEnv(env)(id);
  const wait = async () => ((await getAlarm(id)) ?? Infinity) - Date.now();
  await rpc.report(report({ status: "running" }));
  expect(await wait()).toBeGreaterThan(5_000);
  expect(await wait()).toBeLessThanOrEqual(10_000);
  await rpc.report(report({ status: "failed" }));
  expect(await wait()).toBeGreaterThan(0);
  expect(await wait()).toBeLessThanOrEqual(2_000);
  await Promise.all(Array.from({ length: 48 }, () => rpc.report(report({ status: "running" }))));
  await vi.waitFor(async () => expect(await readIndex(id)).toHaveLength(50), { timeout: 1_500, interval: 20 });
});

test("a crash before rows and summaries are sent loses none", async () => {
  const caller = await makeCaller();
  const id = await completeTask(caller);
  await vi.waitFor(async () => expect(await getAlarm(caller.tenant)).not.toBeNull());
  await abortAllDurableObjects();
  await runDurableObjectAlarm(tenantStub(caller.tenant));
  await vi.waitFor(async () => expect(await readIndex(caller.tenant)).toEqual([`${id} completed`]), {
    timeout: 20_000,
  });
  await vi.waitFor(async () => expect(await listSummaries(caller)).toEqual([id]), { timeout: 20_000 });
});

test("a crash after Postgres stored them, and lost replies, store none twice", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const caller = await makeCaller();
  await caller.send("GET", "/v1/agents/agent_default");
  const watch = watchStatements(caller.tenant);
  watch.losesReplies = true;
  const id = await completeTask(caller);
  expect(await tenantsFromEnv(env)(caller.tenant).flush()).toBe(false);
  expect(await tenantsFromEnv(env)(caller.tenant).summarise()).toBe(false);
  expect(await readIndex(caller.tenant)).toEqual([]);
  watch.losesReplies = false;
  expect(await listSummaries(caller)).toEqual([id]);
  await abortAllDurableObjects();
  expect(await tenantsFromEnv(env)(caller.tenant).flush()).toBe(true);
  expect(await tenantsFromEnv(env)(caller.tenant).summarise()).toBe(true);
  expect(await readIndex(caller.tenant)).toEqual([`${id} completed`]);
  expect(await listSummaries(caller)).toEqual([id]);
  expect(await getAlarm(caller.tenant)).not.toBeNull();
});
