import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TOOL_LIST_TOKENS } from "../../../core/task/budget.ts";
import { confirmedOutcome } from "../../../core/task/ledger.ts";
import type { Command } from "../../../core/task/commands.ts";
import type { Work } from "../../../core/task/decision.ts";
import type { TaskState } from "../../../core/task/state.ts";
import { getStatus } from "../../../core/task/status.ts";
import { createTask, decide, findNextWake } from "../../../core/task/task.ts";
import { anyCommand } from "./any-command.ts";
import {
  requestCalls,
  created,
  drawsFrom,
  applyFailure,
  preparedCall,
  applyReply,
  toView,
  startThinking,
  wake,
} from "./play-task.ts";
import { ADMITTED, ASK, call, factsOf, NO_LIMITS, SLEEP, TaskWorld } from "./world.ts";

type Enter = Extract<Work, { kind: "enter" }>;

const wakeOnly = (state: TaskState, incarnation: string, now: number) =>
  decide(state, { type: "wake", incarnation }, now);
const turnedAway = (why: "queue" | "stopped" | "budget", askAgainAfterMs = 5000): Command => ({
  type: "turned_away",
  why,
  message: why === "queue" ? null : "Ask again later.",
  askAgainAfterMs,
});
const granted = (tokens: number, costMicros: number | null = null): Command =>
  ({ ...ADMITTED, grant: { tokens, costMicros } }) as Command;

/** What a task asks its tenant for when it is woken. */
function entering(state: TaskState, now: number): Enter {
  const { work } = wakeOnly(state, "asks", now);
  if (work?.kind !== "enter") throw new Error(`the task has the work ${work?.kind ?? "null"}`);
  return work;
}

/** A state whose tokens were counted from a small request, so that sums are easy to see. */
function afterStep(): TaskState {
  const { state } = requestCalls(startThinking(), [
    preparedCall(startThinking(), 0, {
      outcome: { state: "confirmed", result: { ok: true, result: 1 }, content: "", control: null, durationMs: 1 },
    }),
  ]);
  expect(state.phase.name).toBe("ready");
  return state;
}

describe("no runner call begins", () => {
  test("without a valid permit, for any commands in any order", () => {
    const started = new Set<string>();
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const draw = drawsFrom(seed);
        let { state } = createTask({ facts: factsOf(), hold: false, call: null }, 0);
        let now = 0;
        for (let i = 0; i < 150; i += 1) {
          now += draw() < 0.2 ? Math.floor(draw() * 5000) : 1;
          const before = state;
          const command = anyCommand(before, draw);
          const decision = decide(before, command, now);
          state = decision.state;
          const { work } = decision;
          if (state.turnedAway !== null && state.permit !== null)
            throw new Error("a task that was turned away kept its leave");
          if (work === null || work.kind === "enter" || work.kind === "cancel") continue;
          started.add(work.kind);
          const permit = before.permit;
          // What follows in one decision on a reply is of the same step, which was let in.
          if (permit === null || before.turnedAway !== null || (command.type === "wake" && permit.until <= now)) {
            throw new Error(`${work.kind} began on ${command.type} in ${before.phase.name} without leave`);
          }
          if (work.kind === "think" && permit.grant.tokens !== null && state.phase.name === "thinking") {
            const { inputTokens, outputTokens } = state.phase.reserved;
            const used = state.usage.inputTokens + state.usage.outputTokens;
            expect(used + inputTokens + outputTokens).toBeLessThanOrEqual(permit.grant.tokens);
          }
        }
      }),
      { numRuns: 300 },
    );
    expect([...started].sort()).toEqual(["act", "condense", "dispatch", "think"]);
  });

  test("before a permit was requested, and one begins at once after it is granted", () => {
    const first = wakeOnly(created(), "a", 0);
    expect(first.work).toMatchObject({ kind: "enter", used: { tokens: 0, costMicros: 0 } });
    expect(first.state.phase.name).toBe("ready");
    expect(wake(created(), "a", 0).work).toMatchObject({ kind: "think", step: 1 });
  });

  test("under a permit that expired after the step before", () => {
    const ready = afterStep();
    expect(ready.permit).not.toBeNull();
    expect(wakeOnly(ready, "a", 1999).work?.kind).toBe("think");
    expect(wakeOnly(ready, "a", 2000).work?.kind).toBe("enter");
  });
});

