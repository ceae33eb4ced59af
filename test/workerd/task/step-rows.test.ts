/** The rows of `steps`: the state that they give together, how one is found, and bodies that exceed a row. */
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { describe, expect, test, vi } from "vitest";
import { type StepBody, StepRows, toLoggedEvents } from "../../../durable-objects/task/step-rows.ts";
import type { TaskStore } from "../../../durable-objects/task/store.ts";
import { SCHEMA } from "../../../durable-objects/task/tables.ts";
import { TaskValues } from "../../../durable-objects/task/values.ts";
import { ask, factsOf, start, stubOf, until } from "../tasks/client.ts";
import { readStored } from "./stored-rows.ts";

const namespace = (env as unknown as { TASKS: DurableObjectNamespace }).TASKS;
const look = { calls: [{ name: "get_current_datetime", arguments: { timezone: "UTC" } }] };

async function withRows<T>(work: (rows: StepRows, sql: SqlStorage) => T): Promise<T> {
  return await runInDurableObject(namespace.get(namespace.newUniqueId()), (_, { storage: { sql } }) => {
    sql.exec(SCHEMA);
    return work(new StepRows(sql, new TaskValues(sql)), sql);
  });
}

const bodyOf = (events: number): StepBody => ({
  at: 7,
  events: Array.from({ length: events }, (_, index) => ({ type: "step.started", data: { index } })),
});

test("give the state of a task at every step, from the last whole one and what changed since", async () => {
  const facts = factsOf([...Array.from({ length: 30 }, () => look), ask], {
    limits: { maxSteps: 50, maxTokens: null, maxCostMicros: null, maxDurationMs: null },
  });
  await start(facts);
  await until(facts, ({ status }) => status === "waiting_input");
  await runInDurableObject(stubOf(facts), (object, { storage }) => {
    const { store } = object as unknown as { store: TaskStore };
    const { published: _, publishedEvent: __, ...inMemory } = store.load() ?? {};
    expect(readStored(storage)).toMatchObject(inMemory);
    const bodies = storage.sql.exec<{ body: string }>("SELECT body FROM steps ORDER BY seq").toArray();
    const bases = bodies.map(({ body }) => (JSON.parse(body) as StepBody).head?.base);
    // That of the creation, the one after twenty rows, and that of the wait.
    expect([...new Set(bases)]).toEqual([1, 21, bases.length]);
    expect(Math.max(...bodies.map(({ body }) => body.length))).toBeLessThan(8000);
  });
});

test("are read from storage again after a write that was rolled back", async () => {
  const facts = factsOf([look, ask]);
  await start(facts);
  await until(facts, ({ status }) => status === "waiting_input");
  await runInDurableObject(stubOf(facts), (object) => {
    const { store } = object as unknown as { store: TaskStore };
    const { rows } = store as unknown as { rows: StepRows };
    const { seq = 0 } = store.load() ?? {};
    const appended = rows.append.bind(rows);
    const append = vi.spyOn(rows, "append").mockImplementation((...row) => {
      appended(...row);
      throw new Error("a full disk");
    });
    expect(() => store.trimLog()).toThrow("a full disk");
    append.mockRestore();
    store.markUnpublished();
    expect([...rows.readFrom(seq + 1)].map((row) => row.seq)).toEqual([seq + 1]);
    expect(rows.readLast()?.body.ledger).toBeUndefined();
    expect(store.ledger.readCalls([...store.ledger.readAll()].map(({ callId }) => callId))).toHaveLength(2);
  });
});

describe("a row", () => {
  test("is found by its events and by its step, wherever it is", async () => {
    await withRows((rows) => {
      const counts = [2, 0, 0, 1, 3, 0, 1, 0, 5, 1];
      let last = 0;
      const ends = counts.map((count, index) => {
        // Retention deleted what came before the 101st row.
        rows.append(101 + index, Math.floor(index / 3), last, bodyOf(count));
        last += count;
        return last;
      });
      for (let event = 0; event <= last; event += 1) {
        const index = ends.findIndex((end) => end > event);
        expect([event, rows.findAfterEvent(event)]).toEqual([event, 101 + (index === -1 ? counts.length : index)]);
      }
      expect([0, 1, 2, 3, 4, 9].map((step) => rows.findStep(step))).toEqual([101, 101, 104, 107, 110, 111]);
      const events = [...rows.readFrom(rows.findAfterEvent(1))].flatMap((row) => toLoggedEvents(row, 1));
      expect(events.map(({ seq }) => seq)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
    });
  });

  test("of an empty table is not found", async () => {
    await withRows((rows) => expect([rows.readLast(), rows.findStep(4), rows.findAfterEvent(4)]).toEqual([null, 1, 1]));
  });

  test("that is larger than the platform allows is stored in parts, which are deleted with it", async () => {
    await withRows((rows, sql) => {
      const compaction = { through: 1, text: "é😀".repeat(700_000) };
      rows.append(1, 1, 0, { at: 1, compaction });
      rows.append(2, 1, 0, { at: 2 });
      const count = () => sql.exec("SELECT 1 FROM task").toArray().length;
      expect(rows.read(1)?.body).toEqual({ at: 1, compaction });
      expect(rows.readLast()?.body).toEqual({ at: 2 });
      expect(count()).toBe(1 + 5);
      rows.deleteThrough(1);
      expect([count(), rows.read(1)]).toEqual([0, null]);
    });
  });
});
