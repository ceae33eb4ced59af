/** Tasks that the release of version 7 stored: their rows are read as they were, and they end. */
import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { expect, test, vi } from "vitest";
import { UNKNOWN_ACTORS } from "../../../core/connections/actors.ts";
import { makeId } from "../../../core/base/ids.ts";
import { STATE_VERSION } from "../../../core/task/state.ts";
import type { StepBody } from "../../../durable-objects/task/step-rows.ts";
import { TaskStore } from "../../../durable-objects/task/store.ts";
import { makeCaller } from "../http/entry.ts";
import { ledgerOf, stubOf, taskOf, until, waitIdOf } from "../tasks/client.ts";
import stored from "./__fixtures__/rows-v7.json" with { type: "json" };
import { readStored, storeRows, type TaskRows } from "./stored-rows.ts";

/** Stores a task of the fixture under a new id, for a tenant of its own. */
async function restore(name: keyof typeof stored) {
  const { tenant } = await makeCaller();
  const rows = stored[name];
  const facts = JSON.parse(rows.task.find((row) => row.name === "facts")?.value ?? "null") as typeof task;
  const id = makeId("task", Date.now(), crypto.getRandomValues(new Uint8Array(10)));
  const text = JSON.stringify(rows)
    .replaceAll(facts.id.slice("task_".length), id.slice("task_".length))
    .replaceAll(facts.tenant, tenant);
  const task = { tenant, id };
  await runInDurableObject(stubOf(task), (_, { storage }) => storeRows(storage, JSON.parse(text) as TaskRows));
  await abortAllDurableObjects();
  return task;
}

/** The stored version, and the number of rows. */
async function readRows(task: { tenant: string; id: string }) {
  return await runInDurableObject(stubOf(task), (_, { storage: { sql } }) => {
    const { value } = sql.exec<{ value: string }>("SELECT value FROM task WHERE name = 'state'").one();
    return { version: JSON.parse(value) as unknown, steps: sql.exec("SELECT seq FROM steps").toArray().length };
  });
}

test("one that waits for an answer ends when it is answered, with its message and its whole conversation", async () => {
  const task = await restore("parked");
  const waiting = await until(task, ({ status }) => status === "waiting_input");
  await abortAllDurableObjects();
  const given = { text: "Rome", isChoice: false, by: "a test" };
  expect(await taskOf(task).answer(waitIdOf(waiting), given, null)).toMatchObject({ ok: true });
  const ended = await until(task, ({ status }) => status === "completed");
  // The mock model picks its reply by the number of its earlier ones.
  expect(ended).toMatchObject({ output: { text: "Done." }, usage: { steps: 4, tool_calls: 4 } });
  expect((await ledgerOf(task)).map(({ state }) => state)).toEqual(Array.from({ length: 4 }, () => "confirmed"));
});

test("one that waits for an approval makes the call once it is approved", async () => {
  const task = await restore("approval");
  const waiting = await until(task, ({ status }) => status === "waiting_approval");
  const decided = { decision: "approve", arguments: null, reason: null, by: "a test" } as const;
  expect(await taskOf(task).decideApproval(waitIdOf(waiting), decided, null)).toMatchObject({ ok: true });
  expect(await until(task, ({ status }) => status === "completed")).toMatchObject({ usage: { tool_calls: 2 } });
});

test("a draft of it starts, and an ended one is read", async () => {
  const held = await restore("held");
  expect(await taskOf(held).start(null)).toMatchObject({ ok: true });
  expect(await until(held, ({ status }) => status === "completed")).toMatchObject({ output: { text: "Done." } });
  const ended = await restore("ended");
  expect(await taskOf(ended).view()).toMatchObject({ ok: true, value: { status: "completed", usage: { steps: 3 } } });
  expect(await ledgerOf(ended)).toHaveLength(2);
});

test("it is only read until it decides: a rollback can still read it", async () => {
  const task = await restore("parked");
  const before = await readRows(task);
  await until(task, ({ status }) => status === "waiting_input");
  expect(await readRows(task)).toEqual({ ...before, version: { state: { v: 7 } } });
  await abortAllDurableObjects();
  const again = await runInDurableObject(stubOf(task), (_, { storage }) => readStored(storage).state);
  expect(again).toMatchObject({ v: STATE_VERSION, step: 3, steering: [{ content: "Also this." }] });
});

test("its first decision stores the version, the facts and the whole state, once, and the rows before it stay", async () => {
  const task = await restore("parked");
  const { steps } = await readRows(task);
  const by = { person: "per_ana", name: "Ana" };
  expect(await taskOf(task).message("And that.", null, undefined, undefined, by)).toMatchObject({ ok: true });
  await abortAllDurableObjects();
  expect(await readRows(task)).toEqual({ version: { state: { v: STATE_VERSION } }, steps: steps + 1 });
  expect(await taskOf(task).actors()).toEqual({ ok: true, value: { ...UNKNOWN_ACTORS, people: ["per_ana"] } });
  expect(await taskOf(task).facts()).toMatchObject({ ok: true, value: { actsFor: null } });
  const stored = await runInDurableObject(stubOf(task), (_, { storage }) => readStored(storage));
  expect([stored.base, stored.isEarlier]).toEqual([stored.seq, false]);
});

test("the first row of a task that then runs has the whole state too, with the version", async () => {
  const task = await restore("held");
  const { steps } = await readRows(task);
  expect(await taskOf(task).start(null)).toMatchObject({ ok: true });
  await until(task, ({ status }) => status === "completed");
  const { head } = await runInDurableObject(stubOf(task), (_, { storage: { sql } }) => {
    const { body } = sql.exec<{ body: string }>("SELECT body FROM steps WHERE seq = ?", steps + 1).one();
    return JSON.parse(body) as StepBody;
  });
  expect(head).toMatchObject({ base: steps + 1, state: { v: STATE_VERSION, actors: UNKNOWN_ACTORS } });
});

test("a decision that could not be stored leaves it at its version", async () => {
  const task = await restore("parked");
  const before = await readRows(task);
  const failing = await runInDurableObject(stubOf(task), async (object, { storage }) => {
    const { store } = object as unknown as { store: TaskStore };
    store.load();
    const { rows } = store as unknown as { rows: { append(): void } };
    const spy = vi.spyOn(rows, "append").mockImplementation(() => {
      throw new Error("a full disk");
    });
    expect(() => store.markUnpublished()).toThrow("a full disk");
    spy.mockRestore();
    return [store.load()?.isEarlier, new TaskStore(storage).load()?.state.v];
  });
  expect(failing).toEqual([true, STATE_VERSION]);
  expect(await readRows(task)).toEqual(before);
  expect(await taskOf(task).message("And that.", null)).toMatchObject({ ok: true });
  expect((await readRows(task)).version).toEqual({ state: { v: STATE_VERSION } });
});

test("an ended one loses its log to retention like any other", async () => {
  const task = await restore("ended");
  expect(await taskOf(task).trim("logs")).toEqual({ ok: true, value: undefined });
  await abortAllDurableObjects();
  expect(await taskOf(task).view()).toMatchObject({ ok: true, value: { status: "completed" } });
  const log = await taskOf(task).events(0, 500);
  expect(log.ok && log.value.events.map(({ type }) => type)).toEqual(["task.completed"]);
  expect((await readRows(task)).version).toEqual({ state: { v: STATE_VERSION } });
});
