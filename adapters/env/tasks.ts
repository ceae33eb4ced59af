/** The objects of tasks. */
import type { Env } from "./bindings.ts";
import { getStub, type Watchable } from "./object-stub.ts";
import type { TaskRpc } from "../../core/task/rpc.ts";

/** A task's object: its methods, and the WebSocket of watchers (`GET https://task/watch`). */
export type TaskStub = TaskRpc & Watchable;

/** The object of a task, by tenant and id. */
export function tasksFromEnv(env: Env): (tenant: string, task: string) => TaskStub {
  return (tenant, task) => getStub<TaskStub>(env.TASKS, `${tenant}/${task}`);
}
