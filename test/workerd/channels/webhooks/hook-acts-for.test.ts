/** For whom the tasks of a hook act: a person sets it with their own key, and a change by others ends it. */
import { env } from "cloudflare:workers";
import { beforeEach, expect, test, vi } from "vitest";
import { databaseFromEnv } from "../../../../adapters/env/database.ts";
import { tasksFromEnv } from "../../../../adapters/env/tasks.ts";
import { type Answer, type Caller, expectProblem, makeCaller } from "../../http/entry.ts";
import { HOOKS, makeHook, type Made, received, SECRET, signed, worked } from "./hooks-client.ts";

let admin: Caller;
let ana: { readonly id: string; readonly caller: Caller };
let ben: typeof ana;

async function addPerson(name: string) {
  const { id } = (await admin.send("POST", "/v1/people", { name, time_zone: "Asia/Tokyo" })).json;
  const scopes = ["tasks:read", "tasks:write", "admin"];
  const made = await admin.send("POST", "/v1/keys", { name: "own", scopes, person: id });
  const authorization = `Bearer ${made.json.key}`;
  const send: Caller["send"] = async (method, path, body, headers = {}) =>
    await admin.send(method, path, body, { authorization, ...headers });
  return { id, caller: { ...admin, key: made.json.key, send } };
}

beforeEach(async () => {
  admin = await makeCaller();
  [ana, ben] = [await addPerson("Ana"), await addPerson("Ben")];
});

const RULE = { name: "a", type: "generic", prompt: JSON.stringify({ replies: [{ text: "done" }] }) };

const replace = async ({ send }: Caller, { id }: Made, more: object = {}): Promise<Answer> =>
  await send("PUT", `${HOOKS}/${id}`, { ...RULE, ...more });
const read = async ({ id }: Made) => (await admin.send("GET", `${HOOKS}/${id}`)).json.acts_for;

/** The facts and the actors of the task of the hook's latest call. */
async function callFor(hook: Made, count: number) {
  expect((await signed(hook, JSON.stringify({ acts_for: ben.id, n: count }))).status).toBe(200);
  await worked(admin, hook, count);
  const [latest] = await received(admin, hook);
  const task = tasksFromEnv(env)(admin.tenant, String(latest?.task_id));
  const [facts, actors] = [await task.facts(), await task.actors()];
  if (!facts.ok || !actors.ok) throw new Error("the task has no facts");
  return { ...facts.value, actors: actors.value };
}

test("its tasks act for the person who set it, and for nobody else and without", async () => {
  const hook = await makeHook(ana.caller, { ...RULE, acts_for: "me" });
  expect(await read(hook)).toEqual({ person_id: ana.id, name: "Ana" });
  expect(await callFor(hook, 1)).toMatchObject({
    via: { channel: "webhook", id: hook.id },
    actsFor: { person: ana.id },
    caller: { name: "Ana", timeZone: "Asia/Tokyo" },
    actors: { caller: ana.id, people: [ana.id], hasUnknown: false },
  });
  const plain = await makeHook(ana.caller, { ...RULE, name: "b" });
  expect(await read(plain)).toBeNull();
  const ofNobody = await callFor(plain, 1);
  expect(ofNobody.actsFor ?? null).toBeNull();
  expect(ofNobody.actors).toMatchObject({ caller: null, hasUnknown: true });
});

test("only the own person can be set, by a key that has one", async () => {
  const body = { ...RULE, once_per_body: false, acts_for: "me" };
  const refused = await admin.send("POST", HOOKS, body);
  expectProblem(refused, 422);
  expect(refused.json.detail).toBe("This key belongs to no person. Bind it under Settings, Keys.");
  for (const acts_for of [ana.id, "Ana", true])
    expectProblem(await ben.caller.send("POST", HOOKS, { ...body, acts_for }), 422, "acts_for");
  const hook = await makeHook(ana.caller, { ...RULE, acts_for: "me" });
  expectProblem(await replace(admin, hook, { acts_for: "me" }), 422);
  expect(await read(hook)).toMatchObject({ person_id: ana.id });
});

test.each([
  [{ prompt: "Send {{payload}} to Ben." }],
  [{ agent: "default" }],
  [{ project: "sales" }],
  [{ deliver: [{ channel: "email", to: "ben@acme.example" }] }],
  [{ secret: "whsec_canary-of-another-test" }],
])("a change of %j by others ends it, which the reply and the audit log say", async (more) => {
  const hook = await makeHook(ana.caller, { ...RULE, acts_for: "me" });
  const own = await replace(ana.caller, hook, more);
  expect(own.json).toMatchObject({ acts_for: { person_id: ana.id }, acts_for_cleared: false });
  await replace(ana.caller, hook, { secret: SECRET });
  for (const other of [ben.caller, admin]) {
    expect((await replace(ana.caller, hook, { acts_for: "me" })).json.acts_for).toMatchObject({ person_id: ana.id });
    const renamed = await replace(other, hook, { name: "renamed" });
    expect(renamed.json).toMatchObject({ acts_for: { person_id: ana.id }, acts_for_cleared: false });
    const changed = await replace(other, hook, more);
    expect([changed.status, changed.json.acts_for, changed.json.acts_for_cleared]).toEqual([200, null, true]);
    expect(await read(hook)).toBeNull();
    const { data } = (await admin.send("GET", `/v1/audit?target=${hook.id}`)).json;
    expect(data[0]).toMatchObject({
      action: "hook.update",
      details: { acts_for: null, acts_for_before: ana.id },
    });
    await replace(ana.caller, hook, { secret: SECRET });
  }
});

test("another person takes it over with their own key, and anyone ends it", async () => {
  const hook = await makeHook(ana.caller, { ...RULE, acts_for: "me" });
  const taken = await replace(ben.caller, hook, { acts_for: "me" });
  expect(taken.json).toMatchObject({ acts_for: { person_id: ben.id, name: "Ben" }, acts_for_cleared: false });
  const ended = await replace(admin, hook, { acts_for: null });
  expect(ended.json).toMatchObject({ acts_for: null, acts_for_cleared: false });
  expect((await callFor(hook, 1)).actsFor ?? null).toBeNull();
});

test("a deleted person is nobody", async () => {
  const hook = await makeHook(ana.caller, { ...RULE, acts_for: "me" });
  await admin.send("DELETE", `/v1/people/${ana.id}`);
  expect(await read(hook)).toBeNull();
  expect((await callFor(hook, 1)).actsFor ?? null).toBeNull();
});

test("a secret that others give between the reading and the writing of a change is not overlooked", async () => {
  const hook = await makeHook(ana.caller, { ...RULE, acts_for: "me" });
  const { hooks } = databaseFromEnv(env);
  const get = hooks.get.bind(hooks);
  let reads = 0;
  const spy = vi.spyOn(hooks, "get").mockImplementation(async (...asked) => {
    const found = await get(...asked);
    reads += 1;
    // The first one finds the hook for the route, the second one is what the change begins with.
    if (reads === 2) await replace(ben.caller, hook, { secret: "whsec_canary-of-another-test" });
    return found;
  });
  const renamed = await replace(ana.caller, hook, { name: "renamed" });
  spy.mockRestore();
  expect([renamed.status, renamed.json.name, renamed.json.version]).toEqual([200, "renamed", 3]);
  expect([renamed.json.acts_for, await read(hook)]).toEqual([null, null]);
});
