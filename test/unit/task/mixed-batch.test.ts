import fc from "fast-check";
import { expect, test } from "vitest";
import { DEFAULT_AGENT } from "../../../core/agents/agent.ts";
import { getStatus, type TaskStatus } from "../../../core/task/status.ts";
import type { TaskState } from "../../../core/task/state.ts";
import { crashing } from "./faults.ts";
import { answer, ASK, call, DISPATCH, factsOf, type ScriptedCall, SLEEP, TaskWorld } from "./world.ts";
import { drawsFrom, createEnding, toView, shuffled } from "./play-task.ts";

const agent = { ...DEFAULT_AGENT, config: { ...DEFAULT_AGENT.config, on_unknown: "ask" as const } };
const UNKNOWN = { state: "unknown" } as const;
const BATCH: readonly ScriptedCall[] = [
  call("none", ASK),
  { tool: "dispatch_subagent", effect: "none", control: DISPATCH },
  { tool: "send", effect: "once", asks: true },
  call("none"),
  call("keyed"),
  call("probe"),
  call("none", SLEEP),
  { tool: "pay", effect: "once", outcome: UNKNOWN },
  { tool: "dispatch_subagent", effect: "none", control: DISPATCH, early: true },
];

/** The status that stands first of what a batch still waits for. */
function firstStatus({ batch }: TaskState): TaskStatus {
  const kinds = new Set(batch.flatMap(({ wait }) => (wait === null ? [] : [wait.kind])));
  if (kinds.has("approval") || kinds.has("unknown")) return "waiting_approval";
  if (kinds.has("question")) return "waiting_input";
  if (kinds.has("subtask")) return "waiting_subagents";
  return "sleeping";
}

/** One thing that the task waits for happens; each is named by its call. */
function settle(world: TaskWorld, callId: string): void {
  const wait = world.state.batch.find(({ id }) => id === callId)?.wait ?? null;
  switch (wait?.kind) {
    case "question":
      expect(world.apply(answer(wait.id)).refused).toBeNull();
      break;
    case "approval":
      world.apply({
        type: "approval_decided",
        approval: wait.id,
        decision: "approve",
        revised: null,
        reason: null,
        by: "ana",
        request: null,
      });
      break;
    case "unknown":
      world.apply({ type: "unknown_decided", callId, decision: "done", by: "ana", request: null });
      break;
    case "subtask":
      world.apply({ type: "subtask_ended", ending: createEnding(wait.id) });
      break;
    case "sleep":
      world.run(wait.until);
      break;
    case "connection":
      world.apply({ type: "connect", wait: wait.id });
      break;
    case undefined:
      break;
  }
}

function play(crashRate: number, draw: () => number, orderOf: (ids: string[]) => string[]): TaskWorld {
  const world = new TaskWorld([BATCH], crashing(draw, crashRate), factsOf({ agent }));
  world.run(50_000);
  const waiting = world.state.batch.filter(({ wait }) => wait !== null);
  expect(waiting.map(({ wait }) => wait?.kind)).toEqual([
    "question",
    "subtask",
    "approval",
    "sleep",
    "unknown",
    "subtask",
  ]);
  const pending = toView(world.state).pending.map(({ kind }) => kind);
  expect(pending).toEqual(["question", "approval", "unknown"]);

  for (const id of orderOf(waiting.map((one) => one.id))) {
    // With crashes, what was approved may have to be decided on once more.
    for (let tries = 0; tries < 20 && world.state.batch.some((one) => one.id === id && one.wait !== null); tries += 1) {
      expect(getStatus(world.state)).toBe(firstStatus(world.state));
      settle(world, id);
      world.run(world.now + 30_000);
    }
  }
  for (let tries = 0; tries < 20 && getStatus(world.state) !== "completed"; tries += 1) {
    world.run();
    for (const { id, wait } of world.state.batch) if (wait !== null) settle(world, id);
  }
  expect(getStatus(world.state)).toBe("completed");
  const started = world.events.filter(({ type, data }) => type === "step.started" && data["attempt"] === 1);
  expect(started.map(({ data }) => data["step"])).toEqual([1, 2]);
  expect(world.events.filter(({ type }) => type === "step.completed").map(({ data }) => data["step"])).toEqual([1, 2]);
  expect(world.subtasks.size).toBe(2);
  const rows = [...world.ledger.values()];
  expect(rows.map(({ state }) => state)).toEqual(BATCH.map(() => "confirmed"));
  expect([rows[0]?.content, rows[1]?.content, rows[6]?.content]).toEqual([
    "Lisbon",
    expect.stringContaining("result of task_"),
    "Waited 60 seconds.",
  ]);
  return world;
}

function permutations<T>(list: readonly T[]): T[][] {
  if (list.length <= 1) return [[...list]];
  return list.flatMap((first, at) => permutations(list.toSpliced(at, 1)).map((rest) => [first, ...rest]));
}

test("a batch of every kind completes once all have settled, in each of the 720 possible orders", () => {
  const orders = permutations([0, 1, 2, 3, 4, 5]);
  expect(orders).toHaveLength(720);
  for (const order of orders) {
    const world = play(
      0,
      () => 1,
      (ids) => order.flatMap((at) => ids[at] ?? []),
    );
    expect(world.modelCalls).toBe(2);
  }
});

test("a batch of every kind completes once all have settled, even after crashes", () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const draw = drawsFrom(seed);
      const world = play(0.1, draw, (ids) => shuffled(ids, draw));
      expect(world.state.usage.steps).toBe(2);
    }),
    { numRuns: 200 },
  );
});
