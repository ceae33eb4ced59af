import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { confirmedOutcome, failedOutcome } from "../../../core/task/ledger.ts";
import type { SubtaskEnding } from "../../../core/task/commands.ts";
import { listNewSubtasks } from "../../../core/task/subtasks.ts";
import { getStatus } from "../../../core/task/status.ts";
import { createTask, decide } from "../../../core/task/task.ts";
import {
  requestCalls,
  drawsFrom,
  createEnding,
  preparedCall,
  toView,
  shuffled,
  startThinking,
  wake,
} from "./play-task.ts";
import { crashing } from "./faults.ts";
import { DISPATCH, factsOf, type ScriptedCall, TaskWorld } from "./world.ts";

const dispatch: ScriptedCall = { tool: "dispatch_subagent", effect: "none", control: DISPATCH };
const many = (count: number) => Array.from({ length: count }, () => dispatch);
const typesOf = (world: TaskWorld) => world.events.map(({ type }) => type);
const count = (world: TaskWorld, type: string) => typesOf(world).filter((other) => other === type).length;
const rowsOf = (world: TaskWorld) => [...world.ledger.values()];

/** An end of a subtask as it may be: done, failed, cancelled or overspent. */
function anyEnding(subtask: string, draw: () => number): SubtaskEnding {
  const used = { inputTokens: Math.floor(draw() * 900), outputTokens: Math.floor(draw() * 90), costMicros: draw() * 9 };
  const status = (["completed", "completed", "failed", "cancelled"] as const)[Math.floor(draw() * 4)] ?? "failed";
  if (status === "completed") return createEnding(subtask, used);
  const outcome = failedOutcome("failed", "upstream_failed", `The subtask ${subtask} came to nothing.`);
  return createEnding(subtask, { ...used, status, outcome });
}

test("a subtask has its own call's answer on records in its input, and not its parent's", () => {
  const made = (copiesRecord: boolean | undefined, ofParent: boolean) => {
    const state = startThinking({ copiesRecord: ofParent });
    const known = copiesRecord === undefined ? {} : { copiesRecord };
    const outcome = { ...confirmedOutcome({}, "", 1), control: DISPATCH };
    const call = preparedCall(state, 0, { tool: "dispatch_subagent", dispatches: true, outcome, ...known });
    return listNewSubtasks(requestCalls(state, [call]).state, 0).map(({ facts }) => facts.copiesRecord);
  };
  for (const ofParent of [true, false])
    for (const known of [true, false, undefined]) expect(made(known, ofParent)).toEqual([known]);
});

