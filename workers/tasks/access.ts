/** Reaches a task by the tenant of the key and the task's id, and in no other way. */
import { tasksFromEnv, type TaskStub } from "../../adapters/env/tasks.ts";
import { NO_SUCH_TASK, OttoError, raise, type Result } from "../../core/base/errors.ts";
import { isId } from "../../core/base/ids.ts";
import type { TaskFacts } from "../../core/task/state.ts";
import { hasEnded } from "../../core/task/status.ts";
import type { TaskView } from "../../core/task/view.ts";
import type { AppContext } from "../http/context.ts";
import { findRetry } from "../http/retryable-failure.ts";
import { getTenant } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";
import { z } from "zod";

/** The path of every route of one task. */
export const taskParams = z.object({ id: z.string().describe("The task's id, `task_…`") });

/** Returns the object of a task. An invalid id is `not_found`, without a call to an object. */
export function getTaskStub(c: AppContext, id: string): TaskStub {
  if (!isId("task", id)) throw new OttoError(NO_SUCH_TASK);
  return tasksFromEnv(c.env)(getTenant(c), id);
}

/** Reads from a task. Retries once if the object was reset during the call. */
export async function readTask<T>(c: AppContext, id: string, read: (task: TaskStub) => Promise<Result<T>>): Promise<T> {
  try {
    return unwrap(await read(getTaskStub(c, id)));
  } catch (thrown) {
    if (findRetry(thrown) !== "reset") throw thrown;
    return unwrap(await read(getTaskStub(c, id)));
  }
}

/**
 * Returns the task that decides a question at `id`: that task itself, or `owner`, a subtask whose questions it shows.
 * Any other owner is `not_found`, with the caller's message for a missing question.
 */
export async function findDecidingTask(
  c: AppContext,
  id: string,
  owner: string | null,
  missing: string,
): Promise<string> {
  if (owner === null || owner === id) return id;
  let facts = await findFacts(c, owner);
  for (; facts !== null && facts.parentId !== null; facts = await findFacts(c, facts.parentId)) {
    if (facts.parentId === id) return owner;
  }
  return raise("not_found", missing);
}

/** The facts of a task; null for an unknown id. */
export async function findFacts(c: AppContext, id: string): Promise<TaskFacts | null> {
  return await toNull(readTask(c, id, (stub) => stub.facts()));
}

/** The current view of a task; null for an unknown id. */
export async function findView(c: AppContext, id: string): Promise<TaskView | null> {
  return await toNull(readTask(c, id, (stub) => stub.view()));
}

async function toNull<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (thrown) {
    if (thrown instanceof OttoError && thrown.failure.code === "not_found") return null;
    throw thrown;
  }
}

/** Refuses to add files or calls to a task that has ended. */
export function refuseEnded({ status }: TaskView): void {
  if (hasEnded(status)) raise("conflict", `The task is ${status}. It accepts no more files or calls.`);
}
