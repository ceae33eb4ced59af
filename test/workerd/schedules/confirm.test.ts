/** For whom a schedule's tasks act: who created or confirmed it, who loses that by whose change, and what its apps are. */
import { env } from "cloudflare:workers";
import { beforeEach, expect, test, vi } from "vitest";
import { connectionTableFromEnv } from "../../../adapters/env/connections.ts";
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { schedulesFromEnv } from "../../../adapters/env/schedules.ts";
import { tasksFromEnv } from "../../../adapters/env/tasks.ts";
import { toolSourcesFromEnv } from "../../../adapters/env/tool-sources.ts";
import { openRowSeal } from "../../../adapters/connections/row-seal.ts";
import { resealFromEnv, sealingFromEnv } from "../../../adapters/env/secrets.ts";
import type { Scope } from "../../../core/tenant/keys.ts";
import type { OutsideTool } from "../../../core/tool/source.ts";
import { type Answer, type Caller, expectProblem, makeCaller } from "../http/entry.ts";
import { watchDatabase } from "../tenant/client.ts";
import { config, quick, schedulesOf } from "./client.ts";

type Send = Caller["send"];

interface Person {
  readonly id: string;
  readonly send: Send;
}

let admin: Caller;
let ana: Person;
let ben: Person;

const { until, wasDue } = schedulesOf(() => admin);

async function addPerson(name: string, scopes: readonly Scope[] = ["tasks:read", "tasks:write", "admin"]) {
  const { id } = (await admin.send("POST", "/v1/people", { name, time_zone: "Asia/Tokyo" })).json;
  return { id, send: await sendAs(id, scopes) };
}

async function sendAs(person: string, scopes: readonly Scope[]): Promise<Send> {
  const made = await admin.send("POST", "/v1/keys", { name: "own", scopes, person });
  expect(made.status, made.text).toBe(201);
  const authorization = `Bearer ${made.json.key}`;
  return async (method, path, body, headers = {}) =>
    await admin.send(method, path, body, { authorization, ...headers });
}

beforeEach(async () => {
  admin = await makeCaller();
  [ana, ben] = [await addPerson("Ana"), await addPerson("Ben")];
});

const makeBy = async ({ send }: { readonly send: Send }, more: object = {}): Promise<string> => {
  const made = await send("POST", "/v1/schedules", config(more));
  expect(made.status, made.text).toBe(201);
  return made.json.id;
};
const read = async (id: string) => (await admin.send("GET", `/v1/schedules/${id}`)).json;
const put = async ({ send }: { readonly send: Send }, id: string, more: object = {}): Promise<Answer> =>
  await send("PUT", `/v1/schedules/${id}`, config(more));
const confirm = async ({ send }: { readonly send: Send }, id: string, headers = {}): Promise<Answer> =>
  await send("POST", `/v1/schedules/${id}/confirm`, undefined, headers);
const actsOf = async (id: string) => {
  const { data } = (await admin.send("GET", `/v1/audit?target=${id}`)).json;
  return (data as { action: string; details: object | null }[]).map(({ action, details }) => [action, details]);
};

/** The facts and the actors of the task of the schedule's latest run. */
async function runNow(id: string, by: { readonly send: Send } = admin) {
  expect((await by.send("POST", `/v1/schedules/${id}/run`)).status).toBe(202);
  const [row] = await until(id, ([one]) => one?.["state"] === "finished");
  const task = tasksFromEnv(env)(admin.tenant, String(row?.["task_id"]));
  const [facts, actors] = [await task.facts(), await task.actors()];
  if (!facts.ok || !actors.ok) throw new Error("the task has no facts");
  return { ...facts.value, actors: actors.value };
}

