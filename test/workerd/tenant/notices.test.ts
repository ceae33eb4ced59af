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
    /** Anew for every call: a stub from before a crash is broken. */
    object: () => tenantsFromEnv(env)(tenant),
    tell: async (task: string, notices: readonly ReportedNotice[], facts: Partial<NoticeFacts> = {}) =>
      await tenantsFromEnv(env)(tenant).report({
        ...report({ task }),
        news: { facts: { ...factsOf(task), ...facts }, notices },
      }),
    said: () => sendingsOf(tenant).map(({ delivery }) => delivery.content["text"]),
    kept: async () => (await sql("SELECT seq FROM notices ORDER BY rowid")).map(({ seq }) => Number(seq)),
  };
}

/** Stands between the tenant's object and the runner of channels: which notices it was given, and what it does first. */
function watchRunner(first: (notices: readonly Notice[]) => Promise<void> = () => Promise.resolve()) {
  const given: number[][] = [];
  const real = ChannelRunner.prototype.spread;
  const spy = vi.spyOn(ChannelRunner.prototype, "spread").mockImplementation(async function (
    this: ChannelRunner,
    tenant,
    notices,
  ) {
    given.push(notices.map(({ seq }) => seq));
    await first(notices);
    return await real.call(this, tenant, notices);
  });
  return { given, goOn: () => spy.mockRestore() };
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
    const { tell, said, kept } = await newTenant();
    const task = newTask();
    await tell(
      task,
      upTo(30).map((seq) => remark(seq)),
    );
    await tell(
      task,
      upTo(60).map((seq) => remark(seq)),
    );
    await vi.waitFor(async () => expect(await kept()).toEqual([]), SOON);
    await vi.waitFor(() => expect(said()).toHaveLength(60), SOON);
    expect(said()).toEqual(upTo(60).map(String));
    await tell(
      task,
      upTo(60).map((seq) => remark(seq)),
    );
    await vi.waitFor(async () => expect(await kept()).toEqual([]), SOON);
    expect(said()).toHaveLength(60);
  });

  test("is kept over a crash, and found by the alarm", async () => {
    const { tell, said, kept } = await newTenant();
    const { given, goOn } = watchRunner(hang);
    await tell(newTask(), [remark(1), remark(2)]);
    await vi.waitFor(() => expect(given).toEqual([[1, 2]]), SOON);
    goOn();
    await abortAllDurableObjects();
    // Nobody calls it: its alarm finds what was cut off.
    await vi.waitFor(() => expect(said()).toEqual(["1", "2"]), SOON);
    await vi.waitFor(async () => expect(await kept()).toEqual([]), SOON);
  });

  test("waits a minute for a runner that hangs and no longer", async () => {
    const wait = globalThis.setTimeout;
    const shorter = (work: () => void, ms?: number) => wait(work, ms === HANGS_AFTER_MS ? 300 : ms);
    vi.spyOn(globalThis, "setTimeout").mockImplementation(shorter as typeof setTimeout);
    const { tell, said } = await newTenant();
    const { given, goOn } = watchRunner(hang);
    await tell(newTask(), [remark(1)]);
    await vi.waitFor(() => expect(given).toHaveLength(1), SOON);
    goOn();
    await vi.waitFor(() => expect(said()).toEqual(["1"]), SOON);
  });

  test("is tried again after a runner that fails, with a pause that other reports do not shorten", async () => {
    const { tell, said } = await newTenant();
    const { given, goOn } = watchRunner(() => Promise.reject(new Error("no")));
    const task = newTask();
    const startedAt = Date.now();
    await tell(task, [remark(1)]);
    await vi.waitFor(() => expect(given).toHaveLength(1), SOON);
    for (const seq of upTo(20)) await tell(task, [remark(seq + 1)]);
    const pauses = Math.floor((Date.now() - startedAt) / computeSendDelayMs(1));
    expect(given.filter((seqs) => seqs.includes(1)).length).toBeLessThanOrEqual(1 + pauses);
    goOn();
    await vi.waitFor(() => expect(said()).toHaveLength(21), SOON);
  });

  test("reaches a conversation while the database is away, and the rest when it is back", async () => {
    const { tell, said, kept, object, tenant } = await newTenant();
    await object().addInterests(["question.asked"]);
    const watch = watchDatabase();
    watch.isAway = true;
    for (const _ of upTo(3))
      await tell(
        newTask(),
        upTo(40).map((seq) => remark(seq)),
      );
    await vi.waitFor(() => expect(said()).toHaveLength(120), SOON);
    expect(await kept()).toHaveLength(120);
    watch.isAway = false;
    await vi.waitFor(async () => expect(await kept()).toEqual([]), { ...SOON, timeout: 20_000 });
    expect(sendingsOf(tenant)).toHaveLength(120);
  });

  test("delay nothing when they can never be fanned out, and are dropped after three days", async () => {
    const { tell, said, kept, sql } = await newTenant();
    await tell(
      newTask(),
      upTo(60).map((seq) => remark(seq)),
      NOWHERE,
    );
    await tell(newTask(), [remark(61)]);
    await tell(newTask(), [remark(62)], NOWHERE);
    await tell(newTask(), [remark(63)]);
    await vi.waitFor(() => expect(said()).toEqual(["61", "63"]), SOON);
    await vi.waitFor(async () => expect(await kept()).toHaveLength(61), SOON);
    await sql(`UPDATE notices SET kept_at = kept_at - ${3 * DAY_MS} WHERE seq <> 62`);
    await vi.waitFor(async () => expect(await kept()).toEqual([62]), { ...SOON, timeout: 20_000 });
  });

  test("of a task that is erased meanwhile goes nowhere, and takes nothing of another along", async () => {
    const { tell, said, kept, object } = await newTenant();
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const { given, goOn } = watchRunner(async () => await gate);
    const [erased, other] = [newTask(), newTask()];
    await tell(other, [remark(1)]);
    await vi.waitFor(() => expect(given).toEqual([[1]]), SOON);
    await tell(erased, [remark(2)]);
    await object().forget(erased);
    expect(await kept()).toEqual([1]);
    expect(await tell(erased, [remark(3)])).toEqual({ erased: false });
    goOn();
    open();
    await vi.waitFor(async () => expect(await kept()).toEqual([]), SOON);
    await vi.waitFor(() => expect(said()).toEqual(["1"]), SOON);
  });

  test("are not lost when stored while the last stored ones are fanned out and erased", async () => {
    const { tell, said, kept, object } = await newTenant();
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const { given, goOn } = watchRunner(async () => await gate);
    const [erased, other] = [newTask(), newTask()];
    await tell(erased, [remark(1)]);
    await vi.waitFor(() => expect(given).toEqual([[1]]), SOON);
    await object().forget(erased);
    await tell(other, [remark(2)]);
    goOn();
    open();
    await vi.waitFor(() => expect(said()).toContain("2"), SOON);
    await vi.waitFor(async () => expect(await kept()).toEqual([]), SOON);
  });

  test("is forgotten with the tenant", async () => {
    const { tell, object, sql } = await newTenant();
    const { given } = watchRunner(hang);
    await tell(newTask(), [remark(1)]);
    await vi.waitFor(() => expect(given).toHaveLength(1), SOON);
    await object().erase();
    expect(await tell(newTask(), [remark(2)])).toEqual({ erased: true });
    expect(await sql("SELECT * FROM notices")).toEqual([]);
    expect(await sql("SELECT * FROM interests")).toEqual([]);
  });

  test("is not kept when nobody is interested", async () => {
    const { tell, kept } = await newTenant();
    const { given } = watchRunner();
    await tell(newTask(), [remark(1), remark(2, { type: "task.completed" })], { deliver: [] });
    expect(await kept()).toEqual([]);
    expect(given).toEqual([]);
  });

  test("costs no query without a recipient", async () => {
    const { tell, tenant } = await newTenant();
    await tell(newTask(), [remark(1)], { deliver: [] });
    const queries = [vi.spyOn(TenantTables.prototype, "read"), vi.spyOn(TenantTables.prototype, "write")];
    for (const seq of upTo(20)) await tell(newTask(), [remark(seq)], { deliver: [] });
    const asked = queries.flatMap(({ mock }) =>
      mock.calls.flatMap(([query], index) => (nameOf(mock.contexts[index]) === tenant ? [query] : [])),
    );
    expect(asked.length).toBeGreaterThan(20);
    expect(asked.filter((query) => /notices|interests/.test(query))).toEqual([]);
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
    const change = async (work: (sql: SqlStorage, row: Record<string, unknown>) => void) => {
      await runInDurableObject(stub(), (_, { storage: { sql } }) => {
        const [stored] = sql.exec<{ value: string }>("SELECT value FROM task WHERE name = 'state'").toArray();
        const row = JSON.parse(stored?.value ?? "null") as Record<string, unknown>;
        work(sql, row);
        sql.exec("UPDATE task SET value = ? WHERE name = 'state'", JSON.stringify(row));
      });
      await abortAllDurableObjects();
    };
    return { caller, id, tenant, change, poke: async () => await taskOf({ tenant, id }).poke() };
  }

  const textsOf = (tenant: string) => sendingsOf(tenant).map(({ delivery }) => delivery.content["text"]);

  test("reports more than two hundred events at once, each once and in order", async () => {
    const { tenant, change, poke } = await heldTask();
    await change((sql, row) => {
      const last = Number(row["lastEvent"]);
      for (const n of upTo(250))
        sql.exec(
          "INSERT INTO events VALUES (?, ?, 'question.asked', ?)",
          last + n,
          Date.now(),
          JSON.stringify(remark(n).data),
        );
      row["lastEvent"] = last + 250;
    });
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
    await change((sql, row) => {
      const last = Number(row["lastEvent"]) + 1;
      sql.exec(
        "INSERT INTO events VALUES (?, ?, 'question.asked', ?)",
        last,
        Date.now(),
        JSON.stringify(remark(1).data),
      );
      row["lastEvent"] = last;
      delete row["toldEvent"];
    });
    await poke();
    await caller.send("POST", `/v1/tasks/${id}/start`);
    await vi.waitFor(() => expect(textsOf(tenant)).toEqual(["Done."]), SOON);
  });
});
