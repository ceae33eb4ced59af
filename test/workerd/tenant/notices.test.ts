/** The notices of a tenant's object: stored until they are in the outboxes, through every failure. */
import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { tenantsFromEnv } from "../../../adapters/env/tenants.ts";
import type { Notice, NoticeFacts, ReportedNotice } from "../../../core/task/notice.ts";
import type { EventType } from "../../../core/task/events.ts";
import { makeId } from "../../../core/base/ids.ts";
import { computeSendDelayMs } from "../../../core/tenant/index-outbox.ts";
import type { Decision } from "../../../core/task/decision.ts";
import { changesIndex, type TaskStore } from "../../../durable-objects/task/store.ts";
import { TenantTables } from "../../../durable-objects/tenant/tables.ts";
import { ChannelRunner } from "../../../workers/channels/runner.ts";
import { report } from "../../contracts/database/rows.ts";
import { makeCaller } from "../http/entry.ts";
import { storeAsEarlierRelease, storeEvents } from "../task/stored-rows.ts";
import { stubOf, taskOf } from "../tasks/client.ts";
import { tenantStub, watchDatabase } from "./client.ts";
import { answerSendings, sendingsOf, sent, takeSendingsOf } from "../channels/outbox/test-sender.ts";

const SOON = { timeout: 20_000, interval: 20 };
const DAY_MS = 86_400_000;
/** As long as the tenant's object waits for its runner. */
const HANGS_AFTER_MS = 60_000;

/** A conversation: to say something there needs no database. */
const CONVERSATION = { channel: "slack", to: "T1/C1" } as const;
/** A destination that is no text, so its notices can never be fanned out. */
const NOWHERE = { deliver: [{ channel: "slack", to: 7 as unknown as string }] } as const;
const AT = new Date().toISOString();

const newTask = () => makeId("task", Date.now(), crypto.getRandomValues(new Uint8Array(10)));

