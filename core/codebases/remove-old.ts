/** Deletes the files that no search sees and no attempt writes. Vectors are deleted before the rows that name them. */
import { ok, type Result } from "../base/errors.ts";
import type { CodebaseTable } from "../ports/codebases.ts";
import type { VectorsPort } from "../ports/vectors.ts";

/** Files of a batch, and batches of one call. */
const BATCH = 100;
const MAX_BATCHES = 200;

interface RemoveDeps {
  readonly table: Pick<CodebaseTable, "old" | "removeOld">;
  readonly vectors: Pick<VectorsPort, "delete">;
}

/** `codebase` null: of all codebases. True: nothing is left. */
export async function removeOldCode(
  { table, vectors }: RemoveDeps,
  tenant: string,
  codebase: string | null,
): Promise<Result<boolean>> {
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const old = await table.old(tenant, codebase, BATCH);
    if (!old.ok) return old;
    const { files, chunks } = old.value;
    if (files.length === 0) return ok(true);
    const forgotten = await vectors.delete(tenant, chunks);
    if (!forgotten.ok) return forgotten;
    const removed = await table.removeOld(tenant, files);
    if (!removed.ok) return removed;
  }
  return ok(false);
}
