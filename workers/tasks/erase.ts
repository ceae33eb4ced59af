/** The erasing of tasks, also of one whose state is lost. Everything here can be done again. */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { eraseFilesFromEnv } from "../../adapters/env/files.ts";
import { tasksFromEnv } from "../../adapters/env/tasks.ts";
import { tenantsFromEnv } from "../../adapters/env/tenants.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { OttoError } from "../../core/base/errors.ts";
import type { TaskView } from "../../core/task/view.ts";
import { unwrap } from "../http/unwrap.ts";

/** Tasks below a lost one that are erased with it. */
const MAX_BELOW = 1000;

/** A task that lives is cancelled first. `by` cancels it. */
export async function eraseTask(env: Env, tenant: string, task: string, by: string): Promise<void> {
  const object = tasksFromEnv(env)(tenant, task);
  let erased = await object.erase();
  if (!erased.ok && erased.error.code === "conflict") {
    await object.cancel(by);
    erased = await object.erase();
  }
  if (!erased.ok && erased.error.code !== "not_found") throw new OttoError(erased.error);
}

/** Erases what is left of a lost task: the tasks below it, its files, its line in the index. */
export async function eraseLostTask(env: Env, tenant: string, { id, parent_id: parent }: TaskView): Promise<void> {
  for (const below of unwrap(await databaseFromEnv(env).tasks.listBelow(tenant, id, MAX_BELOW))) {
    await eraseTask(env, tenant, below.id, "the erasing of a task above");
    await tenantsFromEnv(env)(tenant).forget(below.id);
  }
  if (parent === null) await eraseFilesFromEnv(env, { tenant, rootId: id });
  await tenantsFromEnv(env)(tenant).forget(id);
}
