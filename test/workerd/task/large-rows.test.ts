/** A task whose facts or state are larger than a row may be: stored in parts, and read again after the object was reset. */
import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { TaskValues } from "../../../durable-objects/task/values.ts";
import { agentOf, factsOf, start, stubOf, taskOf, until } from "../tasks/client.ts";

/** Nothing is shortened. */
const models = [{ name: "mock-model", price: null, windowTokens: 10_000_000 }];
const look = { calls: [{ name: "get_current_datetime", arguments: { timezone: "UTC" } }] };

/** Bytes of the largest row of a task's values, and how many rows there are. */
async function rowsOf(facts: Parameters<typeof stubOf>[0]): Promise<{ largest: number; count: number }> {
  return await runInDurableObject(stubOf(facts), (_, { storage }) => {
    const query = "SELECT max(length(CAST(value AS BLOB))) AS largest, count(*) AS count FROM task";
    return storage.sql.exec<{ largest: number; count: number }>(query).one();
  });
}

test("an agent of 1 MB with an input of 1 MB is stored in rows with a margin, and its task ends after a reset", async () => {
  const note = "é😀".repeat(170_000);
  const agent = agentOf({ tool_config: { note: { text: note } } });
  const input = JSON.stringify({
    replies: [{ ...look, delayMs: 300 }, look, { text: "Done." }],
    note: note.slice(0, 500_000),
  });
  const facts = factsOf([], { agent, input, models });
  expect(new TextEncoder().encode(JSON.stringify(facts)).length).toBeGreaterThan(2_000_000);
  await start(facts);
  await until(facts, ({ usage }) => usage.steps > 0);
  await abortAllDurableObjects();
  const view = await until(facts, ({ status }) => status === "completed");
  expect(view.usage).toMatchObject({ steps: 3, tool_calls: 2 });
  const stored = await taskOf(facts).facts();
  expect(stored).toMatchObject({ ok: true, value: { input, agent: { config: agent.config } } });
  const { largest, count } = await rowsOf(facts);
  expect(largest).toBeLessThanOrEqual(1_500_000);
  expect(count).toBeGreaterThan(3);
});

test("a value that shrinks deletes its surplus parts", async () => {
  const facts = factsOf([look, { text: "Done." }], { models });
  await start(facts);
  await until(facts, ({ status }) => status === "completed");
  const counts = await runInDurableObject(stubOf(facts), (_, { storage }) => {
    const count = () => storage.sql.exec("SELECT 1 FROM task").toArray().length;
    return ["x".repeat(1_200_000), "x".repeat(600_000), "x", "\u0001parts 2", "x"].map((text) => {
      new TaskValues(storage.sql).write("note", text);
      return [count(), new TaskValues(storage.sql).read("note") === text];
    });
  });
  // Beside facts and state: the value's own row, and its parts.
  expect(counts).toEqual([
    [2 + 1 + 3, true],
    [2 + 1 + 2, true],
    [2 + 1, true],
    // A text that looks like the row of a value in parts.
    [2 + 1 + 1, true],
    [2 + 1, true],
  ]);
});
