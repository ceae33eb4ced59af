/** For whom a task of the API acts: `acts_for`, and the person of the key. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { tasksFromEnv } from "../../../adapters/env/tasks.ts";
import type { Scope } from "../../../core/tenant/keys.ts";
import type { TaskFacts } from "../../../core/task/state.ts";
import { createTaskFromOrder } from "../../../workers/tasks/create.ts";
import { as, ask as askPage, signIn } from "../sessions/client.ts";
import { type Caller, expectProblem, makeCaller } from "../http/entry.ts";

/** A tenant with two people, and a key of the first with these scopes. */
async function makePeople(scopes: readonly Scope[]) {
  const admin = await makeCaller();
  const add = async (name: string, time_zone: string): Promise<string> =>
    (await admin.send("POST", "/v1/people", { name, time_zone })).json.id;
  const [ana, ben] = [await add("Ana", "Asia/Tokyo"), await add("Ben", "UTC")];
  const made = await admin.send("POST", "/v1/keys", { name: "Ana's", scopes, person: ana });
  expect(made.status, made.text).toBe(201);
  const authorization = `Bearer ${made.json.key}`;
  const create = async (more: object) =>
    await admin.send("POST", "/v1/tasks", { input: "x", hold: true, ...more }, { authorization });
  return { admin, ana, ben, create, key: made.json.key as string };
}

async function readFacts({ tenant }: Caller, id: string): Promise<TaskFacts> {
  const facts = await tasksFromEnv(env)(tenant, id).facts();
  if (!facts.ok) throw new Error(facts.error.message);
  return facts.value;
}

test("a task acts for the key's person, or for nobody if it says so", async () => {
  const { admin, ana, create } = await makePeople(["tasks:read", "tasks:write"]);
  const own = { person_id: ana, name: "Ana" };
  const [absent, named, nobody] = [await create({}), await create({ acts_for: ana }), await create({ acts_for: null })];
  expect([absent, named, nobody].map(({ status, json }) => [status, json.acts_for])).toEqual([
    [201, own],
    [201, own],
    [201, null],
  ]);
  expect(await readFacts(admin, absent.json.id)).toMatchObject({
    actsFor: { person: ana },
    caller: { name: "Ana", timeZone: "Asia/Tokyo" },
  });
  const facts = await readFacts(admin, nobody.json.id);
  expect([facts.actsFor, facts.caller]).toEqual([null, undefined]);
  expect((await admin.send("GET", `/v1/tasks/${absent.json.id}`)).json.acts_for).toEqual(own);
  for (const query of ["", "?view=short"]) {
    const { data } = (await admin.send("GET", `/v1/tasks${query}`)).json;
    expect(data.map(({ acts_for }: { acts_for: object | null }) => acts_for)).toEqual([null, own, own]);
  }
});

test("another person needs people:act, which tells nothing of who exists without it", async () => {
  const { ben, create } = await makePeople(["tasks:read", "tasks:write"]);
  for (const person of [ben, "per_1"]) {
    const refused = await create({ acts_for: person });
    expectProblem(refused, 403, "acts_for");
    expect(refused.json.detail).toBe("Only a key with the scope people:act may act for another person.");
  }
  const mighty = await makePeople(["tasks:write", "people:act"]);
  expect((await mighty.create({ acts_for: mighty.ben })).json.acts_for).toEqual({ person_id: mighty.ben, name: "Ben" });
  for (const person of [ben, "per_1", ""]) {
    const unknown = await mighty.create({ acts_for: person });
    expectProblem(unknown, 422, "acts_for");
    expect(unknown.json.detail).toBe("There is no person with this id.");
  }
});

test("the request of a schedule or a hook has no such field", async () => {
  const { admin, ana } = await makePeople(["tasks:write"]);
  const task = { input: "x", acts_for: ana };
  expectProblem(await admin.send("POST", "/v1/schedules", { name: "s", when: { every: "1h" }, task }), 422);
  const hook = { name: "h", type: "generic", prompt: "x", acts_for: ana };
  expectProblem(await admin.send("POST", "/v1/incoming-webhooks", hook), 422);
});

test("the order of a channel or a schedule says for whom its task acts", async () => {
  const { admin, ana } = await makePeople(["tasks:read"]);
  const via = { channel: "schedule", id: "sch_1" } as const;
  const order = { tenant: admin.tenant, request: { input: "x", hold: true }, via, at: Date.now() };
  const acting = { person: ana, name: "Ana", timeZone: "Asia/Tokyo" };
  const views = [];
  for (const [seed, actsFor] of [
    ["a", acting],
    ["b", null],
  ] as const)
    views.push(await createTaskFromOrder(env, { ...order, seed, actsFor }));
  views.push(await createTaskFromOrder(env, { ...order, seed: "c" }));
  expect(views.map((view) => (view.ok ? view.value.acts_for : view.error))).toEqual([
    { person_id: ana, name: "Ana" },
    undefined,
    undefined,
  ]);
});

test("a session acts for the person of its key, and a subtask for that of its task", async () => {
  const { admin, ana, key } = await makePeople(["tasks:read", "tasks:write"]);
  const { cookie } = await signIn({ key });
  const dispatch = {
    name: "dispatch_subagent",
    arguments: { task_description: JSON.stringify({ replies: [{ text: "Sub." }] }) },
  };
  const input = JSON.stringify({ replies: [{ calls: [dispatch] }, { text: "Done." }] });
  const made = await askPage({ method: "POST", path: "/v1/tasks", headers: as({ cookie }), body: { input } });
  expect([made.status, made.json.acts_for]).toEqual([201, { person_id: ana, name: "Ana" }]);
  await admin.until(made.json.id, ({ status }) => status === "completed");
  const { data } = (await admin.send("GET", `/v1/tasks?parent=${made.json.id}`)).json;
  expect(data).toMatchObject([{ acts_for: { person_id: ana, name: "Ana" } }]);
});
