/** What one task costs its tenant's object in rows read does not grow with the tasks that ended before it. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import { report } from "../../contracts/database/rows.ts";
import { newTenant, tenantStub } from "./client.ts";

const NOTHING = { tokens: 0, costMicros: 0 };
/** Gives the tenant's object so many tasks that completed, as its own reports would have. */
async function addEnded(tenant: string, count: number): Promise<void> {
  await runInDurableObject(tenantStub(tenant), (_, { storage }) => {
    const numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)";
    storage.sql.exec(
      `${numbers} INSERT INTO tasks SELECT 'task_' || i, 9, NULL, 'agent_default', 'completed', 0, NULL, NULL, 0, 0, NULL, 'stored' FROM n`,
      count,
    );
  });
}

/** The rows that the object reads while `work` is done. */
async function rowsReadBy(tenant: string, work: () => Promise<void>): Promise<number> {
  const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
  const sql = await runInDurableObject(tenantStub(tenant), (_, { storage }) => storage.sql);
  const prototype = Object.getPrototypeOf(sql) as SqlStorage;
  const { exec } = prototype;
  const spy = vi.spyOn(prototype, "exec").mockImplementation(function read(this: SqlStorage, query, ...values) {
    const cursor = exec.call(this, query, ...values);
    cursors.push(cursor);
    return cursor;
  });
  try {
    await work();
  } finally {
    spy.mockRestore();
  }
  return cursors.reduce((sum, { rowsRead }) => sum + rowsRead, 0);
}

/** One task: it requests admission, runs, ends, and its index row and summary are sent. */
async function runTask(tenant: string): Promise<void> {
  const rpc = tenantsFromEnv(env)(tenant);
  const { task } = report();
  const request = { task, version: 1, key: null, agent: "agent_default", used: NOTHING, need: NOTHING, want: NOTHING };
  await rpc.enter({ ...request, isPriced: true }, report({ task, version: 1, status: "running" }));
  for (const version of [2, 3, 4]) await rpc.report(report({ task, version, status: "running" }));
  await rpc.report(report({ task, version: 5, status: "completed" }));
  await rpc.flush();
  await rpc.summarise();
  await runDurableObjectAlarm(tenantStub(tenant));
}

test("a task reads as many rows of its tenant's object after 10,000 ended tasks as after none", async () => {
  const { id } = await newTenant();
  await runTask(id);
  const before = await rowsReadBy(id, () => runTask(id));
  await addEnded(id, 10_000);
  const after = await rowsReadBy(id, () => runTask(id));
  expect(before).toBeGreaterThan(0);
  expect(after).toBe(before);
});

test("arming the alarm reads no row", async () => {
  const { id } = await newTenant();
  await runTask(id);
  const rearm = async (): Promise<void> =>
    await runInDurableObject(tenantStub(id), (instance) =>
      (instance as unknown as { jobs: { alarms: { arm(): void } } }).jobs.alarms.arm(),
    );
  expect(await rowsReadBy(id, rearm)).toBe(0);
});
