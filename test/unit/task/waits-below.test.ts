import { describe, expect, test } from "vitest";
import type { Command } from "../../../core/task/commands.ts";
import { getStatus } from "../../../core/task/status.ts";
import type { PendingView } from "../../../core/task/view.ts";
import { addSubtaskId } from "../../../core/task/subtasks.ts";
import { findNextWake } from "../../../core/task/task.ts";
import { createEnding, toView } from "./play-task.ts";
import { ASK, call, DISPATCH, factsOf, NO_LIMITS, type ScriptedCall, TaskWorld } from "./world.ts";

const dispatch: ScriptedCall = { tool: "dispatch_subagent", effect: "none", control: DISPATCH };
const question: PendingView = {
  kind: "question",
  id: "qst_1",
  query: "Which?",
  choices: null,
  person: null,
  expires_at: null,
};
const waits = (subtask: string, version: number, pending: readonly PendingView[], stands = false): Command => ({
  type: "subtask_waits",
  subtask,
  version,
  pending,
  stands,
});

function waiting(more: readonly ScriptedCall[] = []): { world: TaskWorld; first: string; second: string } {
  const facts = factsOf({ limits: { ...NO_LIMITS, maxDurationMs: 60_000 } });
  const world = new TaskWorld([[dispatch, dispatch, ...more]], undefined, facts);
  world.run(1000);
  const [first = "", second = ""] = world.subtasks.keys();
  return { world, first, second };
}

describe("what a subtask waits for from people", () => {
  test("is stored and emitted at its parent", () => {
    const { world, first } = waiting();
    const report = world.apply(waits(first, 3, addSubtaskId(first, [question])));
    expect(report.below).toEqual([{ subtask: first, pending: [{ ...question, task_id: first }] }]);
    expect(report.events).toEqual([
      {
        type: "task.waiting",
        data: { status: "waiting_subagents", subtask_id: first, pending: [{ ...question, task_id: first }] },
      },
    ]);
    expect(toView(report.state, [{ ...question, task_id: first }])).toMatchObject({
      status: "waiting_subagents",
      pending: [{ id: "qst_1", task_id: first }],
    });
  });

  test("keeps the name of the task that asks on its way up", () => {
    const [named] = addSubtaskId("task_child", addSubtaskId("task_grandchild", [question]));
    expect(named?.task_id).toBe("task_grandchild");
  });

  test("is emitted separately, in addition to the waits of its parent and the other subtasks", () => {
    const { world, first, second } = waiting([call("none", ASK)]);
    const other: PendingView = { ...question, id: "qst_2" };
    world.apply(waits(first, 3, addSubtaskId(first, [question])));
    const { state, events } = world.apply(waits(second, 3, addSubtaskId(second, [other])));
    const requests = [{ ...other, task_id: second }];
    const report = { status: "waiting_input", subtask_id: second, pending: requests };
    expect(events).toEqual([{ type: "task.waiting", data: report }]);
    expect(toView(state, requests).pending).toMatchObject([{ query: "Which city?" }, { id: "qst_2" }]);
    const settled = world.apply(waits(second, 4, [])).events;
    expect(settled.map(({ data }) => data)).toEqual([{ ...report, pending: [] }]);
  });

  test("costs the parent no time while every subtask is queued or stopped", () => {
    const { world, first, second } = waiting();
    world.apply(waits(first, 3, [], true));
    expect(findNextWake(world.state, world.now)).not.toBeNull();
    expect(world.apply(waits(second, 3, [], true)).events).toEqual([]);
    expect(findNextWake(world.state, world.now)).toBeNull();
    world.now += 3_600_000;
    world.apply(waits(second, 4, [], false));
    world.now += 1000;
    for (const subtask of [first, second]) world.apply({ type: "subtask_ended", ending: createEnding(subtask) });
    world.run();
    expect(getStatus(world.state)).toBe("completed");
  });

  test("has versions: a repeated or late report changes nothing", () => {
    const { world, first } = waiting();
    const { state } = world.apply(waits(first, 3, [question]));
    for (const version of [3, 2]) expect(world.apply(waits(first, version, [])).state).toBe(state);
    expect(world.apply(waits(first, 4, [])).below).toEqual([{ subtask: first, pending: [] }]);
    expect(world.apply(waits("task_other", 9, [question]))).toMatchObject({ below: [], events: [] });
  });

  test("is dropped when the subtask ends, and never reappears", () => {
    const { world, first } = waiting();
    world.apply(waits(first, 3, [question]));
    const ended = world.apply({ type: "subtask_ended", ending: createEnding(first) });
    expect(ended.below).toEqual([{ subtask: first, pending: [] }]);
    expect(ended.state.waitsBelow).toEqual({});
    expect(world.apply(waits(first, 9, [question])).state).toBe(ended.state);
  });

  test("is not in the view of an ended parent", () => {
    const { world, first } = waiting();
    world.apply(waits(first, 3, [question]));
    const { state } = world.apply({ type: "cancel", by: "ana" });
    expect(state.waitsBelow).toEqual({});
    expect(toView(state, [question]).pending).toEqual([]);
  });
});

describe("the time of a task", () => {
  test("stops its clock while a person is asked below it, until the last answer", () => {
    const { world, first, second } = waiting();
    expect(world.alarm).toBe(60_000);
    world.now = 10_000;
    world.apply(waits(first, 1, [question]));
    expect(world.alarm).toBeNull();
    world.now = 500_000;
    world.apply(waits(second, 1, [question]));
    world.now = 600_000;
    world.apply(waits(first, 2, []));
    expect([world.alarm, world.state.clock]).toEqual([null, { activeMs: 10_000, since: null }]);
    world.now = 700_000;
    world.apply({ type: "subtask_ended", ending: createEnding(second) });
    expect(world.alarm).toBe(750_000);
    world.run();
    expect(toView(world.state)).toMatchObject({ status: "failed", reason: "budget_exceeded" });
    expect(world.cancelled).toEqual([first]);
  });

  test("runs again in the next step", () => {
    const { world, first, second } = waiting();
    world.apply(waits(first, 1, [question]));
    world.now = 900_000;
    for (const id of [first, second]) world.apply({ type: "subtask_ended", ending: createEnding(id) });
    world.run();
    expect(getStatus(world.state)).toBe("completed");
    expect(world.state.clock.activeMs).toBeLessThan(60_000);
  });
});
