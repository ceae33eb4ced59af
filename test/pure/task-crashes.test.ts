import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { statusOf } from "../../core/task-status.ts";
import { createTask, decide, nextWake } from "../../core/task.ts";
import type { Command } from "../../core/task-state.ts";
import { SLEEP, call, answer, factsOf, TaskWorld } from "./task-world.ts";

/** Even draws from [0, 1) that a seed repeats (mulberry32). */
function drawsFrom(seed: number): () => number {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), a | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

describe("under crashes at random points", () => {
  const scripts = fc.array(
    fc.array(
      fc.constantFrom(
        call("none"),
        call("keyed"),
        call("once"),
        call("probe"),
        call("none", SLEEP),
        call("none", { kind: "attach", path: "a.md", size: 1, contentType: "text/markdown" }),
      ),
      { minLength: 1, maxLength: 5 },
    ),
    { minLength: 1, maxLength: 9 },
  );

  test("every task ends with its answer; keyed and probed effects happen once, unkeyed ones at most once or are unknown", () => {
    fc.assert(
      fc.property(scripts, fc.integer(), (script, seed) => {
        const world = new TaskWorld(script, { chance: drawsFrom(seed), crashRate: 0.2 });
        world.run();
        expect(statusOf(world.state)).toBe("completed");
        expect(world.ledger.size).toBe(script.flat().length);
        for (const row of world.ledger.values()) {
          const times = world.effects.get(row.callId) ?? 0;
          if (row.effect === "keyed" || row.effect === "probe") expect(times).toBe(1);
          if (row.effect === "once") expect(times).toBeLessThanOrEqual(1);
          if (row.effect === "once" && row.state === "confirmed") expect(times).toBe(1);
          expect(row.state === "confirmed" || (row.effect === "once" && row.state === "unknown")).toBe(true);
        }
        const completed = world.events
          .filter((event) => event.type === "step.completed")
          .map((event) => event.data["step"]);
        expect(completed).toEqual([...new Set(completed)]);
      }),
      { numRuns: 300 },
    );
  });

  test("any commands in any order keep to the states and never bring an ended task back", () => {
    const commands = fc.array(
      fc.oneof(
        fc.constantFrom<Command>(
          { type: "start", request: null },
          { type: "message", text: "hi", request: null },
          { type: "cancel", by: "x" },
          answer("qst_x"),
          { type: "hop_ended", step: 1, incarnation: "a" },
        ),
        fc.constantFrom("a", "b", "c").map((incarnation): Command => ({ type: "wake", incarnation })),
      ),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(commands, fc.boolean(), (list, hold) => {
        let state = createTask({ facts: factsOf(), hold, call: null }, 0).state;
        let ended = false;
        list.forEach((command, at) => {
          const decision = decide(state, command, at * 400);
          if (decision.refused !== null) expect(decision.state).toBe(state);
          if (ended) expect(decision.state).toBe(state);
          state = decision.state;
          ended = state.phase.name === "ended";
          const wake = nextWake(state, at * 400);
          expect(wake === null || Number.isFinite(wake)).toBe(true);
        });
      }),
    );
  });
});
