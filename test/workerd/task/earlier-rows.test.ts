/** Tasks that the release of version 6 stored in other tables: they are read as they were, and they end. */
import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { expect, test, vi } from "vitest";
import { makeId } from "../../../core/base/ids.ts";
import { STATE_VERSION } from "../../../core/task/state.ts";
import { TaskStore } from "../../../durable-objects/task/store.ts";
import { makeCaller } from "../http/entry.ts";
import { ask, factsOf, ledgerOf, start, stubOf, taskOf, until } from "../tasks/client.ts";
import stored from "./__fixtures__/rows-v6.json" with { type: "json" };
import { storeEarlierRows } from "./stored-rows.ts";

type Rows = (typeof stored)["parked"];

/** Stores a task of the fixture under a new id, for a tenant of its own. */
async function restore(name: keyof typeof stored) {
  const { tenant } = await makeCaller();
  const rows = stored[name];
  const facts = JSON.parse(rows.task[0]?.value ?? "null") as { id: string; tenant: string };
  const id = makeId("task", Date.now(), crypto.getRandomValues(new Uint8Array(10)));
  const text = JSON.stringify(rows)
    .replaceAll(facts.id.slice("task_".length), id.slice("task_".length))
    .replaceAll(facts.tenant, tenant);
  const renamed = JSON.parse(text) as Rows;
  const task = { tenant, id };
  await runInDurableObject(stubOf(task), (_, { storage }) => storeEarlierRows(storage, renamed));
  await abortAllDurableObjects();
  return { task, rows: renamed };
}

/** Compares what is read of a task with its rows. */
async function expectRead(task: { tenant: string; id: string }, rows: Rows) {
  const log = await taskOf(task).events(0, 500);
  if (!log.ok) throw new Error(log.error.message);
  const events = rows.events.map(({ seq, at, type, data }) => {
    return { seq, type, data: { task_id: task.id, at: new Date(at).toISOString(), ...(JSON.parse(data) as object) } };
  });
  expect(log.value.events).toEqual(events);
  const calls = rows.calls.map((call) => ({
    callId: call.call_id,
    state: call.state,
    arguments: JSON.parse(call.arguments) as unknown,
    result: call.result === null ? null : (JSON.parse(call.result) as unknown),
    content: call.content,
    attempts: call.attempts,
    intendedAt: call.intended_at,
  }));
  expect(await ledgerOf(task)).toMatchObject(calls);
  const spends = rows.journal.filter(({ kind }) => kind === "spend").map(({ body }) => JSON.parse(body) as unknown);
  expect(await taskOf(task).spending()).toEqual({ ok: true, value: spends });
}

async function tablesOf(task: { tenant: string; id: string }): Promise<unknown[]> {
  return await runInDurableObject(stubOf(task), (_, { storage: { sql } }) => {
    const tables = sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_%' ESCAPE '\\'");
    return tables
      .toArray()
      .map(({ name }) => name)
      .toSorted();
  });
}

test("an ended one is read as it was, and its earlier tables are gone", async () => {
  const { task, rows } = await restore("ended");
  expect(await taskOf(task).view()).toMatchObject({
    ok: true,
    value: { status: "completed", output: { text: "Done." } },
  });
  await expectRead(task, rows);
  expect(await tablesOf(task)).toEqual(["steps", "task"]);
});

test("one that waits is read as it was, and ends when it is answered, with its whole conversation", async () => {
  const { task, rows } = await restore("parked");
  const view = await until(task, ({ status }) => status === "waiting_input");
  await expectRead(task, rows);
  await abortAllDurableObjects();
  const [question] = view.pending.map((pending) => (pending.kind === "question" ? pending.id : ""));
  const answer = { text: "Rome", isChoice: false, by: "a test" };
  expect(await taskOf(task).answer(question ?? "", answer, null)).toMatchObject({ ok: true });
  const ended = await until(task, ({ status }) => status === "completed");
  // The mock model picks its reply by the number of its earlier ones.
  expect(ended).toMatchObject({ output: { text: "Done." }, usage: { steps: 4, tool_calls: 4 } });
  const states = (await ledgerOf(task)).map(({ tool, state, label }) => [tool, state, label]);
  expect(states).toEqual([
    ["get_current_datetime", "confirmed", expect.any(Number)],
    ["write_file", "confirmed", expect.any(Number)],
    ["get_current_datetime", "confirmed", expect.any(Number)],
    ["ask_human", "confirmed", expect.any(Number)],
  ]);
});

test("one of a later release is refused by its version, and left as it is", async () => {
  const facts = factsOf([ask]);
  await start(facts);
  await until(facts, ({ status }) => status === "waiting_input");
  const changeVersion = async (v: number) =>
    await runInDurableObject(stubOf(facts), (_, { storage: { sql } }) => {
      sql.exec("UPDATE task SET value = ? WHERE name = 'state'", JSON.stringify({ state: { v } }));
    });
  await changeVersion(STATE_VERSION + 1);
  await runInDurableObject(stubOf(facts), (_, { storage }) => {
    const message = `the task is stored as version ${STATE_VERSION + 1} of a later release`;
    expect(() => new TaskStore(storage).load()).toThrow(message);
  });
  await changeVersion(STATE_VERSION);
  await abortAllDurableObjects();
  await until(facts, ({ status }) => status === "waiting_input");
});

test("one is refused by an earlier release once it was converted, and not converted by halves", async () => {
  const { task } = await restore("parked");
  const failing = await runInDurableObject(stubOf(task), async (object, { storage }) => {
    const { store } = object as unknown as { store: { load(): unknown; values: { delete(name: string): void } } };
    const spy = vi.spyOn(store.values, "delete").mockImplementation(() => {
      throw new Error("a full disk");
    });
    expect(() => store.load()).toThrow("a full disk");
    spy.mockRestore();
    const tables = storage.sql.exec<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE name IN ('calls', 'steps')",
    );
    return tables.toArray().map(({ name }) => name);
  });
  expect(failing).toEqual(["calls"]);
  await until(task, ({ status }) => status === "waiting_input");
  const row = await runInDurableObject(stubOf(task), (_, { storage: { sql } }) => {
    return sql.exec<{ value: string }>("SELECT value FROM task WHERE name = 'state'").one().value;
  });
  expect(JSON.parse(row)).toEqual({ state: { v: STATE_VERSION } });
});
