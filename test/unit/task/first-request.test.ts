/** The limits of a task hold from its first request on: it is measured before the model is asked. */
import fc from "fast-check";
import { Tiktoken } from "js-tiktoken/lite";
import o200k from "js-tiktoken/ranks/o200k_base";
import { describe, expect, test } from "vitest";
import { fitRequest } from "../../../core/steps/request-size.ts";
import type { Message } from "../../../core/model/messages.ts";
import type { ToolSpec } from "../../../core/ports/model.ts";
import type { Command } from "../../../core/task/commands.ts";
import type { Decision, Work } from "../../../core/task/decision.ts";
import type { Limits, TaskFacts, TaskState } from "../../../core/task/state.ts";
import { confirmedOutcome } from "../../../core/task/ledger.ts";
import { decide, decideBoth } from "../../../core/task/task.ts";
import { ADMITTED, factsOf, NO_LIMITS, TaskWorld } from "./world.ts";
import {
  requestCalls,
  created,
  applyFailure,
  preparedCall,
  applyReply,
  toView,
  startThinking,
  wake,
} from "./play-task.ts";

const tokenizer = new Tiktoken(o200k);
const count = (text: string) => tokenizer.encode(text, "all").length;
const PRICE = { inputPerMillion: 2, outputPerMillion: 8 };
const MODEL = { name: "scripted", price: PRICE, windowTokens: 1_000_000 };
/** The largest error of the estimate on the texts below. */
const ERROR = 0.12;
/** A provider also counts the frame of a message, and a call is not made for less than 16 tokens of output. */
const FRAME = 30;

/** Text as tool lists and results hold it. */
const phrase = fc.constantFrom(
  "Creates a task in a project and returns its id.",
  '{"type":"string","description":"The path of the file, relative to the project.","maxLength":1024}',
  "Все люди рождаются свободными и равными в своем достоинстве и правах.",
  "const total = rows.reduce((sum, row) => sum + row.amount, 0);",
  "人人生而自由，在尊严和权利上一律平等。",
  "The quick brown fox jumps over the lazy dog while the committee deliberates.",
);
const spec = fc
  .record({
    name: fc.stringMatching(/^[a-z]{3,12}_[a-z]{3,12}$/),
    phrases: fc.array(phrase, { minLength: 1, maxLength: 40 }),
  })
  .map(
    ({ name, phrases }): ToolSpec => ({
      name,
      description: phrases.join(" "),
      parameters: { type: "object", properties: { input: { type: "string", description: phrases[0] } } },
    }),
  );
const result = fc.array(phrase, { minLength: 1, maxLength: 60 }).map((phrases) => phrases.join("\n"));

interface Billed {
  readonly tokens: number;
  readonly costMicros: number;
}

/** Plays a task with a runner that measures and a provider that counts with its own tokenizer and writes up to the limit. */
function play(facts: TaskFacts, tools: readonly ToolSpec[], results: readonly string[]) {
  let state: TaskState = created(facts);
  const conversation: Message[] = [{ role: "system", content: facts.agent.config.instructions }];
  if (typeof facts.input === "string") conversation.push({ role: "user", content: facts.input });
  const billed: Billed[] = [];
  let decision: Decision = wake(state, "a", 0);
  for (let at = 1; decision.work?.kind === "think" && at < 20; at += 1) {
    const { work } = decision;
    state = decision.state;
    const request = { ...work, messages: conversation, tools: work.final ? [] : tools };
    const hop = { step: work.step, attempt: work.attempt, incarnation: incarnationOf(state) };
    const fit = fitRequest({ facts, ...(work.guess === undefined ? {} : { guess: work.guess }) }, request);
    if (fit?.ok === false) {
      decision = decide(state, { type: "request_refused", ...hop, inputTokens: fit.inputTokens }, at);
      break;
    }
    if (fit?.isGuessClose === false) {
      state = decide(state, { type: "request_measured", ...hop, ...fit }, at).state;
    }
    const outputTokens = fit?.outputTokens ?? work.maxOutputTokens;
    const inputTokens = conversation.reduce(
      (sum, { content }) => sum + 4 + count(content),
      count(JSON.stringify(request.tools)),
    );
    billed.push({
      tokens: inputTokens + outputTokens,
      costMicros: inputTokens * PRICE.inputPerMillion + outputTokens * PRICE.outputPerMillion,
    });
    const usage = { inputTokens, outputTokens, estimated: false };
    const text = results[at - 1];
    if (text === undefined || work.final) {
      decision = applyReply(state, { text: "done", usage }, at);
      break;
    }
    const outcome = { ...confirmedOutcome({}, text, 1), content: text };
    decision = requestCalls(state, [preparedCall(state, 0, { effect: "none", outcome })], at, { usage });
    conversation.push({ role: "tool", callId: "c", name: "t", content: text });
    // What the model wrote is part of the next request; the provider above counts none of it, which only leaves more room.
    decision = wake(decision.state, `b${at}`, at);
  }
  const sum = (of: (one: Billed) => number) => billed.reduce((total, one) => total + of(one), 0);
  const largest = Math.max(0, ...billed.map(({ tokens }) => tokens));
  return {
    state: decision.state,
    tokens: sum(({ tokens }) => tokens),
    cost: sum(({ costMicros }) => costMicros),
    largest,
  };
}

