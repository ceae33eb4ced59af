import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DEFAULT_AGENT } from "../../../core/agents/agent.ts";
import { getStatus } from "../../../core/task/status.ts";
import { createTask, decide, decideBoth } from "../../../core/task/task.ts";
import { anyCommand } from "./any-command.ts";
import { requestCalls, drawsFrom, preparedCall, applyReply, startThinking } from "./play-task.ts";
import { StoredDecisions } from "./stored-decisions.ts";
import type { Faults } from "./faults.ts";
import { call, factsOf, SLEEP, TaskWorld } from "./world.ts";
import { confirmedOutcome } from "../../../core/task/ledger.ts";
import { PRINCIPAL } from "../../../core/provenance/label.ts";

const early = { ...call("none"), early: true };
const long = { ...call("none"), outcome: { isLarge: true } };

const modelsOf = (windowTokens: number) => [{ name: "scripted", price: null, windowTokens }];
const small = factsOf({ models: modelsOf(12_000) });

describe("two commands that are decided as one decision", () => {
  const agent = { ...DEFAULT_AGENT, config: { ...DEFAULT_AGENT.config, on_unknown: "ask" as const } };

  test("come to what they come to one after the other, for any commands, and store exactly that", () => {
    let joined = 0;
    fc.assert(
      fc.property(fc.integer(), fc.boolean(), fc.constantFrom(20, 128_000), (seed, hold, windowTokens) => {
        const draw = drawsFrom(seed);
        const made = createTask({ facts: factsOf({ agent, models: modelsOf(windowTokens) }), hold, call: null }, 0);
        const [apart, together] = [new StoredDecisions(), new StoredDecisions()];
        for (const stored of [apart, together]) stored.keep(made);
        let { state } = made;
        let now = 0;
        for (let i = 0; i < 100; i += 1) {
          now += draw() < 0.2 ? Math.floor(draw() * 5000) : 1;
          const first = decide(state, anyCommand(state, draw), now);
          if (first.refused !== null) continue;
          const command = anyCommand(first.state, draw);
          const then = decide(first.state, command, now);
          const both = decideBoth(first, command, now);
          apart.keep(first);
          if (then.refused === null) apart.keep(then);
          together.keep(both);
          const last = then.refused === null ? then : first;
          // Work that was begun is still to be done, unless the task has moved on.
          const started = last.state.phase === first.state.phase ? first.work : null;
          expect([both.state, both.work, both.refused]).toEqual([last.state, last.work ?? started, null]);
          state = both.state;
          joined += 1;
        }
        expect(together).toEqual(apart);
        expectOrder(together);
      }),
      { numRuns: 200 },
    );
    expect(joined).toBeGreaterThan(5000);
  });

  test("are the first alone when the second is refused", () => {
    const first = applyReply(startThinking(), { text: "Done." });
    expect(getStatus(first.state)).toBe("completed");
    expect(decideBoth(first, { type: "message", text: "and?", request: null }, 2)).toBe(first);
  });
});

describe("a message", () => {
  test("that a person wrote is of the step that reads it, also when the step before ends in the same decision", () => {
    const waiting = startThinking();
    const { state } = decide(waiting, { type: "message", text: "in Portuguese", request: null }, 1);
    const outcome = confirmedOutcome({}, "looked", 1);
    const first = requestCalls(state, [preparedCall(state, 0, { effect: "none", outcome })], 2, { text: "I look." });
    const { state: next, messages, work } = decideBoth(first, { type: "wake", incarnation: "a" }, 2);
    expect(messages).toEqual([
      {
        step: 1,
        message: {
          role: "assistant",
          content: "I look.",
          label: PRINCIPAL,
          calls: [expect.objectContaining({ name: "t" })],
        },
      },
      { step: 2, message: { role: "user", content: "in Portuguese", label: PRINCIPAL } },
    ]);
    expect([next.step, work?.kind]).toEqual([2, "think"]);
  });

  test("has the same order whether steps are joined or not, with people's messages and compacted steps", () => {
    const calls = fc.constantFrom(early, call("keyed"), call("once"), call("none", SLEEP), long);
    const scripts = fc.array(fc.array(calls, { minLength: 1, maxLength: 3 }), { minLength: 3, maxLength: 9 });
    let shortened = 0;
    fc.assert(
      fc.property(scripts, fc.subarray([1, 2, 3, 4, 5]), (script, writes) => {
        const play = (joins: Faults["joins"]) => {
          const world = new TaskWorld(script, { chance: () => 1, crashRate: 0, ...(joins ? { joins } : {}) }, small);
          world.usageOf = ({ step }) => {
            if (writes.includes(step)) world.apply({ type: "message", text: `words ${step}`, request: null });
            return { inputTokens: 3000 * step, outputTokens: 5, estimated: false };
          };
          // Longer than the alarm stands off, so that what was shortened is itself decided with a wake.
          world.shorteningMs = 2000;
          world.run();
          return world;
        };
        const [apart, together] = [play(() => false), play(() => true)];
        expect(getStatus(together.state)).toBe("completed");
        expect(together.stored).toEqual(apart.stored);
        expectOrder(together.stored);
        for (const { step, message } of together.messages)
          if (message.role === "user" && step > 0) expect(message.content).toBe(`words ${step - 1}`);
        if (together.stored.compaction !== null) shortened += 1;
      }),
      { numRuns: 150 },
    );
    expect(shortened).toBeGreaterThan(10);
  });
});

/** Expects each step's messages together: what people wrote for it, then the one that the model answered. */
function expectOrder({ messages }: StoredDecisions): void {
  const places = messages.map(({ step, message }) => step * 2 + (message.role === "assistant" ? 1 : 0));
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  const answers = messages.filter(({ message }) => message.role === "assistant").map(({ step }) => step);
  expect(new Set(answers).size).toBe(answers.length);
}
