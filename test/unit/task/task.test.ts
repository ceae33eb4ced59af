import { describe, expect, test } from "vitest";
import { getStatus } from "../../../core/task/status.ts";
import { createTask, decide, findNextWake } from "../../../core/task/task.ts";
import type { Command } from "../../../core/task/commands.ts";
import { created, applyFailure, applyReply, toView, startThinking, wake } from "./play-task.ts";
import { answer, ASK, call, factsOf, NO_LIMITS, type Script, SLEEP, TaskWorld } from "./world.ts";
import { PRINCIPAL } from "../../../core/provenance/label.ts";

const types = (world: TaskWorld) => world.events.map((event) => event.type);
const questionOf = (world: TaskWorld) =>
  toView(world.state).pending.find((entry) => entry.kind === "question")?.id ?? "";

describe("a task without trouble", () => {
  test("runs its steps, then answers", () => {
    const world = new TaskWorld([[call()], [call("keyed"), call("once")]]);
    world.run();
    expect(toView(world.state)).toMatchObject({
      status: "completed",
      reason: null,
      output: { text: "done", files: [] },
    });
    expect(world.state.usage).toMatchObject({ steps: 3, toolCalls: 3, inputTokens: 30, outputTokens: 15 });
    expect(world.modelCalls).toBe(3);
    expect(types(world).slice(0, 4)).toEqual(["task.created", "task.started", "step.started", "message.completed"]);
    expect(types(world).at(-1)).toBe("task.completed");
    expect(world.alarm).toBeNull();
  });

  test("stays queued while it is held, and starts once", () => {
    const { state } = createTask({ facts: factsOf(), hold: true, call: null }, 5);
    expect(getStatus(state)).toBe("queued");
    expect(findNextWake(state, 5)).toBeNull();
    const started = decide(state, { type: "start", request: null }, 6);
    expect(findNextWake(started.state, 6)).toBe(6);
    expect(decide(started.state, { type: "start", request: null }, 7).refused?.code).toBe("conflict");
  });

  test("gets one last call without tools at the limit of steps, which is not counted", () => {
    const forever: Script = Array.from({ length: 50 }, () => [call()]);
    const world = new TaskWorld(forever);
    world.run();
    expect(toView(world.state)).toMatchObject({
      status: "completed",
      reason: "iteration_limit",
      output: { text: "done" },
    });
    expect(world.state.usage.steps).toBe(10);
    expect(world.modelCalls).toBe(11);
  });

  test("reads a message at its next step", () => {
    const world = new TaskWorld([[call("none", SLEEP)]]);
    world.run(0);
    world.apply({ type: "message", text: "and in Portuguese", request: null });
    const next = wake(world.state, "x", 60_001);
    expect(next.messages).toEqual([
      { step: 2, message: { role: "user", content: "and in Portuguese", label: PRINCIPAL } },
    ]);
  });

  test("takes no more messages than fit its row until it has read them", () => {
    const world = new TaskWorld([[call("none", SLEEP)]]);
    world.run(0);
    const send = () => world.apply({ type: "message", text: "x".repeat(16_000), request: null }).refused?.code ?? "ok";
    expect(Array.from({ length: 7 }, send)).toEqual([...Array.from({ length: 6 }, () => "ok"), "conflict"]);
    world.run();
    expect(getStatus(world.state)).toBe("completed");
  });

  test("refuses a message that no step would read any more", () => {
    const world = new TaskWorld([], undefined, factsOf({ limits: { ...NO_LIMITS, maxSteps: 1 } }));
    const final = { ...world.state, usage: { ...world.state.usage, steps: 1 } };
    const last = wake(final, "a", 0);
    expect(last.work).toMatchObject({ final: true });
    const messaged = decide(last.state, { type: "message", text: "one more thing", request: null }, 1);
    expect(messaged.refused).toMatchObject({ code: "conflict", message: expect.stringContaining("no steps left") });
  });

  test("takes another step for a message that came while the model gave its answer", () => {
    const messaged = decide(startThinking(), { type: "message", text: "wait, in Portuguese", request: null }, 1).state;
    const answered = applyReply(messaged, { text: "done" }, 2).state;
    expect(getStatus(answered)).toBe("running");
    expect(wake(answered, "a", 2).work).toMatchObject({ kind: "think", step: 2 });
  });
});

