/** Erasing a task: its files, its line in the index, its log. Every part can be done again, and the task itself goes last. */
import { eraseFilesFromEnv, tenantsFromEnv } from "../adapters/from-env.ts";
import { raise } from "../core/errors.ts";
import type { TaskView } from "../core/task-view.ts";
import { hasEnded } from "./await-task.ts";
import type { AppContext } from "./context.ts";
import { readTask, taskStub, tenantOf, unwrap } from "./task-access.ts";

/** Erases a task that has ended and gives it as it was. A live one is a `conflict`. */
export async function eraseTask(c: AppContext, id: string): Promise<TaskView> {
  const view = await readTask(c, id, (stub) => stub.view());
  if (!hasEnded(view)) raise("conflict", `The task is ${view.status}. Cancel it before it is erased.`);
  const facts = await readTask(c, id, (stub) => stub.facts());
  // A call that was made for another task works in that task's sandbox.
  if (facts.rootId === facts.id) await eraseFilesFromEnv(c.env, facts);
  await tenantsFromEnv(c.env)(tenantOf(c)).forget(id);
  unwrap(await taskStub(c, id).erase());
  return view;
}
