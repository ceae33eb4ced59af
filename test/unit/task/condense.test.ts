import { describe, expect, test } from "vitest";
import { confirmedOutcome } from "../../../core/task/ledger.ts";
import type { Command, PreparedCall } from "../../../core/task/commands.ts";
import type { Decision, Work } from "../../../core/task/decision.ts";
import type { TaskFacts, TaskState } from "../../../core/task/state.ts";
import { getStatus } from "../../../core/task/status.ts";
import { decide, findNextWake } from "../../../core/task/task.ts";
import { requestCalls, applyFailure, preparedCall, toView, startThinking, wake } from "./play-task.ts";
import { ADMITTED, factsOf, NO_LIMITS, type ScriptedCall, TaskWorld } from "./world.ts";

const large: ScriptedCall = { tool: "read", effect: "none", outcome: { content: "head … tail", isLarge: true } };
const OVERFLOW = {
  kind: "context_overflow",
  retryable: false,
  message: "The conversation is too long for the model.",
} as const;
const contents = (world: TaskWorld) => [...world.ledger.values()].map(({ content }) => content);
const usage = { inputTokens: 20, outputTokens: 5, estimated: false };
const UNUSED = { inputTokens: 0, outputTokens: 0, estimated: false };

/** A call that already ran in hop one. */
function done(state: TaskState, index = 0, change: Partial<PreparedCall["outcome"]> = {}): PreparedCall {
  return preparedCall(state, index, { outcome: { ...confirmedOutcome({}, "done", 1), ...change } });
}

/** A task whose model call of step `step` is under way, after as many steps of one quick call. */
function atStep(step: number, change: Partial<TaskFacts> = {}): TaskState {
  let state = startThinking(change);
  while (state.step < step) {
    const { state: ready } = requestCalls(state, [done(state)], state.step * 10);
    state = wake(ready, "a", state.step * 10).state;
  }
  return state;
}

function condensing(decision: Decision): Extract<Work, { kind: "condense" }> {
  if (decision.work?.kind !== "condense") throw new Error(`the work is ${decision.work?.kind ?? "none"}`);
  return decision.work;
}

const hopOf = ({ step, phase }: TaskState) => ({ step, incarnation: "incarnation" in phase ? phase.incarnation : "" });

/** The older steps were told in short, and the hop ended. */
function shortened(state: TaskState, through: number, now: number): Decision {
  const command: Command = {
    type: "history_condensed",
    ...hopOf(state),
    through,
    text: "in short",
    contextTokens: 700,
    usage,
  };
  const resumed = decide(state, command, now);
  expect(resumed.compaction).toEqual({ through, text: "in short" });
  expect(resumed.spent).toMatchObject([{ purpose: "history", inputTokens: 20, outputTokens: 5, estimated: false }]);
  return decide(resumed.state, { type: "runner_call_ended", ...hopOf(resumed.state) }, now);
}

