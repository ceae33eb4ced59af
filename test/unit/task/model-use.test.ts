/** What tools ask a model: reserved before the call, settled after it, and never less than the provider bills. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CallOutcome, Command } from "../../../core/task/commands.ts";
import { getStatus } from "../../../core/task/status.ts";
import { decide } from "../../../core/task/task.ts";
import type { TaskState } from "../../../core/task/state.ts";
import { drawsFrom } from "./play-task.ts";
import { crashing } from "./faults.ts";
import { ADMITTED, call, factsOf, NO_LIMITS, type ScriptedCall, TaskWorld } from "./world.ts";

const USE = { calls: 2, inputTokens: 16_000, outputTokens: 2_000 };
const MOST = USE.calls * (USE.inputTokens + USE.outputTokens);
const asking: ScriptedCall = { ...call("none"), language: USE };
/** What a step of the world's model uses. */
const STEP_TOKENS = 15;

const usedBy = ({ usage }: TaskState) => usage.inputTokens + usage.outputTokens;
const reservedBy = ({ batch }: TaskState) =>
  batch.reduce((sum, { reserved }) => sum + (reserved?.inputTokens ?? 0) + (reserved?.outputTokens ?? 0), 0);
const toolSpends = (world: TaskWorld) => world.spent.filter(({ purpose }) => purpose === "tool");
const billedTo = (world: TaskWorld) =>
  toolSpends(world).reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0);
/** A task whose tool phase has begun, with one call that asks. */
function startAsking(): TaskState & { readonly phase: Extract<TaskState["phase"], { name: "acting" }> } {
  const world = new TaskWorld([[asking]]);
  const seen: TaskState[] = [];
  world.afterStored = (state) => void (reservedBy(state) > 0 && seen.push(state));
  world.run();
  const [state] = seen;
  if (state?.phase.name !== "acting") throw new Error("the tool phase did not begin");
  return { ...state, phase: state.phase };
}
const outcomes = (world: TaskWorld) =>
  [...world.ledger.values()].map(({ state, result }) => (result?.ok === false ? result.error.code : state));

