/** Notes of summaries in the rows of tasks, and those of an earlier release in a table of their own. */
import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import { report } from "../../contracts/database/rows.ts";
import { type Caller, makeCaller } from "../http/entry.ts";
import { TABLES_BEFORE_0120 } from "./__fixtures__/tables-before-0120.ts";
import { tenantStub } from "./client.ts";

const object = (tenant: string) => tenantsFromEnv(env)(tenant);

async function runSql(tenant: string, ...statements: readonly [string, ...SqlStorageValue[]][]): Promise<unknown[]> {
  return await runInDurableObject(tenantStub(tenant), (_, { storage }) =>
    statements.flatMap(([query, ...values]) => storage.sql.exec(query, ...values).toArray()),
  );
}

/** Gives the tenant's object the tables and notes of an earlier release: `due` has no summary yet, `stored` has one. */
async function makeOlder(tenant: string, tasks: { readonly due: string; readonly stored: string }): Promise<void> {
  const rows = await runSql(tenant, ["SELECT * FROM tasks"]);
  const keys = await runSql(tenant, ["SELECT * FROM keys"]);
  const counters = await runSql(tenant, ["SELECT * FROM counter"]);
  const drop = await runSql(tenant, [
    "SELECT type, name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*' AND name NOT GLOB 'sqlite_*'",
  ]);
  for (const { name } of drop as { name: string }[]) await runSql(tenant, [`DROP TABLE "${name}"`]);
  await runSql(tenant, [TABLES_BEFORE_0120], ["INSERT INTO tenant VALUES (1, ?, NULL)", tenant]);
  for (const row of keys as { hash: string; record: string }[])
    await runSql(tenant, ["INSERT INTO keys VALUES (?, ?)", row.hash, row.record]);
  for (const { counter } of counters as { counter: number }[])
    await runSql(tenant, ["INSERT INTO counter VALUES (1, ?, 0, NULL, NULL)", counter]);
  for (const all of rows as Record<string, SqlStorageValue>[]) {
    const added = ["summary", "unsettled_day", "unsettled_tokens", "unsettled_micros"];
    const row = Object.fromEntries(Object.entries(all).filter(([name]) => !added.includes(name)));
    await runSql(tenant, [
      `INSERT INTO tasks VALUES (${Object.keys(row)
        .map(() => "?")
        .join()})`,
      ...Object.values(row),
    ]);
  }
  await runSql(
    tenant,
    ["INSERT INTO summaries VALUES (?, ?)", tasks.due, Date.now()],
    ["INSERT INTO summaries VALUES (?, NULL)", tasks.stored],
  );
  await abortAllDurableObjects();
}

async function completeTask(caller: Caller): Promise<string> {
  const { id } = await caller.makeTask([{ text: "Done." }]);
  await caller.until(id, ({ status }) => status === "completed");
  await vi.waitFor(async () =>
    expect(await runSql(caller.tenant, ["SELECT status FROM tasks WHERE task = ?", id])).toEqual([
      { status: "completed" },
    ]),
  );
  return id;
}

async function listSummaries(caller: Caller): Promise<string[]> {
  const { json } = await caller.send("GET", "/v1/memory?kind=summary&limit=100");
  return (json["data"] as { source_task: string }[]).map((one) => one.source_task).toSorted();
}

async function deleteMemories(caller: Caller): Promise<void> {
  const { json } = await caller.send("GET", "/v1/memory?limit=100");
  for (const { id } of json["data"] as { id: string }[]) await caller.send("DELETE", `/v1/memory/${id}`);
}

async function repeatReport(caller: Caller, task: string): Promise<void> {
  const view = (await caller.send("GET", `/v1/tasks/${task}`)).json;
  const used = { tokens: 0, costMicros: 0 };
  await object(caller.tenant).report({ ...report({ task }), view: view as never, version: 99, used });
}

test("an object of an earlier release writes the summary that is due, and none a second time", async () => {
  const caller = await makeCaller();
  const [due, stored] = [await completeTask(caller), await completeTask(caller)];
  expect(await object(caller.tenant).summarise()).toBe(true);
  await deleteMemories(caller);
  await makeOlder(caller.tenant, { due, stored });
  expect(await object(caller.tenant).summarise()).toBe(true);
  expect(await listSummaries(caller)).toEqual([due]);
  await deleteMemories(caller);
  for (const task of [due, stored]) await repeatReport(caller, task);
  expect(await object(caller.tenant).summarise()).toBe(true);
  expect(await listSummaries(caller)).toEqual([]);
  const notes = ["SELECT task FROM tasks WHERE summary = 'stored' ORDER BY task"] as const;
  expect(await runSql(caller.tenant, notes as never)).toEqual([due, stored].toSorted().map((task) => ({ task })));
});

test("a due summary survives a crash of the object, and its note goes with the task", async () => {
  const caller = await makeCaller();
  const id = await completeTask(caller);
  await runSql(caller.tenant, ["UPDATE tasks SET summary = 'due' WHERE task = ?", id]);
  await abortAllDurableObjects();
  expect(await object(caller.tenant).summarise()).toBe(true);
  expect(await listSummaries(caller)).toEqual([id]);
  expect(await runSql(caller.tenant, ["SELECT summary FROM tasks WHERE task = ?", id])).toEqual([
    { summary: "stored" },
  ]);
  expect((await caller.send("DELETE", `/v1/tasks/${id}`)).status).toBe(200);
  expect(await runSql(caller.tenant, ["SELECT 1 FROM tasks WHERE task = ?", id])).toEqual([]);
});