describe("a question", () => {
  test("parks the task without an alarm, and its answer resumes it once", () => {
    const world = new TaskWorld([[call("none", ASK)]]);
    world.run();
    expect(toView(world.state)).toMatchObject({
      status: "waiting_input",
      pending: [{ kind: "question", query: "Which city?", person: "Ana" }],
    });
    expect(world.alarm).toBeNull();
    const id = questionOf(world);
    expect(world.apply(answer(id)).refused).toBeNull();
    expect(world.apply(answer(id, "Porto")).refused).toMatchObject({
      code: "conflict",
      message: expect.stringContaining("ana"),
    });
    world.run();
    expect(getStatus(world.state)).toBe("completed");
    expect(world.ledger.values().next().value?.content).toBe("Lisbon");
    expect(types(world).filter((type) => type === "task.resumed")).toHaveLength(1);
  });

  test("expires with its default, after which an answer is gone", () => {
    const world = new TaskWorld([[call("none", { ...ASK, deadlineSeconds: 30, defaultAnswer: "Porto" })]]);
    world.run(0);
    expect(world.alarm).toBe(30_001);
    const id = questionOf(world);
    world.run();
    expect(world.apply(answer(id)).refused?.code).toBe("gone");
    expect(world.ledger.values().next().value?.content).toContain("Porto");
    expect(world.events.find(({ type }) => type === "question.expired")?.data).toMatchObject({ answer: "Porto" });
  });

  test("refuses a choice that was not offered, naming those that were", () => {
    const world = new TaskWorld([[call("none", { ...ASK, choices: ["yes", "no"] })]]);
    world.run();
    const refused = world.apply({
      type: "answer",
      question: questionOf(world),
      answer: "maybe",
      isChoice: true,
      by: "ana",
      request: null,
    }).refused;
    expect(refused).toMatchObject({
      code: "invalid_input",
      field: "choice",
      message: expect.stringContaining("yes, no"),
    });
  });

  test("of a cancelled task is gone, and one that never was is not found", () => {
    const world = new TaskWorld([[call("none", ASK)]]);
    world.run();
    const id = questionOf(world);
    world.apply({ type: "cancel", by: "ana" });
    expect(toView(world.state)).toMatchObject({ status: "cancelled", pending: [] });
    expect(world.apply(answer(id)).refused?.code).toBe("gone");
    expect(world.apply(answer("qst_other")).refused?.code).toBe("not_found");
  });
});

describe("a batch of several kinds", () => {
  test("has the first status that applies, and resumes when all have settled", () => {
    const world = new TaskWorld([[call("none", SLEEP), call("once"), call("none", ASK)]]);
    world.run(10);
    expect(getStatus(world.state)).toBe("waiting_input");
    expect(world.apply(answer(questionOf(world))).refused).toBeNull();
    expect(getStatus(world.state)).toBe("sleeping");
    world.run();
    expect(getStatus(world.state)).toBe("completed");
    expect([...world.effects.values()]).toEqual([1]);
  });

  test("never wakes a sleeper early", () => {
    const world = new TaskWorld([[call("none", SLEEP)]]);
    world.run(59_999);
    expect(getStatus(world.state)).toBe("sleeping");
    expect(decide(world.state, { type: "wake", incarnation: "x" }, 59_999).state).toEqual(world.state);
    world.run();
    expect(getStatus(world.state)).toBe("completed");
    expect(world.now).toBeGreaterThanOrEqual(60_000);
  });
});

