/** Reads the current views of several tasks, each from its own object. */
import type { TaskView } from "../../core/task/view.ts";
import type { AppContext } from "../http/context.ts";
import { findView } from "./access.ts";

/** Tasks that are read at once. */
const AT_ONCE = 20;

/** Returns the views of the tasks with these ids, in order. Erased ones are left out. */
export async function readViews(c: AppContext, ids: readonly string[]): Promise<TaskView[]> {
  const views: TaskView[] = [];
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    const some = ids.slice(start, start + AT_ONCE);
    const read = await Promise.all(some.map(async (id) => await findView(c, id)));
    views.push(...read.filter((view) => view !== null));
  }
  return views;
}