test("a schedule acts for the person of the key that creates it, and its tasks do", async () => {
  const id = await makeBy(ana);
  const own = { person_id: ana.id, name: "Ana" };
  expect(await read(id)).toMatchObject({ acts_for: own, acts_for_cleared: false, apps: [] });
  expect((await admin.send("GET", "/v1/schedules")).json.data).toMatchObject([{ id, acts_for: own }]);
  const facts = await runNow(id, ben);
  expect(facts).toMatchObject({
    via: { channel: "schedule", id },
    actsFor: { person: ana.id },
    caller: { name: "Ana", timeZone: "Asia/Tokyo" },
    actors: { caller: ana.id, people: [ana.id], hasUnknown: false },
  });
  const unbound = await makeBy(admin);
  expect(await read(unbound)).toMatchObject({ acts_for: null, acts_for_cleared: false });
  const ofNobody = await runNow(unbound);
  expect(ofNobody.actsFor ?? null).toBeNull();
  expect(ofNobody.actors).toMatchObject({ caller: null, hasUnknown: true });
});

test("another person's change of its task clears that, in the reply and the audit log, until it is confirmed", async () => {
  const id = await makeBy(ana);
  const renamed = await put(ben, id, { name: "renamed" });
  expect(renamed.json).toMatchObject({ acts_for: { person_id: ana.id }, acts_for_cleared: false });
  const changed = await put(ben, id, { task: quick({ project: "sales" }) });
  expect(changed.json).toMatchObject({ version: 3, acts_for: null, acts_for_cleared: true });
  expect((await runNow(id, ana)).actsFor ?? null).toBeNull();
  const plain = { id: ana.id, send: await sendAs(ana.id, ["tasks:write"]) };
  expectProblem(await confirm(plain, id, { "if-match": '"2"' }), 409, "If-Match");
  const confirmed = await confirm(plain, id, { "if-match": '"3"' });
  expect([confirmed.status, confirmed.json]).toMatchObject([200, { acts_for: { person_id: ana.id }, version: 3 }]);
  expect((await runNow(id, ben)).actsFor).toEqual({ person: ana.id });
  expect(await actsOf(id)).toEqual([
    ["schedule.run", null],
    ["schedule.confirm", { acts_for: ana.id, acts_for_before: null }],
    ["schedule.run", null],
    ["schedule.update", { acts_for: null, acts_for_before: ana.id }],
    ["schedule.update", null],
    ["schedule.create", null],
  ]);
});

test("a change by a key without a person clears it too, and so does one that does not say who made it", async () => {
  const byKey = await makeBy(ana);
  expect((await put(admin, byKey, { task: quick({ project: "a" }) })).json.acts_for_cleared).toBe(true);
  const byEarlierWorker = await makeBy(ana);
  const act = {
    id: "aud_1",
    at: 1,
    actor: "key_1",
    action: "schedule.update",
    target: byEarlierWorker,
    requestId: "r",
  } as const;
  const stub = schedulesFromEnv(env)(admin.tenant, byEarlierWorker);
  const now = await stub.view();
  if (!now.ok) throw new Error(now.error.message);
  await stub.change({ ...now.value.config, task: { input: "x" } }, null, act);
  expect(await read(byEarlierWorker)).toMatchObject({ acts_for: null, acts_for_cleared: true });
});

test("who confirms needs to be an administrator, or to be the person for whom it acted", async () => {
  const id = await makeBy(ana);
  const plain = await addPerson("Cleo", ["tasks:read", "tasks:write"]);
  const refused = await confirm(plain, id);
  expectProblem(refused, 403);
  expect(refused.json.detail).toBe("Only an administrator, or the person for whom the schedule acted, confirms it.");
  expectProblem(await confirm({ send: await sendAs(ana.id, ["tasks:read"]) }, id), 403);
  const nobody = await confirm(admin, id);
  expectProblem(nobody, 422);
  expect(nobody.json.detail).toBe("This key belongs to no person. Bind it under Settings, Keys.");
  expect((await read(id)).acts_for.person_id).toBe(ana.id);
  expect((await confirm(ben, id)).json.acts_for).toEqual({ person_id: ben.id, name: "Ben" });
  expectProblem(await confirm(ana, "sch_01"), 404);
});