/** Something that a task says on the way. */
function remark(seq: number, change: Partial<ReportedNotice> = {}): ReportedNotice {
  const data = { question_id: `qst_${seq}`, query: `${seq}`, wait: false, person: null };
  return { seq, type: "question.asked", at: AT, data, ...change };
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

async function newTenant() {
  const caller = await makeCaller();
  const { tenant } = caller;
  takeSendingsOf(tenant);
  const factsOf = (task: string): NoticeFacts => ({
    task,
    rootId: task,
    parentId: null,
    isHidden: false,
    project: null,
    agent: { id: "agent_default", version: 1 },
    via: { channel: "api", id: null },
    deliver: [CONVERSATION],
  });
  const sql = async (query: string) =>
    await runInDurableObject(tenantStub(tenant), (_, { storage }) => storage.sql.exec(query).toArray());
  return {
    caller,
    tenant,
    sql,
    /** A new stub for every call: one from before a crash is broken. */
    object: () => tenantsFromEnv(env)(tenant),
    reportNotices: async (task: string, notices: readonly ReportedNotice[], facts: Partial<NoticeFacts> = {}) =>
      await tenantsFromEnv(env)(tenant).report({
        ...report({ task }),
        news: { facts: { ...factsOf(task), ...facts }, notices },
      }),
    sentTexts: () => sendingsOf(tenant).map(({ delivery }) => delivery.content["text"]),
    unsent: async () => (await sql("SELECT seq FROM notices ORDER BY rowid")).map(({ seq }) => Number(seq)),
  };
}

/** Stands between the tenant's object and the runner of channels: which notices it was given, and what it does first. */
function watchRunner(first: (notices: readonly Notice[]) => Promise<void> = () => Promise.resolve()) {
  const received: number[][] = [];
  const real = ChannelRunner.prototype.spread;
  const spy = vi.spyOn(ChannelRunner.prototype, "spread").mockImplementation(async function (
    this: ChannelRunner,
    tenant,
    notices,
  ) {
    received.push(notices.map(({ seq }) => seq));
    await first(notices);
    return await real.call(this, tenant, notices);
  });
  return { given: received, goOn: () => spy.mockRestore() };
}

/** Whose tables they are; the alarms of other tests' tenants go off at any time. */
const nameOf = (tables: unknown) => (tables as { readonly objectName: string | undefined }).objectName;

const hang = async () => await scheduler.wait(600_000);

beforeEach(() => {
  answerSendings(sent);
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});

describe("the notices of tasks", () => {
  test("are fanned out once and in order, although a report repeats", async () => {
    const { reportNotices, sentTexts, unsent } = await newTenant();
    const task = newTask();
    await reportNotices(
      task,
      upTo(30).map((seq) => remark(seq)),
    );
    await reportNotices(
      task,
      upTo(60).map((seq) => remark(seq)),
    );
    await vi.waitFor(async () => expect(await unsent()).toEqual([]), SOON);
    await vi.waitFor(() => expect(sentTexts()).toHaveLength(60), SOON);
    expect(sentTexts()).toEqual(upTo(60).map(String));
    await reportNotices(
      task,
      upTo(60).map((seq) => remark(seq)),
    );
    await vi.waitFor(async () => expect(await unsent()).toEqual([]), SOON);
    expect(sentTexts()).toHaveLength(60);
  });

  test("are stored across a crash, and sent by the alarm", async () => {
    const { reportNotices, sentTexts, unsent } = await newTenant();
    const { given: received, goOn: restore } = watchRunner(hang);
    await reportNotices(newTask(), [remark(1), remark(2)]);
    await vi.waitFor(() => expect(received).toEqual([[1, 2]]), SOON);
    restore();
    await abortAllDurableObjects();
    // Nobody calls it: its alarm finds what was cut off.
    await vi.waitFor(() => expect(sentTexts()).toEqual(["1", "2"]), SOON);
    await vi.waitFor(async () => expect(await unsent()).toEqual([]), SOON);
  });

  test("waits a minute for a runner that hangs and no longer", async () => {
    const wait = globalThis.setTimeout;
    const shorter = (work: () => void, ms?: number) => wait(work, ms === HANGS_AFTER_MS ? 300 : ms);
    vi.spyOn(globalThis, "setTimeout").mockImplementation(shorter as typeof setTimeout);
    const { reportNotices, sentTexts } = await newTenant();
    const { given: received, goOn: restore } = watchRunner(hang);
    await reportNotices(newTask(), [remark(1)]);
    await vi.waitFor(() => expect(received).toHaveLength(1), SOON);
    restore();
    await vi.waitFor(() => expect(sentTexts()).toEqual(["1"]), SOON);
  });

  test("is tried again after a runner that fails, with a pause that other reports do not shorten", async () => {
    const { reportNotices, sentTexts } = await newTenant();
    const { given: received, goOn: restore } = watchRunner(() => Promise.reject(new Error("no")));
    const task = newTask();
    const startedAt = Date.now();
    await reportNotices(task, [remark(1)]);
    await vi.waitFor(() => expect(received).toHaveLength(1), SOON);
    for (const seq of upTo(20)) await reportNotices(task, [remark(seq + 1)]);
    const pauses = Math.floor((Date.now() - startedAt) / computeSendDelayMs(1));
    expect(received.filter((seqs) => seqs.includes(1)).length).toBeLessThanOrEqual(1 + pauses);
    restore();
    await vi.waitFor(() => expect(sentTexts()).toHaveLength(21), SOON);
  });

  test("reaches a conversation while the database is away, and the rest when it is back", async () => {
    const { reportNotices, sentTexts, unsent, object, tenant } = await newTenant();
    await object().addInterests(["question.asked"]);
    const watch = watchDatabase();
    watch.isAway = true;
    for (const _ of upTo(3))
      await reportNotices(
        newTask(),
        upTo(40).map((seq) => remark(seq)),
      );
    await vi.waitFor(() => expect(sentTexts()).toHaveLength(120), SOON);
    expect(await unsent()).toHaveLength(120);
    watch.isAway = false;
    await vi.waitFor(async () => expect(await unsent()).toEqual([]), { ...SOON, timeout: 20_000 });
    expect(sendingsOf(tenant)).toHaveLength(120);
  });

  test("delay nothing when they can never be fanned out, and are dropped after three days", async () => {
    const { reportNotices, sentTexts, unsent, sql } = await newTenant();
    await reportNotices(
      newTask(),
      upTo(60).map((seq) => remark(seq)),
      NOWHERE,
    );
    await reportNotices(newTask(), [remark(61)]);
    await reportNotices(newTask(), [remark(62)], NOWHERE);
    await reportNotices(newTask(), [remark(63)]);
    await vi.waitFor(() => expect(sentTexts()).toEqual(["61", "63"]), SOON);
    await vi.waitFor(async () => expect(await unsent()).toHaveLength(61), SOON);
    await sql(`UPDATE notices SET kept_at = kept_at - ${3 * DAY_MS} WHERE seq <> 62`);
    await vi.waitFor(async () => expect(await unsent()).toEqual([62]), { ...SOON, timeout: 20_000 });
  });

  test("of a task that is erased meanwhile goes nowhere, and takes nothing of another along", async () => {
    const { reportNotices, sentTexts, unsent, object } = await newTenant();
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const { given: received, goOn: restore } = watchRunner(async () => await gate);
    const [erased, other] = [newTask(), newTask()];
    await reportNotices(other, [remark(1)]);
    await vi.waitFor(() => expect(received).toEqual([[1]]), SOON);
    await reportNotices(erased, [remark(2)]);
    await object().forget(erased);
    expect(await unsent()).toEqual([1]);
    expect(await reportNotices(erased, [remark(3)])).toEqual({ erased: false });
    restore();
    open();
    await vi.waitFor(async () => expect(await unsent()).toEqual([]), SOON);
    await vi.waitFor(() => expect(sentTexts()).toEqual(["1"]), SOON);
  });

  test("are not lost when stored while the last stored ones are fanned out and erased", async () => {
    const { reportNotices, sentTexts, unsent, object } = await newTenant();
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const { given: received, goOn: restore } = watchRunner(async () => await gate);
    const [erased, other] = [newTask(), newTask()];
    await reportNotices(erased, [remark(1)]);
    await vi.waitFor(() => expect(received).toEqual([[1]]), SOON);
    await object().forget(erased);
    await reportNotices(other, [remark(2)]);
    restore();
    open();
    await vi.waitFor(() => expect(sentTexts()).toContain("2"), SOON);
    await vi.waitFor(async () => expect(await unsent()).toEqual([]), SOON);
  });

  test("is forgotten with the tenant", async () => {
    const { reportNotices, object, sql } = await newTenant();
    const { given: received } = watchRunner(hang);
    await reportNotices(newTask(), [remark(1)]);
    await vi.waitFor(() => expect(received).toHaveLength(1), SOON);
    await object().erase();
    expect(await reportNotices(newTask(), [remark(2)])).toEqual({ erased: true });
    expect(await sql("SELECT * FROM notices")).toEqual([]);
    expect(await sql("SELECT * FROM interests")).toEqual([]);
  });

  test("are not stored without a subscriber", async () => {
    const { reportNotices, unsent } = await newTenant();
    const { given: received } = watchRunner();
    await reportNotices(newTask(), [remark(1), remark(2, { type: "task.completed" })], { deliver: [] });
    expect(await unsent()).toEqual([]);
    expect(received).toEqual([]);
  });

  test("costs no query without a recipient", async () => {
    const { reportNotices, tenant } = await newTenant();
    await reportNotices(newTask(), [remark(1)], { deliver: [] });
    const queries = [vi.spyOn(TenantTables.prototype, "read"), vi.spyOn(TenantTables.prototype, "write")];
    for (const seq of upTo(20)) await reportNotices(newTask(), [remark(seq)], { deliver: [] });
    const statements = queries.flatMap(({ mock }) =>
      mock.calls.flatMap(([query], index) => (nameOf(mock.contexts[index]) === tenant ? [query] : [])),
    );
    expect(statements.length).toBeGreaterThan(20);
    expect(statements.filter((query) => /notices|interests/.test(query))).toEqual([]);
  });
});

describe("a task", () => {
  /** A task that is held, so that nothing of it changes, and its stored row. */
  async function heldTask() {
    const { caller, tenant } = await newTenant();
    const { id } = await caller.makeTask([{ text: "Done." }], {
      deliver: [{ channel: "email", to: "ann@example.com" }],
      hold: true,
    });
    const stub = () => stubOf({ tenant, id });
    const change = async (work: (storage: DurableObjectStorage) => void) => {
      await runInDurableObject(stub(), (_, { storage }) => work(storage));
      await abortAllDurableObjects();
    };
    return { caller, id, tenant, change, poke: async () => await taskOf({ tenant, id }).poke() };
  }

  const toEvent = (seq: number) => ({ type: "question.asked" as const, data: remark(seq).data });

  const textsOf = (tenant: string) => sendingsOf(tenant).map(({ delivery }) => delivery.content["text"]);

  test("reports more than two hundred events at once, each once and in order", async () => {
    const { tenant, change, poke } = await heldTask();
    await change((storage) => storeEvents(storage, upTo(250).map(toEvent)));
    await poke();
    await vi.waitFor(() => expect(textsOf(tenant)).toHaveLength(250), { ...SOON, timeout: 20_000 });
    expect(textsOf(tenant)).toEqual(upTo(250).map(String));
  });

  test.each(["budget.warning", "call.unknown"] as const)("reports %s without another event", async (type) => {
    const { id, tenant } = await heldTask();
    const state = await runInDurableObject(stubOf({ tenant, id }), (object) => {
      return (object as unknown as { store: TaskStore }).store.load()?.state;
    });
    if (state === undefined) throw new Error("there is no task");
    const decision = (event: EventType) =>
      ({ state, events: [{ type: event, data: {} }], below: [] }) as unknown as Decision;
    expect(changesIndex(state, decision(type))).toBe(true);
    expect(changesIndex(state, decision("call.started"))).toBe(false);
  });

  test("of an earlier release reports what happens from now on, and nothing from before", async () => {
    const { caller, id, tenant, change, poke } = await heldTask();
    await change((storage) => {
      storeEvents(storage, [toEvent(1)]);
      storeAsEarlierRelease(storage, (row) => delete row["toldEvent"]);
    });
    await poke();
    await caller.send("POST", `/v1/tasks/${id}/start`);
    await vi.waitFor(() => expect(textsOf(tenant)).toEqual(["Done."]), SOON);
  });
});
