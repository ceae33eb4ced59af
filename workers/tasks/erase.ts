/** Erases tasks, including those whose state is lost. All of it is idempotent. */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { eraseFilesFromEnv } from "../../adapters/env/files.ts";
import { tasksFromEnv } from "../../adapters/env/tasks.ts";
import { tenantsFromEnv } from "../../adapters/env/tenants.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { OttoError } from "../../core/base/errors.ts";
import type { TaskView } from "../../core/task/view.ts";
import { unwrap } from "../http/unwrap.ts";

/** Subtasks of a lost task that are erased with it. */
const MAX_BELOW = 1000;

/** Cancels a live task first, in the name of `by`. */
export async function eraseTask(env: Env, tenant: string, task: string, by: string): Promise<void> {
  const object = tasksFromEnv(env)(tenant, task);
  let erased = await object.erase();
  if (!erased.ok && erased.error.code === "conflict") {
    await object.cancel(by);
    erased = await object.erase();
  }
  if (!erased.ok && erased.error.code !== "not_found") throw new OttoError(erased.error);
}

/** Erases the remains of a lost task: its subtasks, its files, and its row in the index. */
export async function eraseLostTask(env: Env, tenant: string, { id, parent_id: parent }: TaskView): Promise<void> {
  for (const below of unwrap(await databaseFromEnv(env).tasks.listBelow(tenant, id, MAX_BELOW))) {
    await eraseTask(env, tenant, below.id, "the erasing of a task above");
    await tenantsFromEnv(env)(tenant).forget(below.id);
  }
  if (parent === null) await eraseFilesFromEnv(env, { tenant, rootId: id });
  await tenantsFromEnv(env)(tenant).forget(id);
}
