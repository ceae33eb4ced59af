import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { getStatus } from "../../../core/task/status.ts";
import { createTask, decide, findNextWake } from "../../../core/task/task.ts";
import { DEFAULT_AGENT } from "../../../core/agents/agent.ts";
import { anyCommand } from "./any-command.ts";
import { drawsFrom } from "./play-task.ts";
import { crashing } from "./faults.ts";
import { call, factsOf, SLEEP, TaskWorld } from "./world.ts";

describe("under crashes at random points", () => {
  const scripts = fc.array(
    fc.array(
      fc.constantFrom(
        call("none"),
        call("keyed"),
        call("once"),
        call("probe"),
        { ...call("none"), early: true },
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
        const world = new TaskWorld(script, crashing(drawsFrom(seed), 0.2));
        world.run();
        expect(getStatus(world.state)).toBe("completed");
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
});

describe("any commands in any order", () => {
  const agent = { ...DEFAULT_AGENT, config: { ...DEFAULT_AGENT.config, on_unknown: "ask" as const } };
  const tight = { maxSteps: 6, maxTokens: 300_000, maxCostMicros: null, maxDurationMs: 600_000 };

  test("follow the states, never reopen an ended task, and change nothing when they are refused", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.integer(), fc.boolean(), fc.boolean(), (seed, hold, limited) => {
        const draw = drawsFrom(seed);
        const facts = factsOf({ agent, ...(limited ? { limits: tight } : {}) });
        let { state } = createTask({ facts, hold, call: null }, 0);
        let now = 0;
        for (let i = 0; i < 150; i += 1) {
          now += draw() < 0.2 ? Math.floor(draw() * 5000) : 1;
          const before = state;
          const decision = decide(before, anyCommand(before, draw), now);
          state = decision.state;
          seen.add(state.phase.name);
          if (decision.refused !== null) {
            expect(decision).toMatchObject({ events: [], ledger: [], messages: [], spent: [], below: [], work: null });
            expect(state).toBe(before);
          }
          if (before.phase.name === "ended") {
            expect(state.phase).toBe(before.phase);
            expect([decision.ledger, decision.spent, decision.messages]).toEqual([[], [], []]);
          }
          if (state.phase.name !== before.phase.name && state.phase.name === "ended") {
            expect(state.batch.every((one) => one.state !== "intended")).toBe(true);
          }
          const wakeAt = findNextWake(state, now);
          if (wakeAt !== null && !Number.isFinite(wakeAt))
            throw new Error(`the alarm of ${state.phase.name} is no moment`);
        }
        expect(JSON.parse(JSON.stringify(state))).toEqual(state);
      }),
      { numRuns: 300 },
    );
    expect([...seen].sort()).toEqual([
      "acting",
      "backing_off",
      "condensing",
      "dispatching",
      "ended",
      "held",
      "parked",
      "prepared",
      "ready",
      "thinking",
    ]);
  });

  test("leave a task that continues to its end once no further command comes", () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const draw = drawsFrom(seed);
        const world = new TaskWorld([[call()], [call("once")], [call("keyed")]], undefined, factsOf({ limits: tight }));
        for (let i = 0; i < 30; i += 1) {
          world.now += Math.floor(draw() * 1000);
          const command = anyCommand(world.state, draw);
          const isReply = command.type === "model_replied" || command.type === "call_settled";
          if (!isReply && command.type !== "attach") world.apply(command);
          if (draw() < 0.3) world.run(world.now);
        }
        world.run();
        expect(["ended", "parked"]).toContain(world.state.phase.name);
      }),
      { numRuns: 200 },
    );
  });
});
