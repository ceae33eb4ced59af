/**
 * A tree whose root lost its stored state, as retention erases it: the tasks below it that the index lists, its files, its line in
 * the index. Everything can be done again. `workers/tasks/erase.ts` does the same for a person.
 */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { eraseFilesFromEnv } from "../../adapters/env/files.ts";
import { tasksFromEnv } from "../../adapters/env/tasks.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { OttoError, type Result } from "../../core/base/errors.ts";

/** Tasks below a root that are erased at once. */
const MAX_BELOW = 1000;

/** The tasks below a lost root; null: one of them lives, or ended after `cutoff`, in milliseconds since the epoch. */
export async function findLostTree(
  env: Env,
  tenant: string,
  root: string,
  cutoff: number,
): Promise<readonly string[] | null> {
  const below = value(await databaseFromEnv(env).tasks.listBelow(tenant, root, MAX_BELOW));
  for (const { id } of below) {
    const ended = await tasksFromEnv(env)(tenant, id).treeEndedAt();
    if (!ended.ok && ended.error.code !== "not_found") throw new OttoError(ended.error);
    if (ended.ok && (ended.value === null || ended.value > cutoff)) return null;
  }
  return below.map(({ id }) => id);
}

/** Erases the tree; `forget` takes a task out of the index. False: there may be more below, and the root stays. */
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

function value<T>(result: Result<T>): T {
  if (!result.ok) throw new OttoError(result.error);
  return result.value;
}
