/** What a request costs before and besides its own work: calls of its tenant's object, and requests to Postgres. */
import { expect, test, vi } from "vitest";
import { ACCESS_MS } from "../../../core/tenant/access-cache.ts";
import { TenantObject } from "../../../durable-objects/tenant/object.ts";
import { taskSchema } from "../../../workers/http/schemas.ts";
import { newTenant, watchDatabase } from "../tenant/client.ts";
import { as, ask, ours, signIn, withKey } from "../sessions/client.ts";
import { type Caller, makeCaller } from "./entry.ts";

/** Methods that a task's object, an alarm or another object calls. */
const BY_OTHERS = new Set(["constructor", "alarm", "enter", "report", "forget", "holdStorage"]);

/** Counts the Worker's calls of tenants' objects, by method, and its requests to Postgres, while `work` is done. */
async function countWhile(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const prototype = TenantObject.prototype as unknown as Record<string, (...args: unknown[]) => unknown>;
  const names = Object.getOwnPropertyNames(prototype).filter((name) => !BY_OTHERS.has(name));
  const spies = names.map((name) => vi.spyOn(prototype, name));
  const database = watchDatabase();
  await work();
  const counted = names.map((name, index): [string, number] => [name, spies[index]?.mock.calls.length ?? 0]);
  counted.push(["postgres", database.queries]);
  vi.restoreAllMocks();
  return Object.fromEntries(counted.filter(([, count]) => count > 0));
}

/** A caller whose key its tenant's object has seen, and whom this isolate has not. */
async function makeKnownCaller(): Promise<Caller> {
  const caller = await makeCaller();
  await caller.send("GET", "/v1/tasks/x");
  letAccessExpire();
  return caller;
}

function letAccessExpire(): void {
  vi.setSystemTime(Date.now() + ACCESS_MS);
}

const held = { input: "x", hold: true };
const question = [{ calls: [{ name: "ask_human", arguments: { query: "Which city?" } }] }, { text: "Thanks." }];

test("a read of a task asks the tenant's object once in three seconds, and Postgres never", async () => {
  const caller = await makeKnownCaller();
  const { id } = await caller.makeTask([], { hold: true });
  letAccessExpire();
  const read = async () => expect((await caller.send("GET", `/v1/tasks/${id}`)).status).toBe(200);
  expect(await countWhile(read)).toEqual({ admit: 1 });
  expect(await countWhile(async () => await Promise.all(Array.from({ length: 20 }, read)))).toEqual({});
  for (const path of ["", "/events?limit=5", "/ledger", "/tree", "/files"])
    expect((await countWhile(() => caller.send("GET", `/v1/tasks/${id}${path}`)))["admit"], path).toBeUndefined();
  letAccessExpire();
  expect(await countWhile(read)).toEqual({ admit: 1 });
});

test("a read by a session asks the tenant's object once in three seconds", async () => {
  const browser = await signIn({ key: (await newTenant()).key });
  const read = async () => expect((await ask({ headers: as(browser) })).status).toBe(200);
  expect(await countWhile(read)).toEqual({ admitSession: 1 });
  expect(await countWhile(read)).toEqual({});
});

test("a new task asks the tenant's object once, whether or not its caller is cached, and Postgres never", async () => {
  const caller = await makeKnownCaller();
  const create = async () => expect((await caller.send("POST", "/v1/tasks", held)).status).toBe(201);
  expect(await countWhile(create)).toEqual({ admit: 1 });
  expect(await countWhile(create)).toEqual({ admit: 1 });
});

test("a new task under an Idempotency-Key asks once and stores its reply; a caller that is not cached asks before its body", async () => {
  const caller = await makeKnownCaller();
  let sent = 0;
  const create = async () => {
    const headers = { "idempotency-key": `${(sent += 1)}` };
    expect((await caller.send("POST", "/v1/tasks", held, headers)).status).toBe(201);
  };
  expect(await countWhile(create)).toEqual({ admit: 2, settle: 1 });
  expect(await countWhile(create)).toEqual({ admit: 1, settle: 1 });
});

test("an answer asks the tenant's object once", async () => {
  const caller = await makeKnownCaller();
  const { id } = await caller.makeTask(question);
  const { pending } = await caller.until(id, ({ status }) => status === "waiting_input");
  const path = `/v1/tasks/${id}/questions/${(pending[0] as { id: string }).id}/answer`;
  const counts = await countWhile(async () => {
    expect((await caller.send("POST", path, { text: "Oslo" })).status).toBe(200);
  });
  // The task continues meanwhile, and Postgres gets its row.
  expect(counts["admit"]).toBe(1);
  expect(Object.keys(counts).filter((name) => name !== "admit" && name !== "postgres")).toEqual([]);
  await caller.until(id, ({ status }) => status === "completed");
});

test("a read that needs what its tenant has asks for it, so that a caller finds what was just changed", async () => {
  const caller = await makeKnownCaller();
  await caller.send("GET", "/v1/tasks/x");
  expect((await countWhile(() => caller.send("GET", "/v1/tools")))["standing"]).toBe(1);
});

test("every reply says what is left of the limit, whether or not the object was asked", async () => {
  const tenant = await newTenant();
  const left = ({ headers }: { headers: Headers }) => Number(/r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]);
  const browser = await signIn({ key: tenant.key });
  const seen = [];
  for (const headers of [withKey(tenant.key), withKey(tenant.key), as(browser), withKey(tenant.key), as(browser)])
    seen.push(left(await ask({ path: "/v1/tasks/x", headers })));
  const post = { method: "POST", path: "/v1/tasks", body: held };
  seen.push(left(await ask({ ...post, headers: withKey(tenant.key) })));
  seen.push(left(await ask({ ...post, headers: as(browser, { ...ours, "idempotency-key": "1" }) })));
  seen.push(left(await ask({ path: "/v1/tasks/x", headers: withKey(tenant.key) })));
  letAccessExpire();
  seen.push(left(await ask({ path: "/v1/tasks/x", headers: withKey(tenant.key) })));
  const [first = 0] = seen;
  expect(seen).toEqual(seen.map((_, index) => first - index));
});

test("no reply is checked against its schema: types hold it, and these tests", async () => {
  const caller = await makeCaller();
  const { id } = await caller.makeTask([], { hold: true });
  const walk = vi.spyOn(taskSchema._zod, "run");
  expect((await caller.send("GET", `/v1/tasks/${id}`)).status).toBe(200);
  expect((await caller.send("GET", "/v1/tasks")).json.data).toHaveLength(1);
  expect(walk).not.toHaveBeenCalled();
  taskSchema.safeParse({});
  expect(walk).toHaveBeenCalledTimes(1);
});
