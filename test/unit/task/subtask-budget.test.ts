import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkEnvelope } from "../../../core/gateway/envelope.ts";
import { DEFAULT_AGENT } from "../../../core/agents/agent.ts";
import type { Limits, TaskFacts, TaskState } from "../../../core/task/state.ts";
import { confirmedOutcome } from "../../../core/task/ledger.ts";
import { getStatus } from "../../../core/task/status.ts";
import { findNextWake } from "../../../core/task/task.ts";
import { drawsFrom, createEnding, shuffled } from "./play-task.ts";
import { crashing } from "./faults.ts";
import { call, DISPATCH, factsOf, NO_LIMITS, type Script, type ScriptedCall, TaskWorld } from "./world.ts";

const PRICE = { inputPerMillion: 1, outputPerMillion: 8 };
const PRICED = [{ name: "scripted", price: PRICE, windowTokens: 1_000_000 }];

function dispatch(change: Partial<typeof DISPATCH> | { tokenBudget: number } | { tools: string[] } = {}): ScriptedCall {
  return { tool: "dispatch_subagent", effect: "none", control: { ...DISPATCH, ...change } };
}

const limited = (change: Partial<Limits>) => factsOf({ limits: { ...NO_LIMITS, ...change }, models: PRICED });
const madeIn = (world: TaskWorld) => [...world.subtasks.values()].map(({ made }) => made.facts);

