/**
 * Changes to the files of a task that happen together or not at all. The bytes go to the bucket first; then each sandbox
 * that is touched makes its part in one transaction. Two of them, a task's own and its project's, are first asked both, and
 * the first one takes its part back when the second refuses after all, or does not answer.
 */
import { failed, type Failure, type Result } from "../../core/base/errors.ts";
import type { SandboxRpc } from "../../core/sandbox/rpc.ts";
import { sleep } from "../../core/base/deadline.ts";
import type { ChangeSet, SetWrite } from "../../core/sandbox/change-set.ts";
import type { WriteOptions } from "../../core/ports/files.ts";
import type { FileChange } from "../../core/sandbox/file-change.ts";
import { blobKey, type SandboxPlace } from "./blob-keys.ts";
import { sha256Hex } from "../../core/base/sha256.ts";

/** Blobs that are put at the same time. */
const PUTS_AT_ONCE = 6;
/** Of asking a sandbox that does not answer, and the time between two. */
const MAX_TRIES = 3;
const PAUSE_MS = 200;

const MAY_BE_MADE = "Some of the changes may have been made, and could not be taken back. Look at the files.";

/** A sandbox, and where the task sees its files: `folder` is "" or a name with a slash behind it. */
export interface ChangedSandbox {
  readonly sandbox: () => SandboxRpc;
  readonly bucket: R2Bucket;
  readonly place: SandboxPlace;
  readonly folder: string;
}

/** One sandbox's part of the changes, ready to be made. `undo` takes it back. */
export interface PreparedChanges {
  commit(): Promise<Result<void>>;
  undo(): Promise<Result<void>>;
}

/** Asks the sandbox whether it would take the changes, all of which are in its folder, and puts their bytes. */
export async function prepareChanges(
  { sandbox, bucket, place, folder }: ChangedSandbox,
  changes: readonly FileChange[],
  options: Pick<WriteOptions, "key" | "label">,
): Promise<Result<PreparedChanges>> {
  const bytesByHash = new Map<string, Uint8Array>();
  const writes: SetWrite[] = [];
  const removals: ChangeSet["removals"][number][] = [];
  for (const change of changes) {
    const { ifVersion } = change;
    const path = change.path.slice(folder.length);
    if (change.kind === "remove") {
      removals.push({ path, ifVersion });
      continue;
    }
    const { bytes, mode } = change;
    const hash = await sha256Hex(bytes);
    bytesByHash.set(hash, bytes);
    writes.push({ path, size: bytes.length, hash, ifVersion, ...(mode === undefined ? {} : { mode }) });
  }
  const set: ChangeSet = { ...options, writes, removals };
  const admitted = await sandbox().admitAll(set);
  if (!admitted.ok) return { ok: false, error: named(admitted.error, folder) };
  const missing = [...admitted.value.missing];
  await Promise.all(
    Array.from({ length: PUTS_AT_ONCE }, async () => {
      for (let hash = missing.pop(); hash !== undefined; hash = missing.pop()) {
        await bucket.put(blobKey(place, hash), bytesByHash.get(hash) ?? new Uint8Array(), { sha256: hash });
      }
    }),
  );
  const prepared: PreparedChanges = {
    async commit() {
      const committed = await sandbox().commitAll(set);
      return committed.ok ? committed : { ok: false, error: named(committed.error, folder) };
    },
    undo: async () => await sandbox().revertAll(set),
  };
  return { ok: true, value: prepared };
}

/**
 * Makes parts that are prepared. When one refuses, or nobody says what became of it, those that may be made are taken back.
 * `outcome_unknown`: that did not succeed either.
 */
export async function commitChanges(parts: readonly PreparedChanges[]): Promise<Result<void>> {
  for (const [index, part] of parts.entries()) {
    const committed = await answerOf(() => part.commit());
    if (committed?.ok === true) continue;
    for (const one of parts.slice(0, committed === null ? index + 1 : index)) {
      const undone = await answerOf(() => one.undo());
      if (undone?.ok !== true) return failed("outcome_unknown", MAY_BE_MADE);
    }
    return committed ?? failed("upstream_failed", "The file store did not answer. Try again later.");
  }
  return { ok: true, value: undefined };
}

/** Asks a sandbox for what it does once however often it is asked; null: it did not answer. */
async function answerOf(ask: () => Promise<Result<void>>): Promise<Result<void> | null> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch {
      if (tries >= MAX_TRIES) return null;
      await sleep(globalThis, PAUSE_MS);
    }
  }
}

/** A failure whose fields are paths as the task knows them. */
function named(error: Failure, folder: string): Failure {
  if (error.fields === undefined || folder === "") return error;
  const fields = error.fields.map(({ field, message }) => ({ field: folder + field, message }));
  return { ...error, message: `In ${folder} ${error.message}`, fields };
}