test("no request names for whom it acts", async () => {
  const task = quick({ acts_for: ana.id });
  for (const more of [{ task }, { acts_for: ana.id }, { actsFor: { person: ana.id } }]) {
    expectProblem(await ben.send("POST", "/v1/schedules", config(more)), 422);
    expectProblem(await put(ben, await makeBy(ben), more), 422);
  }
});

test("the person is notified once of the change, with the task that they would confirm", async () => {
  const address = { kind: "email", address: "ana@acme.example" };
  await admin.send("PUT", `/v1/people/${ana.id}`, { name: "Ana", addresses: [address] });
  const id = await makeBy(ana);
  await put(ben, id, { name: "renamed" });
  await put(ben, id, { task: quick({ project: "sales" }) });
  await put(ben, id, { task: quick({ project: "other" }) });
  const notified = async () => {
    const { data } = (await admin.send("GET", "/v1/deliveries")).json as { data: { id: string; to: string }[] };
    return data.filter(({ to }) => to === "ana@acme.example");
  };
  const [delivery] = await vi.waitFor(
    async () => {
      const found = await notified();
      expect(found).toHaveLength(1);
      return found;
    },
    { timeout: 20_000, interval: 50 },
  );
  const { content } = (await admin.send("GET", `/v1/deliveries/${delivery?.id}`)).json;
  expect(JSON.stringify(content)).toContain("Ben changed the task of the schedule");
});

test("a renamed person is shown by the present name, and a deleted one is nobody, also for its tasks", async () => {
  const id = await makeBy(ana);
  await admin.send("PUT", `/v1/people/${ana.id}`, { name: "Ana Alves" });
  const list = async () => (await admin.send("GET", "/v1/schedules")).json.data[0].acts_for;
  expect([(await read(id)).acts_for.name, (await list()).name]).toEqual(["Ana Alves", "Ana Alves"]);
  expect((await runNow(id)).caller?.name).toBe("Ana Alves");
  expect((await admin.send("DELETE", `/v1/people/${ana.id}`)).status).toBe(200);
  expect([(await read(id)).acts_for, await list()]).toEqual([null, null]);
  expect((await runNow(id)).actsFor ?? null).toBeNull();
  const stored = await schedulesFromEnv(env)(admin.tenant, id).view();
  expect(stored).toMatchObject({ ok: true, value: { actsFor: null } });
});

test("a run waits while the person cannot be read, and never acts for nobody instead", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const id = await makeBy(ana);
  const database = watchDatabase();
  database.isAway = true;
  expect((await admin.send("POST", `/v1/schedules/${id}/run`)).status).toBe(202);
  const [row] = await until(id, ([one]) => one?.["attempts_failed"] !== 0);
  expect(row).toMatchObject({ state: "starting", task_id: null });
  expect((await admin.send("GET", `/v1/schedules/${id}`)).json.acts_for).toEqual({ person_id: ana.id, name: "Ana" });
  database.isAway = false;
  const [done] = await until(id, ([one]) => one?.["state"] === "finished");
  const facts = await tasksFromEnv(env)(admin.tenant, String(done?.["task_id"])).facts();
  expect(facts).toMatchObject({ ok: true, value: { actsFor: { person: ana.id } } });
});

test("a run that was due before a change acts as it was confirmed then", async () => {
  const id = await makeBy(ana);
  await wasDue(id, 1_000);
  await put(ben, id, { task: quick({ project: "sales" }) });
  const rows = await until(id, (all) => all.length > 0 && all.every(({ state }) => state === "finished"));
  for (const { task_id: task } of rows) {
    const facts = await tasksFromEnv(env)(admin.tenant, String(task)).facts();
    if (!facts.ok) throw new Error(facts.error.message);
    // One that started with the changed task acts for nobody.
    expect([facts.value.project, facts.value.actsFor ?? null]).toEqual(
      facts.value.project === null ? [null, { person: ana.id }] : ["sales", null],
    );
  }
});

