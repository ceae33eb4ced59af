/** Permits that go along with what creates or wakes a task: the task's side. */
import { describe, expect, test } from "vitest";
import { getRemaining, getShortPermit, SHORT_PERMIT_MS, usePermit } from "../../../core/task/short-permit.ts";
import type { Command } from "../../../core/task/commands.ts";
import type { Decision } from "../../../core/task/decision.ts";
import type { TaskFacts, TaskState } from "../../../core/task/state.ts";
import { createTask, decide, decideBoth } from "../../../core/task/task.ts";
import { ADMITTED, factsOf } from "./world.ts";

const wake: Command = { type: "wake", incarnation: "run" };
const short = { forMs: 1500 };
const transferable = { ...ADMITTED, isTransferable: true } as Command;

const create = (change: Partial<TaskFacts> = {}, hold = false): Decision =>
  createTask({ facts: factsOf(change), hold, call: null }, 0);
const below = { parentId: "task_00000000000000000000000009", depth: 1 };

/** The state of a task that runs under this permit. */
function runUnder(admitted: Command, change: Partial<TaskFacts> = {}): TaskState {
  const { state } = decideBoth(decide(create(change).state, admitted, 0), wake, 0);
  expect(state.phase.name).toBe("thinking");
  return state;
}

describe("a short permit", () => {
  test("lets a new task begin its step in the decision that creates it", () => {
    const { state, work } = decideBoth(usePermit(create(), short, 0), wake, 0);
    expect([state.phase.name, work?.kind, state.permit?.until]).toEqual(["thinking", "think", 1500]);
  });

  test("is not used by a draft, nor by a task that has a permit or has ended", () => {
    const draft = create({}, true);
    expect(usePermit(draft, short, 0)).toBe(draft);
    const running: Decision = { ...create(), state: runUnder(ADMITTED) };
    expect(usePermit(running, short, 0)).toBe(running);
    const ended = decide(create().state, { type: "cancel", by: "ana" }, 0);
    expect(usePermit(ended, short, 0)).toBe(ended);
  });

  test("changes nothing for a task that its tenant turned away", () => {
    const stopped: Command = { type: "turned_away", why: "stopped", message: "Stopped.", askAgainAfterMs: 30_000 };
    const away = decide(create().state, stopped, 0);
    expect(usePermit(away, short, 10).state.permit).toBeNull();
  });
});

describe("the permit of a subtask that ends", () => {
  const cancel: Command = { type: "cancel", by: "ana" };

  test("passes to its parent, for two seconds at most", () => {
    const { state } = decide(runUnder(transferable, below), cancel, 100);
    expect(getShortPermit(state, 100)).toEqual({ forMs: 1900 });
    expect(getShortPermit(state, 2000)).toBeNull();
    const longer = decide(runUnder({ ...transferable, forMs: 6000 } as Command, below), cancel, 100);
    expect(getShortPermit(longer.state, 100)).toEqual({ forMs: SHORT_PERMIT_MS });
  });

  test("does not pass if its tenant has limits, and is dropped by a root, a wait and a stop", () => {
    expect(getShortPermit(decide(runUnder(ADMITTED, below), cancel, 100).state, 100)).toBeNull();
    expect(getShortPermit(decide(runUnder(transferable), cancel, 100).state, 100)).toBeNull();
    const halted = decide(runUnder(transferable, below), { type: "halt", message: "Stopped." }, 100);
    expect(getShortPermit(decide(halted.state, cancel, 101).state, 101)).toBeNull();
  });
});

test("what is left of a permit is counted from its receipt, also when the clock is set back", () => {
  expect(getRemaining(short, 1000, 1400)).toEqual({ forMs: 1100 });
  expect(getRemaining(short, 1000, 900)).toEqual(short);
  expect(getRemaining(short, 1000, 2500)).toBeNull();
  expect(getRemaining(null, 1000, 1000)).toBeNull();
});