function incarnationOf({ phase }: TaskState): string {
  if (phase.name !== "thinking") throw new Error(`the task is ${phase.name}`);
  return phase.incarnation;
}

const limits = fc.oneof(
  fc.integer({ min: 50, max: 60_000 }).map((maxTokens): Partial<Limits> => ({ maxTokens })),
  fc.integer({ min: 100, max: 120_000 }).map((maxCostMicros): Partial<Limits> => ({ maxCostMicros })),
  fc.record({ maxTokens: fc.integer({ min: 50, max: 60_000 }), maxCostMicros: fc.integer({ min: 100, max: 120_000 }) }),
);
const isSubtask = fc.boolean();

describe("a limit", () => {
  test("of tokens or money, of a task or a subtask, is exceeded at most by the error of the estimate, with any tool list", () => {
    let refused = 0;
    let spent = 0;
    fc.assert(
      fc.property(
        limits,
        isSubtask,
        fc.array(spec, { maxLength: 60 }),
        fc.array(result, { maxLength: 3 }),
        (change, below, tools, results) => {
          const parent = below ? { parentId: "task_00000000000000000000000009", depth: 1 } : {};
          const facts = factsOf({ limits: { ...NO_LIMITS, ...change }, models: [MODEL], ...parent });
          const { state, tokens, cost, largest } = play(facts, tools, results);
          const { maxTokens = null, maxCostMicros = null } = change;
          const most = largest * ERROR + FRAME;
          if (maxTokens !== null) expect(tokens).toBeLessThanOrEqual(maxTokens + most);
          if (maxCostMicros !== null) expect(cost).toBeLessThanOrEqual(maxCostMicros + most * PRICE.outputPerMillion);
          if (tokens === 0) {
            refused += 1;
            expect(toView(state)).toMatchObject({ status: "failed", reason: "budget_exceeded" });
            expect(state.usage).toMatchObject({ inputTokens: 0, outputTokens: 0, costMicros: 0 });
          } else spent += 1;
        },
      ),
      { numRuns: 200 },
    );
    // Both ways were taken.
    expect(Math.min(refused, spent)).toBeGreaterThan(20);
  }, 60_000);

  test("of a task ends it before the model call, when the first request alone exceeds it", () => {
    for (const change of [{ maxTokens: 2000 }, { maxTokens: 5000, parentId: null }, { maxCostMicros: 4000 }]) {
      const price = { inputPerMillion: 1, outputPerMillion: 8 };
      const facts = factsOf({ limits: { ...NO_LIMITS, ...change }, models: [{ ...MODEL, price }] });
      const world = new TaskWorld([], undefined, facts);
      world.requestTokens = 8019;
      world.run();
      expect(toView(world.state)).toMatchObject({
        status: "failed",
        reason: "budget_exceeded",
        usage: { cost_usd: 0 },
      });
      expect([world.modelCalls, world.spent]).toEqual([0, []]);
    }
  });

  test("lowers the model's output when the first request fits", () => {
    const facts = factsOf({ limits: { ...NO_LIMITS, maxTokens: 10_000 } });
    const work = wake(created(facts), "a", 0).work as Extract<Work, { kind: "think" }>;
    expect(work).toMatchObject({ maxOutputTokens: 8192, guess: { ceiling: { tokens: 10_000, costMicros: null } } });
    const tools = [{ name: "t", description: "word ".repeat(8000), parameters: {} }];
    const fit = fitRequest({ facts, ...(work.guess && { guess: work.guess }) }, { ...work, messages: [], tools });
    expect(fit?.ok === true && fit.inputTokens + fit.outputTokens).toBe(10_000);
  });
});