describe("fifty subtasks of one step", () => {
  test("resume their task once with every result in the order of the calls, for any order of reports, repeats and crashes", () => {
    let madeAgain = 0;
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const draw = drawsFrom(seed);
        const world = new TaskWorld([many(50)], crashing(draw, 0.02));
        const endings = new Map<string, SubtaskEnding>();
        const end = (subtask: string): void => {
          const ending = endings.get(subtask) ?? anyEnding(subtask, draw);
          endings.set(subtask, ending);
          world.apply({ type: "subtask_ended", ending });
        };
        world.afterMade = ({ facts }) => (draw() < 0.1 ? end(facts.id) : undefined);
        world.run();
        expect(getStatus(world.state)).toBe("waiting_subagents");
        expect(world.alarm).toBeNull();

        madeAgain += [...world.subtasks.values()].filter(({ times }) => times > 1).length;
        const ids = [...world.subtasks.keys()];
        for (const id of shuffled([...ids, ...ids.filter(() => draw() < 0.3)], draw)) {
          end(id);
          if (draw() < 0.2) world.run();
        }
        world.run();

        expect(getStatus(world.state)).toBe("completed");
        const started = world.events.filter(({ type, data }) => type === "step.started" && data["attempt"] === 1);
        expect(started.map(({ data }) => data["step"])).toEqual([1, 2]);
        expect(count(world, "task.resumed")).toBe(1);
        const madeBy = new Map([...world.subtasks.values()].map(({ made }) => [made.callId, made.facts.id]));
        expect([world.subtasks.size, madeBy.size]).toEqual([50, 50]);
        expect(rowsOf(world).map(({ callId, content }) => [callId, content])).toEqual(
          rowsOf(world).map(({ callId }) => [callId, endings.get(madeBy.get(callId) ?? "")?.outcome.content]),
        );
        expect(rowsOf(world).map(({ index }) => index)).toEqual(Array.from({ length: 50 }, (_, index) => index));
        expect([...world.state.subtasks].sort()).toEqual([...ids].sort());
        expect(world.state.tree).toHaveLength(50);
        expect([count(world, "subtask.created"), count(world, "subtask.ended")]).toEqual([50, 50]);
        const sum = (of: (ending: SubtaskEnding) => number) =>
          [...endings.values()].reduce((all, one) => all + of(one), 0);
        expect(world.state.usedBelow).toMatchObject({
          inputTokens: sum(({ inputTokens }) => inputTokens),
          outputTokens: sum(({ outputTokens }) => outputTokens),
          costMicros: expect.closeTo(
            sum(({ costMicros }) => costMicros),
            6,
          ),
        });
        expect(world.spent.filter(({ purpose }) => purpose === "subtask")).toHaveLength(50);
      }),
      { numRuns: 500 },
    );
    expect(madeAgain).toBeGreaterThan(50);
  }, 120_000);

  test("fill the tree: the call of one more is refused in the ledger", () => {
    const world = new TaskWorld([many(51)]);
    world.run();
    expect(rowsOf(world)[50]).toMatchObject({
      state: "refused",
      result: { ok: false, error: { code: "quota_exceeded" } },
      content: expect.stringContaining("at most 50 subtasks"),
    });
    expect(world.subtasks.size).toBe(50);
    expect(world.state.tree).toHaveLength(50);
  });

  test("count for the whole life of the tree, also after they ended", () => {
    const world = new TaskWorld([many(50), many(1)]);
    world.run();
    for (const id of world.subtasks.keys()) world.apply({ type: "subtask_ended", ending: createEnding(id) });
    world.run();
    expect(rowsOf(world)[50]).toMatchObject({ step: 2, state: "refused" });
    expect(getStatus(world.state)).toBe("completed");
  });
});

describe("a task that may not dispatch", () => {
  test("is one three levels below the root: the model reads why", () => {
    const world = new TaskWorld([many(1)], undefined, factsOf({ depth: 3, parentId: "task_above" }));
    world.run();
    expect(rowsOf(world)).toMatchObject([
      { state: "refused", result: { error: { code: "quota_exceeded" } }, content: expect.stringContaining("3 deep") },
    ]);
    expect(getStatus(world.state)).toBe("completed");
    const above = new TaskWorld([many(1)], undefined, factsOf({ depth: 2, parentId: "task_above" }));
    above.run();
    expect([...above.subtasks.values()].map(({ made }) => made.facts.depth)).toEqual([3]);
  });

  test("is a single call of a tool", () => {
    const call = preparedCall(startThinking(), 0, { tool: "dispatch_subagent", effect: "none" });
    const { state } = createTask({ facts: factsOf({ kind: "call" }), hold: false, call }, 0);
    const acting = wake(state, "a", 0).state;
    const outcome = { ...createEnding("x").outcome, control: DISPATCH };
    const settled = decide(acting, { type: "call_settled", step: 1, incarnation: "a", callId: call.id, outcome }, 1);
    expect(settled.ledger).toMatchObject([{ kind: "settle", state: "refused" }]);
    expect(settled.state).toMatchObject({ phase: { name: "ended" }, tree: [], toCancel: [] });
  });
});

