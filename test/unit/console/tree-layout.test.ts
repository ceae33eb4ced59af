import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  edgePath,
  foldable,
  layoutTree,
  NODE,
  type PlacedTask,
  type TreeTask,
} from "../../../web/src/pages/task/tree/tree-layout.ts";
import { stepOf } from "../../../web/src/pages/task/tree/tree-walk.ts";

/** A tree of tasks: the n-th hangs from the task whose number `parents[n - 1]` is; the root is number 0. */
function treeOf(parents: readonly number[]) {
  const nodes = [null, ...parents].map((parent, number) => taskOf(number, parent));
  return { root: "task_0", nodes };
}

function taskOf(number: number, parent: number | null): TreeTask {
  return {
    id: `task_${number}`,
    parent_id: parent === null ? null : `task_${parent}`,
    title: `${String.fromCharCode(97 + (number % 26))} piece of work`,
    status: "completed",
    agent: "agent_1",
    project: null,
    created_at: "2026-01-01T00:00:00.000Z",
    ended_at: null,
    usage: { steps: 1, tool_calls: 0, tokens: 10, cost_usd: 0 },
  };
}

const ids = (tasks: readonly PlacedTask[]): string[] => tasks.map(({ task }) => task.id);
const none: ReadonlySet<string> = new Set();

/** Parents of up to 80 tasks, each before its child. */
const parents = fc
  .array(fc.nat(), { maxLength: 80 })
  .map((numbers) => numbers.map((number, index) => number % (index + 1)));

describe("the picture of a tree", () => {
  it("shows one task alone", () => {
    const { tasks, width, height } = layoutTree(treeOf([]), none);
    expect(tasks).toMatchObject([
      { depth: 0, parentId: null, hasChildren: false, hidden: 0, position: 1, siblings: 1 },
    ]);
    expect(width).toBeGreaterThan(NODE.width);
    expect(height).toBeGreaterThan(NODE.height);
  });

  it("puts children in their order next to their parent, which is centred", () => {
    const { tasks } = layoutTree(treeOf([0, 0, 0, 2]), none);
    expect(ids(tasks)).toEqual(["task_0", "task_1", "task_2", "task_4", "task_3"]);
    const at = new Map(tasks.map((task) => [task.task.id, task]));
    expect(at.get("task_0")?.y).toBe(at.get("task_2")?.y);
    expect(at.get("task_4")?.y).toBe(at.get("task_2")?.y);
    expect(tasks.map(({ depth }) => depth)).toEqual([0, 1, 1, 2, 1]);
    expect(tasks.map(({ position, siblings }) => `${position}/${siblings}`)).toEqual([
      "1/1",
      "1/3",
      "2/3",
      "1/1",
      "3/3",
    ]);
  });

  it("never lets two tasks touch, retains the order and stays inside its frame, for any tree", () => {
    fc.assert(
      fc.property(parents, fc.array(fc.nat(80)), (shape, folds) => {
        const folded = new Set(folds.map((number) => `task_${number}`));
        const { tasks, width, height } = layoutTree(treeOf(shape), folded);
        for (const [index, one] of tasks.entries()) {
          expect(one.x >= 0 && one.x + NODE.width <= width && one.y >= 0 && one.y + NODE.height <= height).toBe(true);
          for (const other of tasks.slice(index + 1))
            expect(Math.abs(one.x - other.x) >= NODE.width || Math.abs(one.y - other.y) >= NODE.height).toBe(true);
        }
        for (const depth of new Set(tasks.map((task) => task.depth))) {
          const column = tasks.filter((task) => task.depth === depth).map(({ y }) => y);
          expect(column).toEqual(column.toSorted((a, b) => a - b));
        }
      }),
    );
  });

  it("shows or counts as hidden every task, whatever is folded", () => {
    fc.assert(
      fc.property(parents, fc.array(fc.nat(80)), (shape, folds) => {
        const folded = new Set(folds.map((number) => `task_${number}`));
        const { tasks } = layoutTree(treeOf(shape), folded);
        expect(tasks.reduce((sum, { hidden }) => sum + 1 + hidden, 0)).toBe(shape.length + 1);
      }),
    );
  });

  it.each([
    ["one below the other", (index: number) => index, 1],
    ["all below the root", () => 0, 999],
  ])("lays out a thousand tasks, %s", (_, parentOf, rows) => {
    const { tasks, height } = layoutTree(treeOf(Array.from({ length: 999 }, (_, index) => parentOf(index))), none);
    expect(tasks).toHaveLength(1000);
    expect(height).toBeLessThan((rows + 1) * NODE.stepY);
  });

  it("hangs a task whose parent is absent, or listed after it, from the root", () => {
    const tree = treeOf([0, 0]);
    const strange = [...tree.nodes, { ...taskOf(9, 8), parent_id: "task_gone" }, taskOf(5, 6), taskOf(6, 5)];
    const { tasks } = layoutTree({ root: tree.root, nodes: strange }, none);
    expect(ids(tasks)).toEqual(["task_0", "task_1", "task_2", "task_9", "task_5", "task_6"]);
    expect(tasks.find(({ task }) => task.id === "task_5")?.parentId).toBe("task_0");
  });

  it("shows nothing of a tree without its root", () => {
    expect(layoutTree({ root: "task_gone", nodes: treeOf([0]).nodes }, none).tasks).toEqual([]);
    expect(foldable({ root: "task_gone", nodes: [] })).toEqual([]);
  });

  it("draws a line from the right edge of the parent to the left edge of the child", () => {
    const [root, child] = layoutTree(treeOf([0]), none).tasks;
    const path = edgePath(root as PlacedTask, child as PlacedTask);
    expect(path.startsWith(`M${16 + NODE.width} ${16 + NODE.height / 2}C`)).toBe(true);
    expect(path.endsWith(` ${16 + NODE.stepX} ${16 + NODE.height / 2}`)).toBe(true);
  });

  it("lists the tasks that can be folded", () => {
    expect(foldable(treeOf([0, 1, 0]))).toEqual(["task_0", "task_1"]);
  });
});