describe("a runner call that was cut off", () => {
  test("is left alone while its own object lives", () => {
    expect(decide(startThinking(), { type: "wake", incarnation: "a" }, 5000).work).toBeNull();
  });

  test("is repeated by another incarnation, under a new attempt, and settled by its checkpoint", () => {
    const again = wake(startThinking(), "b", 5000);
    expect(again.work).toMatchObject({ kind: "think", attempt: 2 });
    expect(again.state.usage.outputTokens).toBeGreaterThan(0);
    expect(again.state.usage.estimated).toBe(true);
  });

  test("is settled by its checkpoint too when its task ends", () => {
    const { state, spent } = decide(startThinking(), { type: "cancel", by: "ana" }, 500);
    expect(getStatus(state)).toBe("cancelled");
    expect(state.usage).toMatchObject({ outputTokens: 1024, estimated: true });
    expect(spent).toMatchObject([{ purpose: "step", outputTokens: 1024, estimated: true }]);
  });

  test("loses quietly when its answer comes late", () => {
    const again = wake(startThinking(), "b", 5000).state;
    const usage = { inputTokens: 1, outputTokens: 1, estimated: false };
    const late: Command = {
      type: "model_replied",
      step: 1,
      attempt: 1,
      incarnation: "a",
      reply: { text: "late", calls: [], requested: [], usage, finish: "stop" },
    };
    expect(decide(again, late, 5001).state).toBe(again);
  });
});

describe("a model that fails", () => {
  test("is tried again after its Retry-After, durably", () => {
    const failed = applyFailure(startThinking(), { kind: "rate_limited", retryAfterMs: 7000 }, 0);
    expect(getStatus(failed.state)).toBe("sleeping");
    expect(findNextWake(failed.state, 0)).toBe(7000);
    expect(wake(failed.state, "b", 6999).work).toBeNull();
    expect(wake(failed.state, "b", 7000).work).toMatchObject({ kind: "think", attempt: 2, step: 1 });
  });

  test("ends the task at once when no other try can help", () => {
    const failed = applyFailure(startThinking(), { kind: "refused", retryable: false, message: "slow down" }, 0);
    expect(toView(failed.state)).toMatchObject({
      status: "failed",
      reason: "model_unavailable",
      error: { message: "slow down" },
    });
  });
});

describe("a budget", () => {
  test("of tokens ends the task before a call that it does not cover", () => {
    const facts = factsOf({ limits: { ...NO_LIMITS, maxTokens: 100 } });
    const world = new TaskWorld([[call()]], undefined, facts);
    world.requestTokens = 85;
    world.run();
    expect(toView(world.state)).toMatchObject({
      status: "failed",
      reason: "budget_exceeded",
      error: { code: "budget_exceeded" },
      usage: { input_tokens: 0, output_tokens: 0 },
    });
    expect(world.modelCalls).toBe(0);
  });

  test("of money limits what a call may write", () => {
    const price = { inputPerMillion: 0, outputPerMillion: 10 };
    const task = created({
      models: [{ name: "scripted", price, windowTokens: 128_000 }],
      limits: { ...NO_LIMITS, maxCostMicros: 1000 },
    });
    const { work } = wake(task, "a", 0);
    expect(work).toMatchObject({ kind: "think", maxOutputTokens: 100 });
  });

  test("of time does not count what a person takes", () => {
    const facts = factsOf({ limits: { ...NO_LIMITS, maxDurationMs: 10_000 } });
    const world = new TaskWorld([[call("none", ASK)], [call("none", SLEEP)]], undefined, facts);
    world.run();
    world.now = 3_600_000;
    expect(world.apply(answer(questionOf(world))).refused).toBeNull();
    expect(getStatus(world.state)).toBe("running");
    world.run();
    expect(toView(world.state)).toMatchObject({ status: "failed", reason: "budget_exceeded" });
    expect(world.now).toBe(3_609_999);
  });

  test("warns once at 80 %", () => {
    const facts = factsOf({ limits: { ...NO_LIMITS, maxDurationMs: 61_000 } });
    const world = new TaskWorld([[call("none", SLEEP)], [call()], [call()]], undefined, facts);
    world.run();
    const warnings = world.events.filter(({ type }) => type === "budget.warning");
    expect(warnings.map(({ data }) => data)).toEqual([
      { account: "task", kind: "duration", used: expect.closeTo(60, 0), limit: 61 },
    ]);
  });
});