describe("a task below the root", () => {
  const facts = factsOf({ depth: 1, parentId: "task_root", rootId: "task_root" });
  const full = { code: "quota_exceeded", message: "A tree of tasks has at most 50 subtasks." } as const;

  test("requests each subtask from the root; a refusal settles its call, and the others are created", () => {
    const world = new TaskWorld([many(3)], undefined, facts);
    world.treeSays = ({ callId }) => (callId.endsWith("_1") ? full : null);
    world.run();
    expect(rowsOf(world).map(({ state }) => state)).toEqual(["intended", "refused", "intended"]);
    expect(rowsOf(world)[1]?.content).toContain("at most 50");
    expect(world.state).toMatchObject({ tree: [], subtasks: [...world.subtasks.keys()] });
    for (const id of world.subtasks.keys()) world.apply({ type: "subtask_ended", ending: createEnding(id) });
    world.run();
    expect(getStatus(world.state)).toBe("completed");
  });

  test("continues at once when the root refuses them all", () => {
    const world = new TaskWorld([many(2)], undefined, facts);
    world.treeSays = () => full;
    world.run();
    expect(getStatus(world.state)).toBe("completed");
    expect(count(world, "task.waiting")).toBe(0);
  });
});

describe("the root of a tree", () => {
  test("counts a repeated request once, and refuses the fifty-first subtask", () => {
    let state = startThinking();
    const enroll = (subtask: string) => decide(state, { type: "enroll", subtask }, 1);
    for (let i = 0; i < 50; i += 1) state = enroll(`task_${i}`).state;
    expect(enroll("task_7")).toMatchObject({ refused: null, state: { tree: { length: 50 } } });
    expect(enroll("task_50").refused).toMatchObject({ code: "quota_exceeded" });
    expect(enroll("task_50").state).toBe(state);
  });

  test("that ended accepts no new subtask, and recognises the accepted ones", () => {
    const taken = decide(startThinking(), { type: "enroll", subtask: "task_a" }, 1).state;
    const ended = decide(taken, { type: "cancel", by: "x" }, 2).state;
    expect(decide(ended, { type: "enroll", subtask: "task_b" }, 3).refused?.code).toBe("conflict");
    expect(decide(ended, { type: "enroll", subtask: "task_a" }, 3)).toMatchObject({ refused: null });
  });
});

describe("a subtask", () => {
  test("that ended before its creation was acknowledged was created", () => {
    const world = new TaskWorld([many(2)]);
    world.afterMade = ({ facts }) => world.apply({ type: "subtask_ended", ending: createEnding(facts.id) });
    world.run();
    expect(typesOf(world).indexOf("subtask.created")).toBeLessThan(typesOf(world).indexOf("subtask.ended"));
    expect(world.state.subtasks).toEqual([...world.subtasks.keys()]);
    expect(getStatus(world.state)).toBe("completed");
  });

  test("is not created again after its creation was acknowledged, whatever is cut off later", () => {
    let made = 0;
    let isDue = true;
    const chance = () => {
      if (made !== 2 || !isDue) return 1;
      isDue = false;
      return 0;
    };
    const world = new TaskWorld([many(3)], { chance, crashRate: 0.5 });
    world.afterMade = () => {
      made += 1;
    };
    world.run();
    expect(world.crashes).toBe(1);
    expect([...world.subtasks.values()].map(({ times }) => times)).toEqual([1, 2, 1]);
  });

  test("ends under the id of another task without effect", () => {
    const world = new TaskWorld([many(1)]);
    world.run();
    const before = world.state;
    expect(world.apply({ type: "subtask_ended", ending: createEnding("task_other") }).state).toBe(before);
    expect(world.apply({ type: "subtask_opened", callId: "call_other" }).state).toBe(before);
  });

  test("is not refused after it was created", () => {
    const world = new TaskWorld([many(1)]);
    world.run();
    const [callId = ""] = world.ledger.keys();
    const failure = { code: "quota_exceeded", message: "The tree is full." } as const;
    expect(world.apply({ type: "subtask_refused", callId, failure }).state).toBe(world.state);
    expect(world.ledger.get(callId)?.state).toBe("intended");
  });

  test("is dispatched by a call that already ran in the model phase", () => {
    const world = new TaskWorld([[{ ...dispatch, early: true }]]);
    world.run();
    expect(toView(world.state)).toMatchObject({ status: "waiting_subagents", pending: [] });
    expect(world.subtasks.size).toBe(1);
  });
});