/** What is out of reach of the task: used, used below, carved for those that live, and reserved. */
function taken({ usage, usedBelow, batch, phase }: TaskState) {
  const budgets = batch.flatMap(({ wait }) => (wait?.kind === "subtask" ? [wait.budget] : []));
  const reserved = "reserved" in phase ? phase.reserved : { inputTokens: 0, outputTokens: 0, costMicros: 0 };
  const tokens = [usage, usedBelow, reserved].reduce(
    (sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens,
    0,
  );
  return {
    tokens: budgets.reduce((sum, budget) => sum + (budget.tokens ?? 0), tokens),
    costMicros: budgets.reduce(
      (sum, budget) => sum + (budget.costMicros ?? 0),
      usage.costMicros + usedBelow.costMicros + reserved.costMicros,
    ),
  };
}

describe("the budget of a task with subtasks", () => {
  const step = fc.array(fc.option(fc.integer({ min: 500, max: 120_000 }), { nil: null, freq: 2 }), {
    minLength: 1,
    maxLength: 4,
  });

  test("is never passed by what it used, what was used below, and what it carved, but for what a subtask overspent", () => {
    let carved = 0;
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 3000, max: 300_000 }),
        fc.integer({ min: 20_000, max: 2_000_000 }),
        fc.boolean(),
        fc.integer(),
        (steps, maxTokens, maxCostMicros, overspends, seed) => {
          const draw = drawsFrom(seed);
          const script = steps.map((budgets) =>
            budgets.map((tokenBudget) => ({ ...dispatch(), control: { ...DISPATCH, tokenBudget } })),
          );
          const world = new TaskWorld(script, crashing(draw, 0.05), limited({ maxTokens, maxCostMicros }));
          const over = { tokens: 0, costMicros: 0 };
          world.usageOf = ({ maxOutputTokens }) => {
            const { phase } = world.state;
            const input = phase.name === "thinking" ? phase.reserved.inputTokens : 0;
            return {
              inputTokens: Math.floor(draw() * input),
              outputTokens: Math.floor(draw() * maxOutputTokens),
              estimated: false,
            };
          };
          world.afterStored = (state) => {
            const all = taken(state);
            expect(all.tokens).toBeLessThanOrEqual(maxTokens + over.tokens);
            expect(all.costMicros).toBeLessThanOrEqual(maxCostMicros + over.costMicros + 1e-6);
          };
          for (let rounds = 0; rounds < 50 && world.state.phase.name !== "ended"; rounds += 1) {
            world.run();
            for (const wait of shuffled(
              world.state.batch.map((one) => one.wait),
              draw,
            )) {
              if (wait?.kind !== "subtask") continue;
              carved += 1;
              const share = overspends && draw() < 0.2 ? 1.5 : draw();
              const outputTokens = Math.floor((wait.budget.tokens ?? 0) * share);
              const costMicros = Math.floor((wait.budget.costMicros ?? 0) * share);
              over.tokens += Math.max(0, outputTokens - (wait.budget.tokens ?? 0));
              over.costMicros += Math.max(0, costMicros - (wait.budget.costMicros ?? 0));
              world.apply({
                type: "subtask_ended",
                ending: createEnding(wait.id, { inputTokens: 0, outputTokens, costMicros }),
              });
            }
          }
          expect(world.state.phase.name).toBe("ended");
        },
      ),
      { numRuns: 200 },
    );
    expect(carved).toBeGreaterThan(200);
  });

  test("is shared evenly among dispatches that ask for nothing, and the task keeps a share of its own", () => {
    const world = new TaskWorld(
      [[dispatch(), dispatch(), dispatch(), call()]],
      undefined,
      limited({ maxTokens: 400_015, maxCostMicros: 4000 + 50 }),
    );
    world.run();
    // Of 400,000, the next request keeps 15 of conversation, three results of 1,600 and 16 to write: a fourth of the rest.
    expect(madeIn(world).map(({ limits }) => limits.maxTokens)).toEqual([98_792, 98_792, 98_792]);
    expect(madeIn(world).map(({ limits }) => limits.maxCostMicros)).toEqual([1000, 1000, 1000]);
    expect(taken(world.state)).toEqual({ tokens: 296_391, costMicros: 3050 });
  });

  test("leaves a task enough to read fifty results that used up their shares", () => {
    const world = new TaskWorld(
      [Array.from({ length: 50 }, () => dispatch())],
      undefined,
      limited({ maxTokens: 200_000 }),
    );
    world.run();
    const made = [...world.subtasks.values()];
    expect(made).toHaveLength(50);
    for (const { made: one } of made) {
      const { id, limits } = one.facts;
      const outcome = confirmedOutcome({}, "A line. ".repeat(500), 1);
      world.apply({
        type: "subtask_ended",
        ending: createEnding(id, { outcome, inputTokens: limits.maxTokens ?? 0, outputTokens: 0 }),
      });
    }
    world.run();
    expect(getStatus(world.state)).toBe("completed");
  });

  test("gets back what a subtask left", () => {
    const script: Script = [[dispatch({ tokenBudget: 90_000 })], [dispatch({ tokenBudget: 90_000 })]];
    const world = new TaskWorld(script, undefined, limited({ maxTokens: 100_000 }));
    for (let round = 0; round < 2; round += 1) {
      world.run();
      const id = [...world.subtasks.keys()].at(-1) ?? "";
      world.apply({ type: "subtask_ended", ending: createEnding(id, { inputTokens: 1000, outputTokens: 0 }) });
    }
    world.run();
    expect(madeIn(world).map(({ limits }) => limits.maxTokens)).toEqual([90_000, 90_000]);
    expect(getStatus(world.state)).toBe("completed");
    expect(world.state.usedBelow.inputTokens).toBe(2000);
  });

  test("refuses a dispatch that asks for more than is left, and one whose share is too small to work with", () => {
    const world = new TaskWorld(
      [[dispatch({ tokenBudget: 60_000 }), dispatch({ tokenBudget: 60_000 })]],
      undefined,
      limited({ maxTokens: 100_000 }),
    );
    world.run();
    expect([...world.ledger.values()].map(({ state }) => state)).toEqual(["intended", "refused"]);
    expect([...world.ledger.values()][1]).toMatchObject({ result: { error: { code: "budget_exceeded" } } });
    const poor = new TaskWorld([[dispatch(), dispatch()]], undefined, limited({ maxTokens: 1990 }));
    poor.run();
    expect([...poor.ledger.values()].map(({ state }) => state)).toEqual(["refused", "refused"]);
    const broke = new TaskWorld([[dispatch()]], undefined, limited({ maxCostMicros: 2000 }));
    broke.usageOf = () => ({ inputTokens: 0, outputTokens: 250, estimated: false });
    broke.run();
    expect([...broke.ledger.values()]).toMatchObject([
      { state: "refused", content: expect.stringContaining("no money left") },
    ]);
  });

  test("keeps what the conversation holds, the subtask's result and a few words for the task itself", () => {
    // Of 10,000 tokens the first call used 15, which the conversation holds; a result is 1,600 at most, and the least that
    // a call can write is 16.
    const most = 10_000 - 15 - 15 - 1600 - 16;
    for (const [tokenBudget, state] of [
      [most, "intended"],
      [most + 1, "refused"],
    ] as const) {
      const world = new TaskWorld([[dispatch({ tokenBudget })]], undefined, limited({ maxTokens: 10_000 }));
      world.run();
      expect([...world.ledger.values()].map((row) => row.state)).toEqual([state]);
    }
  });
});

