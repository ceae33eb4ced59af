/**
 * Removes what no search reads any more: the pieces of versions that were replaced, failed or deleted, their vectors, and
 * their files. Vectors and files are removed before the rows that name them.
 */
import { failed, ok, type Result } from "../base/errors.ts";
import type { KnowledgeTable } from "../ports/knowledge.ts";
import type { VectorsPort } from "../ports/vectors.ts";
import { getVersionPrefix } from "./files.ts";

const BATCH = 500;
/** Batches that one call removes; the sweep removes the rest. */
const MAX_BATCHES = 20;

export interface CleanDeps {
  readonly tenant: string;
  readonly knowledge: Pick<KnowledgeTable, "leftovers" | "removePieces" | "removeVersions">;
  readonly vectors: Pick<VectorsPort, "delete">;
  /** Deletes a bounded part of what is under a prefix; true when nothing is left. */
  readonly blobs: { erase(prefix: string): Promise<boolean> };
}

/** Returns true when nothing is left. */
export async function cleanDocument(deps: CleanDeps, document: string): Promise<Result<boolean>> {
  const { tenant, knowledge, vectors } = deps;
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const left = await knowledge.leftovers(tenant, document, BATCH);
    if (!left.ok) return left;
    const { pieces, folders } = left.value;
    if (pieces.length > 0) {
      const forgotten = await vectors.delete(tenant, pieces);
      if (!forgotten.ok) return forgotten;
      const removed = await knowledge.removePieces(tenant, pieces);
      if (!removed.ok) return removed;
      continue;
    }
    const erased = await eraseFolders(deps, folders);
    if (!erased.ok) return erased;
    if (erased.value.length < folders.length) continue;
    const removed = await knowledge.removeVersions(tenant, document, folders);
    if (!removed.ok) return removed;
    if (folders.length < BATCH) return ok(true);
  }
  return ok(false);
}

/** Returns the folders that are empty now. */
async function eraseFolders({ tenant, blobs }: CleanDeps, folders: readonly string[]): Promise<Result<string[]>> {
  const empty: string[] = [];
  try {
    for (const folder of folders) if (await blobs.erase(getVersionPrefix(tenant, folder))) empty.push(folder);
    return ok(empty);
  } catch (thrown) {
    const details = { thrown: thrown instanceof Error ? thrown.message : String(thrown) };
    return failed("upstream_failed", "The file store did not reply. Try again later.", { details });
  }
}
