/** Many tasks that wait for one account: their owner gets one message, and reconnecting lets each call act once. */
import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import type { TaskFacts } from "../../../core/task/state.ts";
import type { TaskView } from "../../../core/task/view.ts";
import { TaskObject } from "../../../workers/index.ts";
import { newCaller, person } from "../channels/inbox/ask-people.ts";
import { sendingsOf } from "../channels/outbox/test-sender.ts";
import { addApp, connect } from "../connections/app-of-tests.ts";
import { usesOf } from "../task/account-uses.ts";
import { factsOf, ledgerOf, start, taskOf, until } from "../tasks/client.ts";
import { tenantStub } from "../tenant/client.ts";

const COUNT = 100;
/** Tasks that begin at the same time. */
const TOGETHER = 10;
const KILLED_AFTER = 37;
const SOON = { timeout: 30_000, interval: 50 };
const isParked = ({ pending }: TaskView) => pending.some(({ kind }) => kind === "connection");
const completed = ({ status }: TaskView) => status === "completed";

const countWaits = async (tenant: string) =>
  await runInDurableObject(
    tenantStub(tenant),
    (_, { storage }) => storage.sql.exec("SELECT wait FROM connection_waits").toArray().length,
  );

/** Tasks for a person that wait for an account: each notes a text of its own. */
async function parkTasks(tenant: string, owner: string, texts: readonly string[]): Promise<readonly TaskFacts[]> {
  const parked: TaskFacts[] = [];
  for (let at = 0; at < texts.length; at += TOGETHER) {
    const begun = texts.slice(at, at + TOGETHER).map(async (text) => {
      const calls = [{ name: "test_crm", arguments: { text } }];
      const facts = factsOf([{ calls }, { text: "Done." }], { tenant, actsFor: { person: owner } });
      await start(facts);
      await until(facts, isParked);
      return facts;
    });
    parked.push(...(await Promise.all(begun)));
  }
  return parked;
}

async function countCompleted(tasks: readonly TaskFacts[]): Promise<number> {
  const views = await Promise.all(tasks.map((facts) => taskOf(facts).view()));
  return views.filter((view) => view.ok && completed(view.value)).length;
}

/** Lets this many tasks of a tenant be woken, and no more until `resume`. */
function stopWakings(tenant: string, after: number) {
  const { connected } = TaskObject.prototype;
  let count = 0;
  const spy = vi.spyOn(TaskObject.prototype, "connected").mockImplementation(async function (this: TaskObject, wait) {
    const { ctx } = this as unknown as { readonly ctx: DurableObjectState };
    if (ctx.id.name?.startsWith(`${tenant}/`) !== true || ++count <= after) return await connected.call(this, wait);
    return await new Promise<never>(() => undefined);
  });
  return { isStopped: () => count > after, resume: () => spy.mockRestore() };
}

test.each([
  ["", false],
  [", killed midway", true],
])(
  "a connection wakes a hundred parked tasks once each, after one message to its owner%s",
  async (_how, isKilled) => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const caller = await newCaller();
    const { tenant } = caller;
    await addApp(tenant);
    const ana = await person(caller, "Ana");
    const texts = Array.from({ length: COUNT }, (_, index) => `note ${index}`);
    const tasks = await parkTasks(tenant, ana.id, texts);
    await vi.waitFor(async () => expect(await countWaits(tenant)).toBe(COUNT), SOON);
    await vi.waitFor(() => expect(sendingsOf(tenant)).toHaveLength(1), SOON);
    const { id } = await connect(tenant, ana.id);
    const wakes = isKilled ? stopWakings(tenant, KILLED_AFTER) : null;
    await tenantsFromEnv(env)(tenant).connectionReady("crm", ana.id);
    if (wakes !== null) {
      await vi.waitFor(() => expect(wakes.isStopped()).toBe(true), SOON);
      // Of a call that was under way at the crash, nobody would know whether it acted.
      await vi.waitFor(async () => expect(await countCompleted(tasks)).toBe(KILLED_AFTER), SOON);
      await abortAllDurableObjects();
      wakes.resume();
    }
    await Promise.all(tasks.map((facts) => until(facts, completed, 60_000)));
    const ledgers = await Promise.all(tasks.map(ledgerOf));
    expect(ledgers.flat().map(({ account }) => account?.connection)).toEqual(texts.map(() => id));
    const uses = usesOf(tenant);
    expect(new Set(uses.map(({ account }) => account))).toEqual(new Set([id]));
    expect(uses.map(({ text }) => text).toSorted()).toEqual(texts.toSorted());
    await vi.waitFor(async () => expect(await countWaits(tenant)).toBe(0), SOON);
    expect(sendingsOf(tenant)).toHaveLength(1);
  },
  180_000,
);

test("tasks that are killed while they use an account finish, and none acts twice", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const caller = await newCaller();
  const { tenant } = caller;
  await addApp(tenant);
  const ana = await person(caller, "Ana");
  const texts = Array.from({ length: 2 * TOGETHER }, (_, index) => `note ${index}`);
  const tasks = await parkTasks(tenant, ana.id, texts);
  await connect(tenant, ana.id);
  const wakes = stopWakings(tenant, TOGETHER);
  await tenantsFromEnv(env)(tenant).connectionReady("crm", ana.id);
  await vi.waitFor(() => expect(wakes.isStopped()).toBe(true), SOON);
  // Other requests of the isolate wait for reads of those that this cuts off.
  await abortAllDurableObjects();
  wakes.resume();
  await Promise.all(tasks.map((facts) => until(facts, completed, 60_000)));
  const uses = usesOf(tenant).map(({ text }) => text);
  expect(new Set(uses).size).toBe(uses.length);
  const rows = (await Promise.all(tasks.map(ledgerOf))).flat();
  const done = rows.filter(({ state }) => state === "confirmed");
  for (const { state } of rows) expect(["confirmed", "unknown"]).toContain(state);
  expect(uses.length).toBeGreaterThanOrEqual(done.length);
  expect(done.length).toBeGreaterThanOrEqual(TOGETHER);
}, 120_000);