describe("the limits of a subtask", () => {
  test("are never wider than its parent's", () => {
    const tight = limited({ maxSteps: 4, maxTokens: 50_000, maxCostMicros: 90_000, maxDurationMs: 30_000 });
    const world = new TaskWorld([[dispatch(), dispatch({ tokenBudget: 20_000 })]], undefined, tight);
    world.run(1000);
    expect(madeIn(world)).toHaveLength(2);
    for (const { limits } of madeIn(world)) {
      expect(limits.maxSteps).toBe(4);
      expect(limits.maxTokens).toBeLessThan(50_000);
      expect(limits.maxCostMicros).toBeLessThan(90_000);
      expect(limits.maxDurationMs).toBeLessThanOrEqual(30_000);
    }
  });

  test("have the time that its parent has left at its creation", () => {
    const world = new TaskWorld([[call(), dispatch()]], undefined, limited({ maxDurationMs: 60_000 }));
    world.usageOf = () => {
      world.now += 20_000;
      return { inputTokens: 1, outputTokens: 1, estimated: false };
    };
    world.run(20_100);
    const [made] = madeIn(world);
    expect(made?.limits.maxDurationMs).toBeLessThanOrEqual(40_000);
    expect(made?.limits.maxDurationMs).toBeGreaterThan(39_000);
    expect(findNextWake(world.state, world.now)).toBe(60_000);
  });

  test("are absent if its parent has none, except those that the dispatch sets", () => {
    const world = new TaskWorld([[dispatch(), dispatch({ tokenBudget: 5000 })]]);
    world.run();
    expect(madeIn(world).map(({ limits }) => limits)).toEqual([NO_LIMITS, { ...NO_LIMITS, maxTokens: 5000 }]);
  });
});

describe("what a subtask may do", () => {
  test("is its parent's, narrowed: it inherits every list of patterns, and agent, key, project and sandbox", () => {
    const above = [["*"], ["read_*", "dispatch_subagent"]];
    const facts = factsOf({ tools: above, project: "p", metadata: { secret: 1 } });
    const world = new TaskWorld([[dispatch({ tools: ["read_file"] }), dispatch()]], undefined, facts);
    world.run();
    const [narrow, same] = madeIn(world);
    expect(narrow?.tools).toEqual([...above, ["read_file"]]);
    expect(same?.tools).toEqual(above);
    const { agent, key, project, rootId, tenant, models } = facts;
    expect(narrow).toMatchObject({
      agent,
      key,
      project,
      rootId,
      tenant,
      models,
      parentId: facts.id,
      depth: 1,
      metadata: {},
    });
    expect(narrow?.id).not.toBe(same?.id);
  });

  test("never holds a tool that its parent has not, whatever the patterns and however deep it is", () => {
    const name = fc.constantFrom("read_file", "fs.read", "fs_read", "run_command", "search_web", "http.get");
    const pattern = fc.oneof(name, fc.constantFrom("*", "fs.*", "fs_*", "*_file", "[!r]*", "search_?eb", "", "?*"));
    const patterns = fc.array(pattern, { maxLength: 3 });
    const permissions = fc.subarray(["read", "write", "exec", "network"] as const);
    fc.assert(
      fc.property(
        patterns,
        permissions,
        fc.array(patterns, { maxLength: 3 }),
        name,
        permissions,
        (own, has, lists, tool, needs) => {
          const agent = { ...DEFAULT_AGENT, config: { ...DEFAULT_AGENT.config, tools: own, permissions: has } };
          const definition = { name: tool, permissions: needs };
          let parent: TaskFacts = factsOf({ agent });
          for (const tools of lists) {
            const world = new TaskWorld([[dispatch({ tools })]], undefined, parent);
            world.run();
            const [child] = madeIn(world);
            if (child === undefined) return;
            const facts: TaskFacts = { ...child, input: "" };
            if (!checkEnvelope(definition, parent).ok) expect(checkEnvelope(definition, facts).ok).toBe(false);
            expect(child.agent.config.permissions).toEqual(has);
            parent = facts;
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});