describe("a result too long to read", () => {
  test("is summarised before the next step, for what the summary cost", () => {
    const world = new TaskWorld([[large, { ...large, outcome: { content: "short" } }, large]]);
    world.run();
    expect(contents(world)).toEqual([
      expect.stringContaining("summary of"),
      "short",
      expect.stringContaining("summary of"),
    ]);
    expect(world.spent.filter(({ purpose }) => purpose === "summary")).toMatchObject([
      { inputTokens: 20, outputTokens: 5, estimated: false, step: 1, model: "scripted" },
      { inputTokens: 20, outputTokens: 5, estimated: false, step: 1, model: "scripted" },
    ]);
    expect(getStatus(world.state)).toBe("completed");
    expect(world.modelCalls).toBe(2);
  });

  test("retains its head and tail when a crash interrupts it, and its reservation is spent", () => {
    // The third point after both effects: leave (1), hop one (2, 3), four around the calls, then the hop that shortens.
    const points = new Set([9]);
    let point = 0;
    const chance = () => {
      point += 1;
      return points.has(point) ? 0 : 1;
    };
    const world = new TaskWorld([[large, large]], { chance, crashRate: 0.5 });
    world.run();
    expect(world.crashes).toBe(1);
    expect(contents(world)).toEqual([expect.stringContaining("summary of"), "head … tail"]);
    expect(world.spent.filter(({ purpose }) => purpose === "summary")).toMatchObject([
      { inputTokens: 20, outputTokens: 5, estimated: false },
      { inputTokens: 6000, outputTokens: 700, estimated: true },
    ]);
    expect(getStatus(world.state)).toBe("completed");
  });

  test("retains messages that arrive before it", () => {
    const call = done(startThinking(), 0, { isLarge: true });
    const { state } = requestCalls(startThinking(), [call]);
    const noted = { ...state, batch: state.batch.map((one) => ({ ...one, note: "A person changed this." })) };
    const started = wake(noted, "a", 2);
    expect(condensing(started).results).toEqual([call.id]);
    const resumed = decide(
      started.state,
      { type: "result_condensed", ...hopOf(started.state), callId: call.id, content: "in short", usage },
      3,
    );
    expect(resumed.ledger).toEqual([{ kind: "content", callId: call.id, content: "A person changed this.\nin short" }]);
    const twice = decide(
      resumed.state,
      { type: "result_condensed", ...hopOf(resumed.state), callId: call.id, content: "again", usage },
      4,
    );
    expect(twice.state).toBe(resumed.state);
  });

  test("without a line when the runner call was cut off costs its reservation; one with a line does not", () => {
    const calls = [0, 1, 2].map((index) => done(startThinking(), index, { isLarge: true, content: "head … tail" }));
    const started = wake(requestCalls(startThinking(), calls).state, "a", 2);
    const line = { type: "result_condensed", ...hopOf(started.state) } as const;
    const [first = "", second = ""] = condensing(started).results;
    const resumed = decide(started.state, { ...line, callId: first, content: "in short", usage }, 3);
    expect(resumed.spent).toMatchObject([{ purpose: "summary", callId: first, inputTokens: 20 }]);
    const refused = decide(resumed.state, { ...line, callId: second, content: null, usage: UNUSED }, 4);
    expect(refused.ledger).toEqual([]);
    expect(refused.spent).toEqual([]);
    const ended = decide(refused.state, { type: "runner_call_ended", ...hopOf(refused.state) }, 5);
    expect(ended.spent).toMatchObject([{ purpose: "summary", inputTokens: 6000, outputTokens: 700, estimated: true }]);
    expect(ended.state.phase.name).toBe("ready");
    expect(ended.state.batch.every(({ toSummarise }) => !toSummarise)).toBe(true);
    expect(wake(ended.state, "b", 6).spent).toEqual([]);
  });

  test("costs nothing when every one of them was refused by the model", () => {
    const started = wake(requestCalls(startThinking(), [done(startThinking(), 0, { isLarge: true })]).state, "a", 2);
    const [callId = ""] = condensing(started).results;
    const line = { type: "result_condensed", ...hopOf(started.state), callId, content: null, usage: UNUSED } as const;
    const resumed = decide(started.state, line, 3);
    const ended = decide(resumed.state, { type: "runner_call_ended", ...hopOf(resumed.state) }, 4);
    expect([...resumed.spent, ...ended.spent]).toEqual([]);
    expect(ended.state.usage).toEqual(started.state.usage);
  });

  test("stays as it is when the task's limits, or its grant, are too small for a summary", () => {
    for (const [limits, permit] of [
      [{ ...NO_LIMITS, maxTokens: 7000 }, ADMITTED],
      [NO_LIMITS, { ...ADMITTED, grant: { tokens: 4000, costMicros: null } } as Command],
    ] as const) {
      const { state } = requestCalls(startThinking({ limits }), [done(startThinking(), 0, { isLarge: true })]);
      const next = wake(state, "a", 3000, permit);
      expect(next.work).toMatchObject({ kind: "think", step: 2 });
      expect(next.spent).toEqual([]);
    }
  });
});