/** A tool of the app `crm`, published as an import does. */
const crmTool: OutsideTool = {
  name: "crm_list",
  summary: "Lists contacts.",
  toolbox: "crm",
  category: "api",
  permissions: ["network"],
  security: "safe",
  effect: "none",
  timeoutMs: 10_000,
  input: { type: "object" },
  output: null,
  origin: {
    kind: "http",
    request: {
      method: "GET",
      url: "https://crm.example/",
      headers: {},
      places: {},
      contentType: "application/json",
      resultAt: null,
    },
  },
  app: { app: "crm", provider: "oauth", owner: "either", scopes: [] },
};

async function connect(person: string | null, unattended: boolean): Promise<string> {
  const table = connectionTableFromEnv(env, admin.tenant);
  const row = await table.ensure({ app: "crm", person, alias: null }, "oauth");
  if (!row.ok) throw new Error(row.error.message);
  const { id } = row.value;
  const act = {
    id: `aud_${id.slice(4)}`,
    at: Date.now(),
    actor: "key_1",
    action: "connection.connect",
    target: id,
    requestId: "r",
  } as const;
  const tokens = { kind: "key", value: "canary" } as const;
  const by = { person, name: "" };
  const consent = { tokens, label: null, scopes: null, unattended, settingsHash: "now", by };
  const completed = await table.complete(id, consent, act);
  if (!completed.ok) throw new Error(completed.error.message);
  return id;
}

test("the apps of its agent are shown as a run would find them", async () => {
  const { tenant } = admin;
  const published = await toolSourcesFromEnv(env).publish(tenant, { name: "crm", tools: [crmTool] }, null);
  expect(published.ok).toBe(true);
  const seal = openRowSeal({ tenant, sealing: sealingFromEnv(env), reseal: resealFromEnv(env) });
  const app = { app: "crm", provider: "oauth", settings: {}, settingsHash: "now", secrets: null } as const;
  expect((await databaseFromEnv(env).appClients(tenant, seal).put(app)).ok).toBe(true);
  const id = await makeBy(ana);
  const apps = async (schedule = id) => (await read(schedule)).apps;
  const none = { app: "crm", state: "missing", connection_id: null, owner: "person", unattended: false, why: null };
  expect(await apps()).toEqual([none]);
  const own = await connect(ana.id, false);
  expect(await apps()).toEqual([{ ...none, state: "unattended", connection_id: own }]);
  await connectionTableFromEnv(env, tenant).change(
    own,
    { unattended: true },
    {
      id: "aud_unattended",
      at: Date.now(),
      actor: "key_1",
      action: "connection.update",
      target: own,
      requestId: "r",
    },
  );
  expect(await apps()).toEqual([{ ...none, state: "active", connection_id: own, unattended: true }]);
  // Of nobody's schedule, and of one whose task may not use the tool.
  const ofNobody = await makeBy(admin);
  expect(await apps(ofNobody)).toEqual([{ ...none, owner: "shared" }]);
  expect(await apps(await makeBy(ana, { task: quick({ tools: ["get_*"] }) }))).toEqual([]);
  expect(
    await apps(
      await makeBy(ana, { task: undefined, reminder: { text: "x", to: [{ channel: "email", to: "a@acme.example" }] } }),
    ),
  ).toEqual([]);
  const shared = await connect(null, false);
  expect(await apps(ofNobody)).toEqual([
    { ...none, state: "active", connection_id: shared, owner: "shared", unattended: true },
  ]);
  const database = watchDatabase();
  const before = database.queries;
  await apps();
  const atFirst = database.queries - before;
  expect(atFirst).toBeLessThanOrEqual(3);
  database.isAway = true;
  expect(await read(id)).toMatchObject({ id, acts_for: { person_id: ana.id }, apps: null });
  database.isAway = false;
});
