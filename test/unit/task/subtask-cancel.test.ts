import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Command } from "../../../core/task/commands.ts";
import type { TaskState } from "../../../core/task/state.ts";
import { getStatus } from "../../../core/task/status.ts";
import { decide, findNextWake } from "../../../core/task/task.ts";
import { drawsFrom, createEnding, toView } from "./play-task.ts";
import { crashing } from "./faults.ts";
import { ASK, call, DISPATCH, factsOf, NO_LIMITS, type ScriptedCall, SLEEP, TaskWorld } from "./world.ts";

const dispatch: ScriptedCall = { tool: "dispatch_subagent", effect: "none", control: DISPATCH };
const HIDDEN = ["task_hidden_a", "task_hidden_b"];

/** A task that waits for three subtasks and has two hidden calls open. */
function waiting(limits = NO_LIMITS, faults?: ConstructorParameters<typeof TaskWorld>[1]): TaskWorld {
  const world = new TaskWorld([[dispatch, dispatch, dispatch]], faults, factsOf({ limits }));
  world.run(1000);
  for (const task of HIDDEN) world.apply({ type: "adopt", task });
  return world;
}

/** A task that is about to make its three subtasks. */
function dispatching(): { state: TaskState; ids: string[] } {
  const world = new TaskWorld([[dispatch, dispatch, dispatch]]);
  let found: TaskState | null = null;
  world.afterStored = (state) => {
    if (state.phase.name === "dispatching") found ??= state;
  };
  world.run();
  if (found === null) throw new Error("the task never dispatched");
  return { state: found, ids: [...world.subtasks.keys()] };
}