describe("a conversation that fills the model's window", () => {
  const models = [{ name: "small", price: null, windowTokens: 4000 }];

  /** A task after its third step, whose request held so many tokens. */
  function thirdStep(inputTokens: number): TaskState {
    const third = atStep(3, { models });
    return requestCalls(third, [done(third)], 50, { usage: { inputTokens, outputTokens: 10, estimated: false } }).state;
  }

  test("is shortened before the next step, but for its last two steps", () => {
    const started = wake(thirdStep(3300), "a", 51);
    expect(condensing(started)).toMatchObject({ history: 1, withModel: true, results: [], model: "small", step: 3 });
    const after = shortened(started.state, 1, 60);
    expect(after.state).toMatchObject({ compactedThrough: 1, contextTokens: 700, phase: { name: "ready" } });
    expect(after.spent).toEqual([]);
    expect(wake(after.state, "a", 61).work).toMatchObject({ kind: "think", step: 4 });
  });

  test("is not shortened below the share of the window that counts as full, nor twice for the same steps", () => {
    expect(wake(thirdStep(2960), "a", 51).work?.kind).toBe("think");
    expect(wake(thirdStep(3000), "a", 51).work?.kind).toBe("condense");
    expect(wake({ ...thirdStep(3300), compactedThrough: 1 }, "a", 51).work?.kind).toBe("think");
  });

  test("is shortened by rule when a crash cut the model off, or when there is no budget for one", () => {
    const third = thirdStep(3300);
    const started = wake(third, "a", 51);
    const again = wake(started.state, "b", 5000);
    expect(condensing(again)).toMatchObject({ history: 1, withModel: false });
    expect(again.spent).toMatchObject([{ purpose: "history", estimated: true, inputTokens: 6000, outputTokens: 1024 }]);
    const poor = { ...third, facts: factsOf({ models, limits: { ...NO_LIMITS, maxTokens: 12_000 } }) };
    expect(condensing(wake(poor, "a", 51))).toMatchObject({ history: 1, withModel: false });
  });

  test("costs its last checkpoint and 1,024 tokens more when a crash cuts the model off, and what a release before stored, all", () => {
    const started = wake(thirdStep(3300), "a", 51).state;
    const progressed = (state: TaskState, outputTokens: number) =>
      decide(state, { type: "history_progressed", ...hopOf(state), outputTokens }, 60).state;
    const costOf = (state: TaskState) => wake(state, "b", 5000).spent.map(({ outputTokens }) => outputTokens);
    expect(costOf(progressed(started, 1100))).toEqual([2124]);
    expect(costOf(progressed(progressed(started, 1100), 500))).toEqual([2124]);
    expect(costOf(progressed(started, 2100))).toEqual([2500]);
    if (started.phase.name !== "condensing") throw new Error("it shortens");
    const { written: _, ...before } = started.phase;
    expect(costOf({ ...started, phase: before })).toEqual([2500]);
  });

  test("is retried a second later when the runner call returned nothing", () => {
    const started = wake(thirdStep(3300), "a", 51).state;
    const ended = decide(started, { type: "runner_call_ended", ...hopOf(started) }, 5000);
    expect(ended.state.phase.name).toBe("condensing");
    expect(findNextWake(ended.state, 5000)).toBe(6000);
    expect(condensing(wake(ended.state, "a", 6000))).toMatchObject({ withModel: false, history: 1 });
  });
});

describe("a request that does not fit the model's window", () => {
  test("is sent again after more and more of the conversation was shortened, until nothing is left", () => {
    let state = atStep(4);
    const shortenedThrough: number[] = [];
    for (let now = 1000, attempt = 1; state.phase.name === "thinking"; now += 1000, attempt += 1) {
      expect(state.phase).toMatchObject({ attempt });
      const overflown = applyFailure(state, OVERFLOW, now);
      if (overflown.work === null) {
        state = overflown.state;
        break;
      }
      const { history, step } = condensing(overflown);
      expect(step).toBe(4);
      shortenedThrough.push(history ?? 0);
      const after = shortened(overflown.state, history ?? 0, now + 1);
      expect(after.state.phase).toMatchObject({ name: "backing_off", until: now + 1 });
      state = wake(after.state, "a", now + 1).state;
      expect(state.step).toBe(4);
    }
    expect(shortenedThrough).toEqual([1, 2, 3]);
    expect(toView(state)).toMatchObject({
      status: "failed",
      reason: "model_unavailable",
      error: { message: OVERFLOW.message },
    });
  });

  test("ends the task when there was no step before it", () => {
    expect(toView(applyFailure(startThinking(), OVERFLOW).state)).toMatchObject({
      status: "failed",
      error: { message: OVERFLOW.message },
    });
  });

  test("goes to a fallback when nothing is left to shorten", () => {
    const models = ["small", "big"].map((name, at) => ({ name, price: null, windowTokens: 9000 * (at + 1) }));
    const failed = applyFailure(startThinking({ models }), OVERFLOW);
    expect(wake(failed.state, "a", 1).work).toMatchObject({ kind: "think", model: "big", attempt: 2 });
  });

  test("teaches the task how much the window holds", () => {
    const { state } = applyFailure(atStep(4), OVERFLOW, 1000);
    expect(state.windowTokens).toBe(Math.floor(atStep(4).contextTokens * 0.9));
  });

  test("continues after a crash, compacted by rule", () => {
    const started = applyFailure(atStep(4), OVERFLOW, 1000).state;
    const again = wake(started, "b", 5000);
    expect(condensing(again)).toMatchObject({ history: 1, withModel: false, step: 4 });
    const after = shortened(again.state, 1, 5001);
    expect(wake(after.state, "b", 5001).work).toMatchObject({ kind: "think", step: 4, attempt: 2 });
  });

  test("accepts no message while the last answer is requested again", () => {
    const final = { ...atStep(4), facts: factsOf({ limits: { ...NO_LIMITS, maxSteps: 3 } }) };
    const last = { ...final, phase: final.phase.name === "thinking" ? { ...final.phase, final: true } : final.phase };
    const started = applyFailure(last, OVERFLOW, 1000).state;
    expect(started.phase).toMatchObject({ name: "condensing", retry: { final: true } });
    expect(decide(started, { type: "message", text: "one more", request: null }, 1001).refused?.code).toBe("conflict");
  });
});
