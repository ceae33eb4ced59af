/** The objects of tasks. */
import type { Env } from "./bindings.ts";
import { stubOf, type Watchable } from "./object-stub.ts";
import type { TaskRpc } from "../../core/task/rpc.ts";

/** A task's object: its methods, and the watcher's WebSocket (`GET https://task/watch`). */
export type TaskStub = TaskRpc & Watchable;

/** A task's object, by tenant and id. */
export function tasksFromEnv(env: Env): (tenant: string, task: string) => TaskStub {
  return (tenant, task) => stubOf<TaskStub>(env.TASKS, `${tenant}/${task}`);
}
