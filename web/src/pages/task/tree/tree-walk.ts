/** Where a key leads in a tree of tasks, as the ARIA pattern of a tree view has it. */
import type { PlacedTask } from "./tree-layout.ts";

/** What a key does: the focus goes to a task, or a task is folded or opened. */
export type TreeStep =
  | { readonly do: "focus"; readonly id: string }
  | { readonly do: "fold" | "unfold"; readonly id: string };

/** `tasks` are those seen, in their order. Null: the key means nothing here. */
export function stepOf(tasks: readonly PlacedTask[], id: string, key: string): TreeStep | null {
  const index = tasks.findIndex(({ task }) => task.id === id);
  const here = tasks[index];
  if (here === undefined) return null;
  switch (key) {
    case "ArrowDown":
      return focus(tasks[index + 1]);
    case "ArrowUp":
      return focus(tasks[index - 1]);
    case "Home":
      return focus(tasks[0]);
    case "End":
      return focus(tasks.at(-1));
    case "ArrowRight":
      if (here.hidden > 0) return { do: "unfold", id };
      return here.hasChildren ? focus(tasks[index + 1]) : null;
    case "ArrowLeft":
      if (here.hasChildren && here.hidden === 0) return { do: "fold", id };
      return focus(tasks.find(({ task }) => task.id === here.parentId));
    default:
      return key.length === 1 && key !== " " ? focus(beginningWith(tasks, index, key)) : null;
  }
}

function focus(to: PlacedTask | undefined): TreeStep | null {
  return to === undefined ? null : { do: "focus", id: to.task.id };
}

/** The next task, around the end, whose title begins with the letter. */
function beginningWith(tasks: readonly PlacedTask[], index: number, letter: string): PlacedTask | undefined {
  const others = [...tasks.slice(index + 1), ...tasks.slice(0, index)];
  return others.find(({ task }) => task.title.toLowerCase().startsWith(letter.toLowerCase()));
}