describe("a request that was measured", () => {
  const hop = { step: 1, attempt: 1, incarnation: "a" };
  const measured: Command = { type: "request_measured", ...hop, inputTokens: 8019, outputTokens: 4000 };

  test("is the cost of a crash before the model has written anything", () => {
    const { state } = decide(startThinking(), measured, 1);
    expect(state).toMatchObject({ contextTokens: 8019, isContextCounted: true });
    const again = wake(state, "b", 2000);
    expect(again.state.usage.inputTokens).toBe(8019);
    expect(again.work).toMatchObject({ kind: "think", attempt: 2 });
    expect(again.work).not.toHaveProperty("guess");
  });

  test("is measured once: the provider's own count sizes the later ones", () => {
    const state = applyReply(startThinking(), { text: "" }).state;
    expect(wake(state, "b", 2000).work).toHaveProperty("guess");
    const step = requestCalls(startThinking(), [preparedCall(startThinking(), 0, { effect: "none" })]).state;
    expect(step).toMatchObject({ isContextCounted: true, contextTokens: 10 });
  });

  test.each([
    ["again for a fallback with another encoding, without the guess at the tools", "gpt-4", true],
    ["once for a fallback with the same encoding", "scripted-2", false],
  ])("is measured %s", (_, fallback, isMeasured) => {
    const models = [MODEL, { ...MODEL, name: fallback }];
    const first = decide(startThinking({ models }), measured, 1).state;
    const failed = applyFailure(first, { retryable: false }, 2).state;
    const second = wake(failed, "b", 60_000);
    expect(second.work).toMatchObject({ kind: "think", model: fallback });
    expect("guess" in (second.work ?? {})).toBe(isMeasured);
    expect(second.state.phase).toMatchObject({ reserved: { inputTokens: 8019 } });
    const again: Command = {
      type: "request_measured",
      step: 1,
      attempt: 2,
      incarnation: "b",
      inputTokens: 9000,
      outputTokens: 10,
    };
    const counted = decide(second.state, again, 60_001).state;
    expect(counted).toMatchObject({ isContextCounted: true, contextTokens: 9000 });
    const step = requestCalls(counted, [preparedCall(counted, 0, { effect: "none" })], 60_002).state;
    expect(step.isContextCounted).toBe(true);
  });

  test("runs with a larger grant when the tenant has it, without an event to watchers", () => {
    const grants = [5000, 30_000];
    const world = new TaskWorld([]);
    world.requestTokens = 8019;
    const needs: number[] = [];
    world.tenantSays = ({ need }) => {
      needs.push(need.tokens);
      return { ...ADMITTED, grant: { tokens: grants.shift() ?? null, costMicros: null } } as Command;
    };
    world.run();
    expect(toView(world.state).status).toBe("completed");
    expect(needs).toEqual([expect.any(Number), 8019 + 16]);
    expect([world.modelCalls, world.spent.length]).toEqual([1, 1]);
    expect(world.events.map(({ type }) => type)).not.toContain("task.waiting");
  });

  test("ends the task with the tenant's message when the tenant has no more budget", () => {
    const world = new TaskWorld([]);
    world.requestTokens = 8019;
    world.tenantSays = ({ need }) =>
      need.tokens > 5000
        ? { type: "exhausted", message: "The tenant's budget does not cover another model call." }
        : ({ ...ADMITTED, grant: { tokens: 5000, costMicros: null } } as Command);
    world.run();
    expect(toView(world.state)).toMatchObject({ status: "failed", reason: "budget_exceeded" });
    expect([world.modelCalls, world.state.usage.inputTokens]).toEqual([0, 0]);
  });

  test("that comes late changes nothing", () => {
    const state = applyReply(startThinking(), { text: "done" }).state;
    expect(decide(state, measured, 5).state).toBe(state);
    const joined = decideBoth(decide(startThinking(), measured, 1), { type: "wake", incarnation: "a" }, 1);
    expect(joined.state.phase).toMatchObject({ name: "thinking", reserved: { inputTokens: 8019, outputTokens: 4000 } });
  });
});