describe("a call that asks a model", () => {
  test("is reserved with its attempt, and settled with what it used", () => {
    const world = new TaskWorld([[asking]]);
    let most = 0;
    world.afterStored = (state) => {
      most = Math.max(most, reservedBy(state));
      for (const { attempts, state: its, reserved, asks } of state.batch)
        if (asks !== undefined && attempts > 0 && its === "intended") expect(reserved).toBeDefined();
    };
    world.run();
    expect(most).toBe(MOST);
    expect(reservedBy(world.state)).toBe(0);
    expect(toolSpends(world)).toMatchObject([{ callId: [...world.ledger.keys()][0], model: "scripted" }]);
    expect(billedTo(world)).toBe(world.bill.tokens);
    expect(usedBy(world.state)).toBe(world.bill.tokens + 2 * STEP_TOKENS);
  });

  test.each([
    ["stopped", MOST],
    ["killed", MOST],
    ["lost by its runner", MOST],
    ["settled by a runner that says nothing of its use", MOST],
    ["refused by a runner of another release", 0],
  ] as const)("that was %s costs %i tokens", (end, tokens) => {
    const acting = startAsking();
    const { step, batch, phase } = acting;
    const callIds = batch.map(({ id }) => id);
    const [callId = ""] = callIds;
    const run = { step, incarnation: phase.incarnation };
    const done = { state: "confirmed", result: { ok: true, result: 1 }, content: "1", control: null, durationMs: 1 };
    const commands: Readonly<Record<typeof end, Command>> = {
      stopped: { type: "halt", message: "stop" },
      killed: { type: "wake", incarnation: "other" },
      "lost by its runner": { type: "runner_call_ended", ...run },
      "settled by a runner that says nothing of its use": {
        type: "call_settled",
        ...run,
        callId,
        outcome: done as CallOutcome,
      },
      "refused by a runner of another release": { type: "runner_call_refused", ...run, callIds },
    };
    const { spent, state } = decide(acting, commands[end], phase.since + 5_000);
    const sum = spent.reduce((total, { inputTokens, outputTokens }) => total + inputTokens + outputTokens, 0);
    expect([sum, spent.every(({ purpose, estimated }) => purpose === "tool" && estimated)]).toEqual([tokens, true]);
    expect(reservedBy(state)).toBe(0);
  });

  test("waits for the reservations of others instead of failing, and the task requests the budget of one alone", () => {
    const facts = factsOf({ limits: { ...NO_LIMITS, maxTokens: 2 * MOST } });
    const world = new TaskWorld([Array.from({ length: 5 }, () => asking)], { chance: () => 0.1, crashRate: 0 }, facts);
    const wanted: number[] = [];
    world.tenantSays = ({ used, want }) => {
      wanted.push(want.tokens);
      return { ...ADMITTED, grant: { tokens: used.tokens + want.tokens, costMicros: null } } as typeof ADMITTED;
    };
    let most = 0;
    world.afterStored = (state) => void (most = Math.max(most, reservedBy(state)));
    world.run();
    expect(outcomes(world)).toEqual(Array(5).fill("confirmed"));
    expect([Math.max(...wanted), most]).toEqual([MOST, MOST]);
    expect(billedTo(world)).toBe(world.bill.tokens);
  });

  test("that cannot start leaves the calls of the same line without an attempt", () => {
    const keyed = Array.from({ length: 5 }, () => call("keyed"));
    const facts = factsOf({ limits: { ...NO_LIMITS, maxTokens: MOST - 1 } });
    const world = new TaskWorld([[...keyed, call("once"), asking]], undefined, facts);
    const seen: TaskState[] = [];
    world.afterStored = (state) => void (state.phase.name === "acting" && seen.push(state));
    world.run();
    const acting = seen[0];
    if (acting?.phase.name !== "acting") throw new Error("the tool phase did not begin");
    const callIds = acting.batch.slice(5).map(({ id }) => id);
    const { incarnation } = acting.phase;
    const { state, ledger } = decide(acting, { type: "calls_starting", step: 1, incarnation, callIds }, world.now);
    expect(state.batch.slice(5).map(({ attempts, state: its }) => [attempts, its])).toEqual([
      [0, "intended"],
      [0, "failed"],
    ]);
    expect(ledger.some(({ kind }) => kind === "attempt")).toBe(false);
    expect(reservedBy(state)).toBe(0);
  });

  test("fails after three attempts that were cut off", () => {
    const acting = startAsking();
    const batch = acting.batch.map(({ reserved: _, ...one }) => ({ ...one, attempts: 3 }));
    const permit = { until: acting.phase.since + 60_000, grant: { tokens: null, costMicros: null }, isNew: false };
    const state = { ...acting, batch, permit };
    const { ledger } = decide(state, { type: "wake", incarnation: "other" }, acting.phase.since + 5_000);
    expect(ledger).toMatchObject([{ kind: "settle", state: "failed", result: { error: { code: "internal" } } }]);
  });

  test("fails before it starts if the limits of its task do not allow it", () => {
    const world = new TaskWorld([[asking]], undefined, factsOf({ limits: { ...NO_LIMITS, maxTokens: MOST - 1 } }));
    world.run();
    expect(outcomes(world)).toEqual(["budget_exceeded"]);
    expect(world.bill.tokens).toBe(0);
    expect(getStatus(world.state)).toBe("completed");
  });

  test("requests a grant that covers it, and fails if the tenant gives less", () => {
    for (const isEnough of [true, false]) {
      const world = new TaskWorld([[call("none"), asking]]);
      const wanted: number[] = [];
      world.tenantSays = ({ used, want }) => {
        wanted.push(want.tokens);
        const given = want.tokens >= MOST && !isEnough ? MOST - 1 : want.tokens;
        return { ...ADMITTED, grant: { tokens: used.tokens + given, costMicros: null } } as typeof ADMITTED;
      };
      world.run();
      expect(wanted).toContain(MOST);
      expect(outcomes(world)).toEqual(["confirmed", isEnough ? "confirmed" : "budget_exceeded"]);
      expect(getStatus(world.state)).toBe("completed");
    }
  });

  test("is charged at least what its provider bills, within its limits, wherever it is killed", () => {
    const scripts = fc.array(
      fc.array(fc.constantFrom(asking, asking, call("keyed"), call("none")), { minLength: 1, maxLength: 7 }),
      { minLength: 1, maxLength: 4 },
    );
    const limits = fc.constantFrom(null, 3 * MOST, 12 * MOST);
    const grants = fc.constantFrom(null, 0, MOST);
    const costs = fc.constantFrom(null, 3 * MOST, 12 * MOST);
    const price = { inputPerMillion: 1, outputPerMillion: 2 };
    fc.assert(
      fc.property(scripts, fc.integer(), limits, grants, costs, (script, seed, maxTokens, more, maxCostMicros) => {
        const models = [{ name: "scripted", price, windowTokens: 128_000 }];
        const facts = factsOf({ limits: { ...NO_LIMITS, maxTokens, maxCostMicros }, models });
        const world = new TaskWorld(script, crashing(drawsFrom(seed), 0.1), facts);
        world.tenantSays = ({ used, want }) => {
          const tokens = more === null ? null : used.tokens + want.tokens + more;
          return { ...ADMITTED, grant: { tokens, costMicros: null } } as typeof ADMITTED;
        };
        world.afterStored = (state) => {
          const used = usedBy(state) + reservedBy(state);
          if (maxTokens !== null) expect(used).toBeLessThanOrEqual(maxTokens);
          const cost = state.batch.reduce(
            (sum, { reserved }) => sum + (reserved?.costMicros ?? 0),
            state.usage.costMicros,
          );
          if (maxCostMicros !== null) expect(cost).toBeLessThanOrEqual(maxCostMicros);
          const most = state.permit?.grant.tokens ?? null;
          if (most !== null && state.phase.name === "acting") expect(used).toBeLessThanOrEqual(most);
        };
        world.run();
        expect(billedTo(world)).toBeGreaterThanOrEqual(world.bill.tokens);
        expect(reservedBy(world.state)).toBe(0);
        expect(world.state.phase.name).toBe("ended");
      }),
      { numRuns: 300 },
    );
  });
});