describe("the keys of a tree", () => {
  const open = layoutTree(treeOf([0, 1, 1, 0]), none).tasks;
  const folded = layoutTree(treeOf([0, 1, 1, 0]), new Set(["task_1"])).tasks;

  it.each([
    ["ArrowDown", "task_0", { do: "focus", id: "task_1" }],
    ["ArrowDown", "task_4", null],
    ["ArrowUp", "task_4", { do: "focus", id: "task_3" }],
    ["ArrowUp", "task_0", null],
    ["Home", "task_3", { do: "focus", id: "task_0" }],
    ["End", "task_0", { do: "focus", id: "task_4" }],
    ["ArrowRight", "task_1", { do: "focus", id: "task_2" }],
    ["ArrowRight", "task_2", null],
    ["ArrowLeft", "task_2", { do: "focus", id: "task_1" }],
    ["ArrowLeft", "task_1", { do: "fold", id: "task_1" }],
    ["c", "task_4", { do: "focus", id: "task_2" }],
    ["C", "task_0", { do: "focus", id: "task_2" }],
    ["z", "task_0", null],
    ["Tab", "task_0", null],
    [" ", "task_0", null],
  ])("%s at %s", (key, id, step) => {
    expect(stepOf(open, id, key)).toEqual(step);
  });

  it("open folded tasks, skip hidden ones, and move from a folded task to its parent", () => {
    expect(stepOf(folded, "task_1", "ArrowRight")).toEqual({ do: "unfold", id: "task_1" });
    expect(stepOf(folded, "task_1", "ArrowDown")).toEqual({ do: "focus", id: "task_4" });
    expect(stepOf(folded, "task_1", "ArrowLeft")).toEqual({ do: "focus", id: "task_0" });
  });

  it("do nothing at a task that is not seen", () => {
    expect(stepOf(folded, "task_2", "ArrowDown")).toBeNull();
  });
});
