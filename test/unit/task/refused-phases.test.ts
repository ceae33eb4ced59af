/** A runner of another release refuses a phase: nothing began, so nothing is unknown, charged or counted. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Decision, Work } from "../../../core/task/decision.ts";
import { getStatus } from "../../../core/task/status.ts";
import { drawsFrom } from "./play-task.ts";
import { call, TaskWorld } from "./world.ts";

/** Its runner refuses tool phases by a draw of `refuses`. */
class SkewedWorld extends TaskWorld {
  refuses: () => boolean = () => false;

  protected override act(work: Extract<Work, { kind: "act" }>, incarnation: string): Decision {
    if (!this.refuses()) return super.act(work, incarnation);
    this.mayCrash();
    const callIds = work.calls.map(({ callId }) => callId);
    return this.apply({ type: "runner_call_refused", step: work.step, incarnation, callIds }, incarnation);
  }
}

const SCRIPT = [
  [call("once"), call("keyed"), call("probe"), call("none")],
  [call("once"), call("once")],
];

describe("a tool phase that the runner refuses", () => {
  test("is repeated, each call once, and no call is unknown", () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const draw = drawsFrom(seed);
        const world = new SkewedWorld(SCRIPT);
        world.refuses = () => draw() < 0.5;
        world.run();
        expect(getStatus(world.state)).toBe("completed");
        for (const { callId: id, state, attempts } of world.ledger.values()) {
          expect([id, state, attempts, world.effects.get(id)]).toEqual([id, "confirmed", 1, 1]);
        }
      }),
      { numRuns: 200 },
    );
  });

  test("runs no call twice when crashes come between", () => {
    fc.assert(
      fc.property(fc.integer(), fc.constantFrom(0.02, 0.1), (seed, crashRate) => {
        const draw = drawsFrom(seed);
        const world = new SkewedWorld(SCRIPT, { chance: draw, crashRate });
        world.refuses = () => draw() < 0.3;
        world.run();
        expect(getStatus(world.state)).toBe("completed");
        for (const { callId: id, effect, state } of world.ledger.values()) {
          const times = world.effects.get(id) ?? 0;
          if (effect === "once") expect(times).toBeLessThanOrEqual(1);
          if (effect === "once" && state === "confirmed") expect(times).toBe(1);
        }
      }),
      { numRuns: 300 },
    );
  });
});
