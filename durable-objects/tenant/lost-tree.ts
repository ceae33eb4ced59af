/**
 * Erases a task tree whose root lost its stored state, for retention: the indexed tasks below it, its files and its
 * index row. Every step is idempotent. `workers/tasks/erase.ts` does the same for a person.
 */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { eraseFilesFromEnv } from "../../adapters/env/files.ts";
import { tasksFromEnv } from "../../adapters/env/tasks.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { OttoError } from "../../core/base/errors.ts";
import { unwrap } from "../../core/base/unwrap.ts";

/** Maximum tasks below a root that one run erases. */
const MAX_BELOW = 1000;

/** Lists the tasks below a lost root; null if one of them is active or ended after `cutoff` (ms since the epoch). */
export async function findLostTree(
  env: Env,
  tenant: string,
  root: string,
  cutoff: number,
): Promise<readonly string[] | null> {
  const below = unwrap(await databaseFromEnv(env).tasks.listBelow(tenant, root, MAX_BELOW));
  for (const { id } of below) {
    const ended = await tasksFromEnv(env)(tenant, id).treeEndedAt();
    if (!ended.ok && ended.error.code !== "not_found") throw new OttoError(ended.error);
    if (ended.ok && (ended.value === null || ended.value > cutoff)) return null;
  }
  return below.map(({ id }) => id);
}

/**
 * Erases the tree; `forget` removes a task from the index. False if more tasks may remain below the root, which then
 * stays.
 */
export async function eraseLostTree(
  env: Env,
  { tenant, root, below }: { readonly tenant: string; readonly root: string; readonly below: readonly string[] },
  forget: (task: string) => void,
): Promise<boolean> {
  for (const id of below) {
    const erased = await tasksFromEnv(env)(tenant, id).erase(true);
    if (!erased.ok && erased.error.code !== "not_found") throw new OttoError(erased.error);
    forget(id);
  }
  if (below.length === MAX_BELOW) return false;
  await eraseFilesFromEnv(env, { tenant, rootId: root });
  forget(root);
  return true;
}