describe("a task that is refused a permit", () => {
  test("asks again when it is due, and when it is called", () => {
    const away = decide(created(), turnedAway("queue"), 100).state;
    expect(findNextWake(away, 100)).toBe(5100);
    expect(wakeOnly(away, "a", 5099)).toMatchObject({ work: null, state: away });
    expect(wakeOnly(away, "a", 5100).work?.kind).toBe("enter");
    const called = decide(away, { type: "called" }, 200).state;
    expect(findNextWake(called, 200)).toBe(200);
    expect(wakeOnly(called, "a", 200).work?.kind).toBe("enter");
  });

  test("is queued before its start; later it is running in the queue, and sleeping for budget or a release", () => {
    expect(getStatus(decide(created(), turnedAway("budget"), 1).state)).toBe("queued");
    expect(getStatus(decide(afterStep(), turnedAway("queue"), 3000).state)).toBe("running");
    const { state, events } = decide(afterStep(), turnedAway("stopped"), 3000);
    expect(getStatus(state)).toBe("sleeping");
    expect(events.find(({ type }) => type === "task.waiting")?.data).toMatchObject({
      error: { message: "Ask again later." },
    });
  });

  test("spends none of its time", () => {
    const facts = factsOf({ limits: { ...NO_LIMITS, maxDurationMs: 10_000 } });
    const world = new TaskWorld([[call()], [call()]], undefined, facts);
    let refusals = 5;
    world.tenantSays = () => {
      refusals -= 1;
      return world.modelCalls === 1 && refusals >= 0 ? turnedAway("stopped", 3_600_000) : ADMITTED;
    };
    world.usageOf = () => {
      world.now += 3000;
      return { inputTokens: 1, outputTokens: 1, estimated: false };
    };
    world.run();
    expect(refusals).toBeLessThan(0);
    expect(getStatus(world.state)).toBe("completed");
    expect(world.now).toBeGreaterThan(3_600_000);
    expect(world.state.clock.activeMs).toBeLessThan(10_000);
  });
});

describe("a halt", () => {
  const halt: Command = { type: "halt", message: "Stopped by ana." };

  test("cuts off the current model call, which counts as its reservation, and its reply is void", () => {
    const halted = decide(startThinking(), halt, 500).state;
    expect(getStatus(halted)).toBe("sleeping");
    expect(halted.usage).toMatchObject({ outputTokens: 1024, estimated: true });
    const reply: Command = {
      type: "model_replied",
      step: 1,
      attempt: 1,
      incarnation: "a",
      reply: {
        text: "done",
        calls: [],
        requested: [],
        usage: { inputTokens: 1, outputTokens: 1, estimated: false },
        finish: "stop",
      },
    };
    expect(decide(halted, reply, 600).state).toBe(halted);
    const again = wake(decide(halted, { type: "called" }, 9000).state, "a", 9000);
    expect(again.work).toMatchObject({ kind: "think", attempt: 2 });
    expect(again.state.usage.outputTokens).toBe(1024);
  });

  test("cuts off calls as a crash does, each by its effect class", () => {
    const calls = (["none", "once"] as const).map((effect, index) => preparedCall(startThinking(), index, { effect }));
    const acting = requestCalls(startThinking(), calls).state;
    const halted = decide(acting, halt, 500).state;
    const late: Command = {
      type: "call_settled",
      step: 1,
      incarnation: "a",
      callId: calls[0]?.id ?? "",
      outcome: confirmedOutcome(1, "late", 1),
    };
    expect(decide(halted, late, 600).state).toBe(halted);
    expect(decide(acting, late, 600).state).not.toBe(acting);
    const resumed = wake(decide(halted, { type: "called" }, 9000).state, "b", 9000);
    expect(resumed.work).toMatchObject({ kind: "act", calls: [{ callId: calls[0]?.id, mode: "run", attempt: 2 }] });
    expect(resumed.ledger.find(({ kind }) => kind === "settle")).toMatchObject({
      callId: calls[1]?.id,
      state: "unknown",
    });
  });

  test("voids a permit that was granted before it and arrives after", () => {
    const halted = decide(wakeOnly(created(), "a", 0).state, halt, 1).state;
    expect(decide(halted, ADMITTED, 2).state).toBe(halted);
    expect(wakeOnly(halted, "a", 3).work).toBeNull();
    const asks = findNextWake(halted, 3) ?? 0;
    expect(wake(halted, "a", asks).work?.kind).toBe("think");
  });

  test("does nothing to a task that waits for a person, which requests a permit when it resumes", () => {
    const world = new TaskWorld([[call("none", ASK)]]);
    world.run();
    expect(decide(world.state, halt, 9).state).toBe(world.state);
    expect(world.state.permit).toBeNull();
  });

  test("does not stop the clock of a task that begins to wait while stopped", () => {
    const world = new TaskWorld(
      [
        [
          {
            tool: "dispatch_subagent",
            effect: "none",
            control: { kind: "dispatch", maxSteps: 1, tokenBudget: null, tools: null },
          },
        ],
      ],
      undefined,
      factsOf({ limits: { ...NO_LIMITS, maxDurationMs: 60_000 } }),
    );
    world.afterMade = () => world.apply(halt);
    world.run(100);
    expect(world.state).toMatchObject({ phase: { name: "parked" }, turnedAway: null });
    expect(world.state.clock.since).not.toBeNull();
    expect(world.alarm).not.toBeNull();
  });
});

