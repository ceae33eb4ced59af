/** Tasks whose object holds nothing while the index lists them. */
import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import { STATE_LOST } from "../../../core/task/lost.ts";
import type { TaskView } from "../../../core/task/view.ts";
import { sweep } from "../../../workers/sweep.ts";
import { report } from "../../contracts/database/rows.ts";
import { newTenant, type Page, sendJson, type TestTenant } from "../tenant/client.ts";

const DAY_MS = 24 * 3_600_000;
const WAIT = { timeout: 20_000, interval: 50 };
const GONE = { status: 410, body: { code: "gone", detail: STATE_LOST } };

const read = async ({ key }: TestTenant, id: string, path = "") =>
  await sendJson<TaskView>({ path: `/v1/tasks/${id}${path}`, key });

const erase = async ({ key }: TestTenant, id: string) =>
  await sendJson<TaskView>({ method: "DELETE", path: `/v1/tasks/${id}`, key });

async function listed({ key }: TestTenant): Promise<readonly TaskView[]> {
  return (await sendJson<Page<TaskView>>({ path: "/v1/tasks", key })).body.data;
}

async function makeTask({ key }: TestTenant, ...replies: readonly object[]): Promise<string> {
  const body = { input: JSON.stringify({ replies }) };
  return (await sendJson<TaskView>({ method: "POST", path: "/v1/tasks", key, body })).body.id;
}

const until = async (tenant: TestTenant, id: string, status: string) =>
  await vi.waitFor(async () => expect((await read(tenant, id)).body.status).toBe(status), WAIT);

const untilListed = async (tenant: TestTenant, id: string, status: string) =>
  await vi.waitFor(
    async () => expect(await listed(tenant)).toContainEqual(expect.objectContaining({ id, status })),
    WAIT,
  );

/** The object's file is lost. */
async function lose(tenant: TestTenant, id: string): Promise<void> {
  const stub = env.TASKS.get(env.TASKS.idFromName(`${tenant.id}/${id}`));
  await runInDurableObject(stub, async (_, { storage }) => {
    await storage.deleteAlarm();
    await storage.deleteAll();
  });
  await abortAllDurableObjects();
}

const ask = { calls: [{ name: "ask_human", arguments: { query: "Which city?" } }] };
const dispatch = (...replies: readonly object[]) => ({
  calls: [{ name: "dispatch_subagent", arguments: { task_description: JSON.stringify({ replies }) } }],
});

/** What the log says of the lost state of this task. */
function countLogged(log: { readonly mock: { readonly calls: readonly unknown[][] } }, id: string): number {
  return log.mock.calls.filter(([line]) => String(line).includes(STATE_LOST) && String(line).includes(id)).length;
}

test("a task without its state is 410 on its routes, has failed in the list, and is erased by DELETE", async () => {
  const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const [tenant, other] = [await newTenant(), await newTenant()];
  const id = await makeTask(tenant, ask);
  await until(tenant, id, "waiting_input");
  await untilListed(tenant, id, "waiting_input");
  await lose(tenant, id);
  for (const path of ["", "/ledger", "/events", "/files"]) expect(await read(tenant, id, path)).toMatchObject(GONE);
  const cancel = { method: "POST", path: `/v1/tasks/${id}/cancel`, key: tenant.key, body: {} };
  expect(await sendJson(cancel)).toMatchObject(GONE);
  expect(await read(other, id)).toMatchObject({ status: 404 });
  await untilListed(tenant, id, "failed");
  expect(await listed(tenant)).toMatchObject([{ error: { code: "internal", message: STATE_LOST }, pending: [] }]);
  expect((await sendJson<Page<object>>({ path: "/v1/inbox", key: tenant.key })).body.data).toEqual([]);
  expect(countLogged(log, id)).toBeGreaterThan(0);

  expect(await erase(tenant, id)).toMatchObject({ status: 200, body: { id } });
  expect(await read(tenant, id)).toMatchObject({ status: 404 });
  expect(await erase(tenant, id)).toMatchObject({ status: 404 });
  expect(await listed(tenant)).toEqual([]);
});

test("an ended task retains its outcome", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const tenant = await newTenant();
  const id = await makeTask(tenant, { text: "Hello." });
  await until(tenant, id, "completed");
  await untilListed(tenant, id, "completed");
  await lose(tenant, id);
  expect(await read(tenant, id)).toMatchObject(GONE);
  expect(await listed(tenant)).toMatchObject([{ id, status: "completed", output: { text: "Hello." }, error: null }]);
});

test("an erased task is 404, also while the index still lists it", async () => {
  const tenant = await newTenant();
  const id = await makeTask(tenant, { text: "Hello." });
  await until(tenant, id, "completed");
  await untilListed(tenant, id, "completed");
  const before = (await listed(tenant))[0];
  expect(await erase(tenant, id)).toMatchObject({ status: 200 });
  expect(await read(tenant, id)).toMatchObject({ status: 404 });
  // A report that comes late brings no line back.
  const late = { ...report({ task: id }), version: 1_000, view: { ...before, status: "running" } as TaskView };
  await tenantsFromEnv(env)(tenant.id).report(late);
  await tenantsFromEnv(env)(tenant.id).flush();
  expect(await read(tenant, id)).toMatchObject({ status: 404 });
});

test("the sweep reports it once a day, and notifies the waiting parent", { timeout: 90_000 }, async () => {
  const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const tenant = await newTenant();
  const parent = await makeTask(tenant, dispatch({ calls: [{ name: "wait", arguments: { seconds: 300 } }] }), {
    text: "Done.",
  });
  await until(tenant, parent, "waiting_subagents");
  const below = async () =>
    (await sendJson<Page<TaskView>>({ path: `/v1/tasks/${parent}/subtasks`, key: tenant.key })).body.data[0]?.id ?? "";
  await vi.waitFor(async () => expect(await below()).not.toBe(""), WAIT);
  const id = await below();
  await until(tenant, id, "sleeping");
  await untilListed(tenant, id, "sleeping");
  await lose(tenant, id);
  const later = Date.now() + 400_000;
  for (let runs = 0; runs < 3; runs += 1) await sweep(env, later);
  expect(countLogged(log, id)).toBe(1);
  await untilListed(tenant, id, "failed");
  await until(tenant, parent, "completed");
  await sweep(env, later + DAY_MS);
  expect(countLogged(log, id)).toBe(2);
  await vi.waitFor(async () => expect(await listed(tenant)).toHaveLength(2), WAIT);
});

test("one whose state was restored is listed as it is again", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const tenant = await newTenant();
  const id = await makeTask(tenant, ask);
  await until(tenant, id, "waiting_input");
  await untilListed(tenant, id, "waiting_input");
  const { tasks } = databaseFromEnv(env);
  const row = await tasks.find(tenant.id, id);
  if (!row.ok || row.value === null) throw new Error("it is not listed");
  // As it was reported while the state was away.
  const away = { ...row.value, version: row.value.version + 1, wakeAt: Date.now() };
  await tenantsFromEnv(env)(tenant.id).report({ ...away, view: { ...away.view, status: "failed" } });
  await untilListed(tenant, id, "failed");
  for (let runs = 0; runs < 2; runs += 1) await sweep(env, Date.now() + DAY_MS);
  await untilListed(tenant, id, "waiting_input");
  expect(await listed(tenant)).toMatchObject([{ id, pending: [{ kind: "question" }] }]);
});
