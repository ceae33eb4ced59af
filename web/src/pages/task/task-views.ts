/** The views of a task beside its timeline; the code of each comes when it is first opened. */
import { type ComponentType, lazy } from "react";
import type { Task } from "../../api/types.generated.ts";
import type { TaskSearch } from "./task-search.ts";
import { whenReached } from "../../api/when-reached.ts";

interface TaskView {
  readonly label: string;
  /** Undefined: the timeline. */
  readonly view: TaskSearch["view"];
  readonly Component: ComponentType<{ readonly task: Task }>;
}

/** In the order of the tabs. */
export const TASK_VIEWS: readonly TaskView[] = [
  {
    label: "Timeline",
    view: undefined,
    Component: lazy(async () => ({
      default: (await whenReached(async () => await import("./timeline/timeline-view.tsx"))).TimelineView,
    })),
  },
  {
    label: "Subtasks",
    view: "tree",
    Component: lazy(async () => ({
      default: (await whenReached(async () => await import("./tree/tree.tsx"))).TaskTree,
    })),
  },
  {
    label: "Time and money",
    view: "time",
    Component: lazy(async () => ({
      default: (await whenReached(async () => await import("./time/time.tsx"))).TaskTime,
    })),
  },
  {
    label: "Files",
    view: "files",
    Component: lazy(async () => ({
      default: (await whenReached(async () => await import("./files/files.tsx"))).TaskFiles,
    })),
  },
];