describe("a task that ends while subtasks are open", () => {
  test("cancels each of them, and each of its hidden calls, however it ends and however often it crashes", () => {
    const ends: readonly ((world: TaskWorld) => void)[] = [
      (world) => world.apply({ type: "cancel", by: "ana" }),
      (world) => world.run(),
    ];
    fc.assert(
      fc.property(fc.integer(), fc.constantFrom(...ends), (seed, end) => {
        const world = waiting({ ...NO_LIMITS, maxDurationMs: 60_000 }, crashing(drawsFrom(seed), 0.15));
        world.run(30_000);
        expect(getStatus(world.state)).toBe("waiting_subagents");
        const open = [...world.subtasks.keys()];
        end(world);
        world.run();
        expect(["cancelled", "failed"]).toContain(getStatus(world.state));
        expect([...new Set(world.cancelled)].sort()).toEqual([...HIDDEN, ...open].sort());
        expect(world.state.toCancel).toEqual([]);
        expect(world.alarm).toBeNull();
      }),
      { numRuns: 100 },
    );
  });

  test("retains pending cancellations until each is acknowledged, and is due until then", () => {
    const world = waiting();
    const [first = "", ...others] = world.subtasks.keys();
    let state = decide(world.state, { type: "cancel", by: "ana" }, 2000).state;
    const due = () => decide(state, { type: "wake", incarnation: "after a crash" }, 9000).work;
    expect(due()).toEqual({ kind: "cancel", tasks: [...HIDDEN, first, ...others] });
    state = decide(state, { type: "cancelled_below", task: first }, 3000).state;
    expect(due()).toEqual({ kind: "cancel", tasks: [...HIDDEN, ...others] });
    expect(decide(state, { type: "cancelled_below", task: first }, 3000).state).toBe(state);
    expect(findNextWake(state, 9000)).toBe(9000);
    for (const task of [...HIDDEN, ...others]) state = decide(state, { type: "cancelled_below", task }, 3000).state;
    expect([due(), findNextWake(state, 9000)]).toEqual([null, null]);
  });

  test("cancels those too that it was about to make, whichever limit above it is used up", () => {
    const { state, ids } = dispatching();
    for (const command of [
      { type: "exhausted", message: "The tenant's budget is used up." },
      { type: "cancel", by: "ana" },
    ] as const) {
      const ended = decide(state, command, 10).state;
      expect(ended).toMatchObject({ phase: { name: "ended" }, toCancel: ids });
    }
    const late = decide(state, { type: "exhausted", message: "The tenant's budget is used up." }, 10).state;
    expect(toView(late)).toMatchObject({
      status: "failed",
      reason: "budget_exceeded",
      error: { code: "budget_exceeded", message: "The tenant's budget is used up." },
    });
  });

  test("is changed by nothing that comes late from below", () => {
    const world = waiting();
    const [made] = world.subtasks.values();
    const subtask = made?.made.facts.id ?? "";
    const { state } = decide(world.state, { type: "cancel", by: "ana" }, 2000);
    const late: Command[] = [
      { type: "subtask_ended", ending: createEnding("task_other") },
      { type: "subtask_opened", callId: made?.made.callId ?? "" },
      { type: "subtask_refused", callId: made?.made.callId ?? "", failure: { code: "conflict", message: "no" } },
      {
        type: "subtask_waits",
        subtask,
        version: 9,
        stands: true,
        pending: [{ kind: "unknown", call_id: "c", tool: "t" }],
      },
      { type: "called" },
      { type: "halt", message: "stopped" },
      { type: "turned_away", why: "queue", message: null, askAgainAfterMs: 1 },
    ];
    for (const command of late) {
      const decision = decide(state, command, 3000);
      expect(decision.state, command.type).toBe(state);
      expect([decision.events, decision.below, decision.spent]).toEqual([[], [], []]);
    }
  });

  test("still counts its subtasks' use, once, and emits nothing else of them", () => {
    const world = waiting();
    const [first = "", second = ""] = world.subtasks.keys();
    world.apply({ type: "cancel", by: "ana" });
    for (const subtask of [first, first, second]) {
      const { events, ledger } = world.apply({
        type: "subtask_ended",
        ending: createEnding(subtask, { estimated: true }),
      });
      expect([events, ledger]).toEqual([[], []]);
    }
    expect(world.state.usedBelow).toEqual({ inputTokens: 160, outputTokens: 40, costMicros: 6 });
    expect(world.state.usage.estimated).toBe(true);
  });

  test("knows a subtask from the moment it is dispatched, in the order of the calls", () => {
    const { state, ids } = dispatching();
    expect(state.subtasks).toEqual(ids);
    const { state: ended } = decide(state, { type: "cancel", by: "ana" }, 2000);
    expect(ended).toMatchObject({ subtasks: ids, toCancel: ids });
  });

  test("does not cancel a subtask that had ended", () => {
    const world = waiting();
    const [first = "", ...others] = world.subtasks.keys();
    world.apply({ type: "subtask_ended", ending: createEnding(first) });
    expect(world.apply({ type: "cancel", by: "ana" }).state.toCancel).toEqual([...HIDDEN, ...others]);
  });
});

describe("a task that waits with a limit of time", () => {
  test("ends when the time is up while it sleeps, and its object is not woken again and again", () => {
    const facts = factsOf({ limits: { ...NO_LIMITS, maxDurationMs: 20_000 } });
    const world = new TaskWorld([[call("none", SLEEP)]], undefined, facts);
    world.run();
    expect(toView(world.state)).toMatchObject({ status: "failed", reason: "budget_exceeded" });
    expect(world.now).toBe(20_000);
  });

  test("ends when the time is up while its subtasks run, and cancels them", () => {
    const world = waiting({ ...NO_LIMITS, maxDurationMs: 20_000 });
    world.run();
    expect(toView(world.state)).toMatchObject({ status: "failed", reason: "budget_exceeded" });
    expect(new Set(world.cancelled)).toEqual(new Set([...HIDDEN, ...world.subtasks.keys()]));
  });

  test("is never due while it waits for a person or for subtasks without a limit", () => {
    expect(waiting().alarm).toBeNull();
    const asks = new TaskWorld(
      [[dispatch, call("none", ASK)]],
      undefined,
      factsOf({ limits: { ...NO_LIMITS, maxDurationMs: 9000 } }),
    );
    asks.run();
    expect([getStatus(asks.state), asks.alarm]).toEqual(["waiting_input", null]);
  });
});
