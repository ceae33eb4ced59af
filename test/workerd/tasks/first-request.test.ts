/** Limits hold from the first request on, with the real tool list: it is measured before the model is asked. */
import { describe, expect, test } from "vitest";
import { toModelChoice } from "../../../core/model/table.ts";
import type { Limits, TaskFacts } from "../../../core/task/state.ts";
import { factsOf, inputOf, ledgerOf, start, taskOf, until } from "./client.ts";

const NO_LIMITS: Limits = { maxSteps: 10, maxTokens: null, maxCostMicros: null, maxDurationMs: null };
const limited = (change: Partial<Limits>, rest: Partial<TaskFacts> = {}) =>
  factsOf([{ text: "Done." }], { limits: { ...NO_LIMITS, ...change }, ...rest });

async function ended(facts: TaskFacts) {
  await start(facts);
  return await until(facts, ({ status }) => status === "failed" || status === "completed");
}

async function eventTypes(facts: TaskFacts): Promise<string[]> {
  const page = await taskOf(facts).events(0, 500);
  return page.ok ? page.value.events.map(({ type }) => type) : [];
}

describe("the first request of a task", () => {
  test.each([
    ["tokens", limited({ maxTokens: 1000 })],
    ["money", limited({ maxCostMicros: 1500 }, { models: [toModelChoice("gpt-5")] })],
  ])("is not made when it alone exceeds the limit of %s", async (_kind, facts) => {
    const view = await ended(facts);
    expect(view).toMatchObject({
      status: "failed",
      reason: "budget_exceeded",
      usage: { input_tokens: 0, output_tokens: 0, cost_usd: 0, steps: 0 },
    });
    expect(await eventTypes(facts)).not.toContain("message.completed");
  });

  test("is made when it fits, without an event of a grant or a wait", async () => {
    const facts = limited({ maxTokens: 12_000 });
    expect(await ended(facts)).toMatchObject({ status: "completed" });
    expect(await eventTypes(facts)).not.toContain("task.waiting");
  });

  test("of a subtask is not made when it exceeds the budget from its parent", async () => {
    const dispatched = { task_description: inputOf([{ text: "Done." }]), token_budget: 1000 };
    const calls = [{ name: "dispatch_subagent", arguments: dispatched }];
    const facts = factsOf([{ calls }, { text: "Done." }], { limits: { ...NO_LIMITS, maxTokens: 200_000 } });
    expect(await ended(facts)).toMatchObject({ status: "completed", usage: { steps: 2 } });
    const [call] = await ledgerOf(facts);
    expect(call).toMatchObject({ state: "failed", result: { error: { code: "budget_exceeded" } } });
    const view = await taskOf(facts).view();
    expect(view.ok && view.value.budget?.used_by_subtasks.tokens).toBe(0);
  });
});
