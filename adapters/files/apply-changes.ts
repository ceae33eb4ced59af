/**
 * Atomic changes to the files of a task. The bytes go to the bucket first; then each touched sandbox applies its part
 * in one transaction. With two sandboxes, a task's and its project's, both validate first, and the first one reverts
 * its part when the second fails.
 */
import { failed, type Failure, type Result } from "../../core/base/errors.ts";
import type { SandboxRpc } from "../../core/sandbox/rpc.ts";
import { sleep } from "../../core/base/deadline.ts";
import type { ChangeSet, SetWrite } from "../../core/sandbox/change-set.ts";
import type { WriteOptions } from "../../core/ports/files.ts";
import type { FileChange } from "../../core/sandbox/file-change.ts";
import { getBlobKey, type SandboxOwner } from "./blob-keys.ts";
import { sha256Hex } from "../../core/base/sha256.ts";

/** Concurrent uploads of blobs. */
const MAX_CONCURRENT_PUTS = 6;
/** Attempts when a sandbox does not reply, and the pause between two. */
const MAX_TRIES = 3;
const PAUSE_MS = 200;

const MAY_BE_MADE = "Some of the changes may have been made and could not be reverted. Check the files.";

/** A sandbox, and where the task sees its files: `folder` is "" or a name with a trailing slash. */
export interface ChangedSandbox {
  readonly sandbox: () => SandboxRpc;
  readonly bucket: R2Bucket;
  readonly place: SandboxOwner;
  readonly folder: string;
}

/** One sandbox's part of the changes, validated. `undo` reverts it. */
export interface PreparedChanges {
  commit(): Promise<Result<void>>;
  undo(): Promise<Result<void>>;
}

/** Validates changes, all in the sandbox's folder, and stores their bytes. */
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
  if (!admitted.ok) return { ok: false, error: nameFields(admitted.error, folder) };
  const missing = [...admitted.value.missing];
  await Promise.all(
    Array.from({ length: MAX_CONCURRENT_PUTS }, async () => {
      for (let hash = missing.pop(); hash !== undefined; hash = missing.pop()) {
        await bucket.put(getBlobKey(place, hash), bytesByHash.get(hash) ?? new Uint8Array(), { sha256: hash });
      }
    }),
  );
  const prepared: PreparedChanges = {
    async commit() {
      const committed = await sandbox().commitAll(set);
      return committed.ok ? committed : { ok: false, error: nameFields(committed.error, folder) };
    },
    undo: async () => await sandbox().revertAll(set),
  };
  return { ok: true, value: prepared };
}

/**
 * Commits prepared parts. When one fails or does not reply, the parts that may be committed are reverted;
 * `outcome_unknown` if that fails too.
 */
export async function commitChanges(parts: readonly PreparedChanges[]): Promise<Result<void>> {
  for (const [index, part] of parts.entries()) {
    const committed = await callWithRetries(() => part.commit());
    if (committed?.ok === true) continue;
    for (const one of parts.slice(0, committed === null ? index + 1 : index)) {
      const undone = await callWithRetries(() => one.undo());
      if (undone?.ok !== true) return failed("outcome_unknown", MAY_BE_MADE);
    }
    return committed ?? failed("upstream_failed", "The file store did not reply. Try again later.");
  }
  return { ok: true, value: undefined };
}

/** Calls an idempotent operation of a sandbox, with retries; null without a reply. */
async function callWithRetries(ask: () => Promise<Result<void>>): Promise<Result<void> | null> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch {
      if (tries >= MAX_TRIES) return null;
      await sleep(globalThis, PAUSE_MS);
    }
  }
}

/** A failure with field paths as the task sees them. */
function nameFields(error: Failure, folder: string): Failure {
  if (error.fields === undefined || folder === "") return error;
  const fields = error.fields.map(({ field, message }) => ({ field: folder + field, message }));
  return { ...error, message: `In ${folder} ${error.message}`, fields };
}
