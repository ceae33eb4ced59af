import { describe, expect, test } from "vitest";
import { DEFAULT_AGENT } from "../../../core/agents/agent.ts";
import type { Command } from "../../../core/task/commands.ts";
import { getStatus } from "../../../core/task/status.ts";
import { drawsFrom, toView } from "./play-task.ts";
import { crashing } from "./faults.ts";
import { ASK, call, factsOf, NO_LIMITS, type ScriptedCall, TaskWorld } from "./world.ts";

const agent = { ...DEFAULT_AGENT, config: { ...DEFAULT_AGENT.config, on_unknown: "ask" as const } };
const rowOf = (world: TaskWorld) => [...world.ledger.values()][0];
const count = (world: TaskWorld, type: string) => world.events.filter((event) => event.type === type).length;

const pay: ScriptedCall = { tool: "pay", effect: "once" };

/** Crashes at the points with these numbers, counted from 1. In one step of one call: hop one has 3, then comes hop two. */
function crashingAt(...points: number[]) {
  let point = 0;
  const chance = () => {
    point += 1;
    return points.includes(point) ? 0 : 1;
  };
  return { chance, crashRate: 0.5 };
}

/** After the effect of the call happened and before its outcome was stored: leave, hop one (twice), before, after. */
const AFTER_EFFECT = 5;

function cutOff(...more: number[]): TaskWorld {
  const world = new TaskWorld([[pay]], crashingAt(AFTER_EFFECT, ...more), factsOf({ agent }));
  world.run();
  return world;
}

const decided = (world: TaskWorld, decision: "done" | "retry" | "skip"): Command => ({
  type: "unknown_decided",
  callId: rowOf(world)?.callId ?? "",
  decision,
  by: "ana",
  request: null,
});

describe("a call that may have happened, of an agent that asks about such calls", () => {
  test("waits for a person's word, and stays unknown in the ledger until then", () => {
    const world = cutOff();
    expect(world.crashes).toBe(1);
    expect(toView(world.state)).toMatchObject({
      status: "waiting_approval",
      pending: [{ kind: "unknown", call_id: rowOf(world)?.callId, tool: "pay" }],
    });
    expect(rowOf(world)).toMatchObject({ state: "unknown", settledAt: null, attempts: 1 });
    expect(world.alarm).toBeNull();
    expect(count(world, "call.unknown")).toBe(1);
  });

  test("counts as done when a person says so, and does not run again", () => {
    const world = cutOff();
    expect(world.apply(decided(world, "done")).refused).toBeNull();
    world.run();
    expect(rowOf(world)).toMatchObject({ state: "confirmed", content: expect.stringContaining("was done") });
    expect(world.ran).toHaveLength(1);
    expect(getStatus(world.state)).toBe("completed");
  });

  test("stays unknown when a person skips it, and the model continues without it", () => {
    const world = cutOff();
    expect(world.apply(decided(world, "skip")).refused).toBeNull();
    world.run();
    expect(rowOf(world)).toMatchObject({ state: "unknown", result: { error: { code: "outcome_unknown" } } });
    expect(rowOf(world)?.settledAt).not.toBeNull();
    expect(world.ran).toHaveLength(1);
    expect(getStatus(world.state)).toBe("completed");
  });

  test("runs exactly once more when a person says to", () => {
    const world = cutOff();
    world.apply(decided(world, "retry"));
    expect(rowOf(world)).toMatchObject({ state: "intended" });
    world.run();
    expect(rowOf(world)).toMatchObject({ state: "confirmed", attempts: 2 });
    expect(world.ran).toHaveLength(2);
    expect(getStatus(world.state)).toBe("completed");
  });

  test("needs a new decision when a person's retry is cut off too: it never repeats automatically", () => {
    // The point after the second effect: leave, before, after.
    const world = cutOff(AFTER_EFFECT + 3);
    world.apply(decided(world, "retry"));
    world.run();
    expect(world.crashes).toBe(2);
    expect(getStatus(world.state)).toBe("waiting_approval");
    expect(rowOf(world)).toMatchObject({ state: "unknown", settledAt: null, attempts: 2 });
    expect(world.ran).toHaveLength(2);
    world.apply(decided(world, "done"));
    world.run();
    expect(rowOf(world)).toMatchObject({ state: "confirmed" });
  });

  test("runs once more even if the crash preceded its attempt", () => {
    const world = cutOff(AFTER_EFFECT + 1);
    world.apply(decided(world, "retry"));
    world.run();
    expect(world.crashes).toBe(2);
    expect(rowOf(world)).toMatchObject({ state: "confirmed", attempts: 2 });
  });

  test("costs its task none of its time while it waits", () => {
    const limits = { ...NO_LIMITS, maxDurationMs: 20_000 };
    const world = new TaskWorld([[pay]], crashingAt(AFTER_EFFECT), factsOf({ agent, limits }));
    world.run();
    expect([getStatus(world.state), world.alarm]).toEqual(["waiting_approval", null]);
    world.now = 500_000;
    world.apply(decided(world, "done"));
    world.run();
    expect(getStatus(world.state)).toBe("completed");
  });

  test("is decided once", () => {
    const world = cutOff();
    world.apply(decided(world, "done"));
    for (const decision of ["done", "retry", "skip"] as const) {
      expect(world.apply(decided(world, decision)).refused?.code).toBe("conflict");
    }
  });

  test("stays unknown when its task is cancelled, whatever was decided and not done yet", () => {
    for (const first of [null, "retry"] as const) {
      const world = cutOff();
      if (first !== null) world.apply(decided(world, first));
      world.apply({ type: "cancel", by: "ana" });
      expect(rowOf(world)).toMatchObject({ state: "unknown", result: { error: { code: "outcome_unknown" } } });
      expect(world.apply(decided(world, "done")).refused?.code).toBe("conflict");
    }
  });
});

test("a call that never ran is not decided on", () => {
  const world = new TaskWorld([[call("none", ASK)]], undefined, factsOf({ agent }));
  world.run();
  expect(world.apply(decided(world, "retry")).refused?.code).toBe("conflict");
});

test("under random crashes no call without a probe runs more often than people decided", () => {
  for (let seed = 0; seed < 100; seed += 1) {
    const draw = drawsFrom(seed);
    const script = [[call("once"), call("once"), call("keyed")], [call("once")]];
    const world = new TaskWorld(script, crashing(draw, 0.15), factsOf({ agent }));
    const allowed = new Map<string, number>();
    for (let round = 0; round < 60 && getStatus(world.state) !== "completed"; round += 1) {
      world.run();
      for (const entry of toView(world.state).pending) {
        if (entry.kind !== "unknown") continue;
        const decision = (["done", "retry", "skip"] as const)[Math.floor(draw() * 3)] ?? "skip";
        if (decision === "retry") allowed.set(entry.call_id, (allowed.get(entry.call_id) ?? 0) + 1);
        world.apply({ type: "unknown_decided", callId: entry.call_id, decision, by: "ana", request: null });
      }
    }
    expect(getStatus(world.state)).toBe("completed");
    for (const { callId, effect } of world.ledger.values()) {
      const times = world.ran.filter((one) => one.callId === callId).length;
      if (effect === "once") expect(times).toBeLessThanOrEqual(1 + (allowed.get(callId) ?? 0));
    }
  }
});