describe("a permit", () => {
  test("is returned when the task waits, backs off, or ends", () => {
    const asleep = new TaskWorld([[call("none", SLEEP)]]);
    asleep.run(10);
    expect(asleep.state).toMatchObject({ phase: { name: "parked" }, permit: null });
    expect(applyFailure(startThinking(), {}).state).toMatchObject({ phase: { name: "backing_off" }, permit: null });
    expect(applyReply(startThinking(), { text: "done" }).state).toMatchObject({
      phase: { name: "ended" },
      permit: null,
    });
    expect(decide(startThinking(), { type: "cancel", by: "x" }, 1).state.permit).toBeNull();
  });

  test("is requested once for the next attempt after a back-off", () => {
    const failed = applyFailure(startThinking(), {}, 0).state;
    const at = findNextWake(failed, 0) ?? 0;
    const admitted = decide(wakeOnly(failed, "b", at).state, ADMITTED, at).state;
    expect(wakeOnly(admitted, "b", at).work).toMatchObject({ kind: "think", attempt: 2 });
  });

  test("bounds the output of the next model call", () => {
    const ready = afterStep();
    const used = 10;
    // What the provider counted, and the frame of the tool's message.
    expect(ready.contextTokens).toBe(14);
    expect(entering(ready, 3000)).toEqual({
      kind: "enter",
      used: { tokens: used, costMicros: 0 },
      need: { tokens: 30, costMicros: 0 },
      want: { tokens: 8206, costMicros: 0 },
      isPriced: false,
    });
    expect(wake(ready, "b", 3000, granted(used + 114)).work).toMatchObject({ kind: "think", maxOutputTokens: 100 });
  });

  test("is requested again when the grant does not cover the largest next call", () => {
    const ready = { ...afterStep(), permit: { until: 9000, grant: { tokens: 8215, costMicros: null }, isNew: false } };
    expect(wakeOnly(ready, "b", 3000).work?.kind).toBe("enter");
    const covered = { ...ready, permit: { ...ready.permit, grant: { tokens: 8216, costMicros: null } } };
    expect(wakeOnly(covered, "b", 3000).work?.kind).toBe("think");
  });

  test("is requested with the cost of an interrupted call, so a small grant never ends the task", () => {
    const tight = wake(created(), "a", 0, granted(9_000)).state;
    const { contextTokens } = tight;
    const want = contextTokens + TOOL_LIST_TOKENS + 8192;
    // The tools are a guess, and nothing above the grant is reserved for them; of the output, nothing had come.
    const used = 9_000 - 8192 + 1024;
    expect(entering(tight, 1500)).toMatchObject({ used: { tokens: used }, want: { tokens: want } });
    const again = wake(tight, "b", 1500, granted(used + contextTokens + 100));
    expect(again.work).toMatchObject({ kind: "think", attempt: 2, maxOutputTokens: 100 });
    expect(again.spent).toHaveLength(1);
  });

  test("is requested with the messages that the next request contains", () => {
    const messaged = decide(afterStep(), { type: "message", text: "a word ".repeat(3000), request: null }, 1).state;
    const { need } = entering(messaged, 3000);
    expect(need.tokens).toBeGreaterThan(2000);
    expect(wake(messaged, "b", 3000, granted(10 + need.tokens)).work).toMatchObject({
      kind: "think",
      maxOutputTokens: 16,
    });
  });

  test("is requested at the price of the next model", () => {
    const dear = { inputPerMillion: 0, outputPerMillion: 10 };
    const cheap = { inputPerMillion: 0, outputPerMillion: 1 };
    const models = [dear, cheap].map((price, at) => ({ name: `m${at}`, price, windowTokens: 128_000 }));
    const ready = { ...afterStep(), facts: factsOf({ models }), model: { index: 1, since: 0 } };
    expect(entering(ready, 299_999).want.costMicros).toBe(8192);
    expect(entering(ready, 300_000).want.costMicros).toBe(81_920);
    expect(
      wake(ready, "b", 300_000, { ...ADMITTED, grant: { tokens: null, costMicros: 1000 } } as Command).work,
    ).toMatchObject({ kind: "think", model: "m0", maxOutputTokens: 100 });
  });

  test("is refused when a budget above is used up, and the task ends with the tenant's message", () => {
    const world = new TaskWorld([[call()], [call()]]);
    world.tenantSays = () =>
      world.modelCalls === 0
        ? ({ ...ADMITTED, forMs: 0.5 } as Command)
        : { type: "exhausted", message: "The tenant's budget is used up." };
    world.run();
    expect(toView(world.state)).toMatchObject({
      status: "failed",
      reason: "budget_exceeded",
      error: { message: "The tenant's budget is used up." },
    });
    expect(world.modelCalls).toBe(1);
    expect([...world.ledger.values()].map(({ state }) => state)).toEqual(["confirmed"]);
  });

  test("is refused under a model call too, which counts as its reservation", () => {
    const { state } = decide(startThinking(), { type: "exhausted", message: "used up" }, 5);
    expect(state).toMatchObject({ phase: { status: "failed" }, usage: { outputTokens: 1024, estimated: true } });
  });

  test("warns of a limit above the task once, in dollars", () => {
    const near = [{ account: "tenant", kind: "cost" as const, used: 850_000, limit: 1_000_000 }];
    const first = decide(created(), { ...ADMITTED, near } as Command, 1);
    expect(first.events).toEqual([
      { type: "budget.warning", data: { account: "tenant", kind: "cost", used: 0.85, limit: 1 } },
    ]);
    expect(decide(first.state, { ...ADMITTED, near } as Command, 2).events).toEqual([]);
  });
});
