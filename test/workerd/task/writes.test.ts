import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import type { TaskEvent } from "../../../core/task/events.ts";
import type { TaskFacts } from "../../../core/task/state.ts";
import type { StoredTask } from "../../../durable-objects/task/store.ts";
import { readStored } from "./stored-rows.ts";
import { alarmOf, factsOf, ledgerOf, start, stubOf, taskOf, until } from "../tasks/client.ts";

const look = { calls: [{ name: "get_current_datetime", arguments: { timezone: "UTC" } }] };
const done = { text: "Done." };

/** The task as its rows have it. */
async function readTask(facts: TaskFacts): Promise<StoredTask> {
  return await runInDurableObject(stubOf(facts), (_, { storage }) => readStored(storage));
}

async function eventsOf(facts: TaskFacts, type: TaskEvent["type"]): Promise<TaskEvent[]> {
  const page = await taskOf(facts).events(0, 500);
  if (!page.ok) throw new Error(page.error.message);
  return page.value.events.filter((event) => event.type === type);
}

describe("a task whose calls change nothing", () => {
  test("is stored once when it is created, once when it starts, and once a step", async () => {
    const facts = factsOf([look, { calls: [...look.calls, ...look.calls] }, look, done]);
    await start(facts);
    const view = await until(facts, ({ status }) => status === "completed");
    expect(view.usage).toMatchObject({ steps: 4, tool_calls: 4 });
    const { version, state } = await readTask(facts);
    expect(state.step).toBe(4);
    // The lines of a runner can arrive in two turns, and a turn is a write.
    expect(version).toBeLessThanOrEqual(env.OTTO_MODEL_PHASE === "runner" ? 8 : 6);
    expect(version).toBeGreaterThanOrEqual(6);
    await vi.waitFor(async () => expect(await alarmOf(facts)).toBeNull(), { timeout: 20_000 });
  });

  test("sets its alarm twice for a long run of several steps, and continues from the step that a crash interrupted", async () => {
    const slow = { ...look, delayMs: 400 };
    const facts = factsOf([slow, slow, slow, slow, { ...look, delayMs: 3000 }, done]);
    await start(facts);
    const alarms = new Set<number>();
    const noteAlarm = async () => {
      const at = await alarmOf(facts);
      if (at !== null) alarms.add(at);
    };
    await until(facts, ({ usage }) => usage.steps > 0);
    await noteAlarm();
    await vi.waitFor(
      async () => {
        await noteAlarm();
        expect((await eventsOf(facts, "step.started")).length).toBe(5);
      },
      { timeout: 20_000, interval: 20 },
    );
    // The alarm of the beginning, and the one that its handler set when it found the run active.
    expect([1, 2]).toContain(alarms.size);
    await abortAllDurableObjects();
    const view = await until(facts, ({ status }) => status === "completed");
    expect(view.usage).toMatchObject({ steps: 6, tool_calls: 5, estimated: true });
    const started = (await eventsOf(facts, "step.started")).map(({ data }) => [data["step"], data["attempt"]]);
    expect(started).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
      [4, 1],
      [5, 1],
      [5, 2],
      [6, 1],
    ]);
    await vi.waitFor(async () => expect(await alarmOf(facts)).toBeNull(), { timeout: 20_000 });
  });

  test("counts the attempt of a call that the model phase started", async () => {
    const facts = factsOf([look, done]);
    await start(facts);
    await until(facts, ({ status }) => status === "completed");
    expect((await ledgerOf(facts)).map(({ state, attempts }) => [state, attempts])).toEqual([["confirmed", 1]]);
  });
});
