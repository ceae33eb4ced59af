/**
 * The files of a task: the sandbox of its tree and, for a task with a project, the project's sandbox under `project/`.
 * The index is in the sandbox's object; the bytes are immutable in R2 under their hash. A write stores the bytes first
 * and then points the path at them, so a reader sees the old file or the complete new one.
 */
import { failed, ok, type Failure, type Result } from "../../core/base/errors.ts";
import type { SandboxRpc } from "../../core/sandbox/rpc.ts";
import type { FileEntry, FilesPort, WrittenFile } from "../../core/ports/files.ts";
import { PROJECT_FOLDER } from "../../core/sandbox/path.ts";
import { toEntry, describeMissingVersion, type SandboxWrite } from "../../core/sandbox/write.ts";
import { commitChanges, prepareChanges } from "./apply-changes.ts";
import { getBlobKey, type SandboxOwner } from "./blob-keys.ts";
import { type SandboxFiles, addProjectFolder } from "./project-folder.ts";
import { catchFailure } from "./r2.ts";
import { sha256Hex } from "../../core/base/sha256.ts";

/** What opening a task's files needs. `sandboxOf` returns the object of a sandbox; `project` is null without one. */
export interface FilesSettings {
  readonly sandboxOf: (place: SandboxOwner) => SandboxRpc;
  readonly bucket: R2Bucket;
  readonly tenant: string;
  readonly rootId: string;
  readonly project: string | null;
}

/** Opens the files of a task tree. */
export function openFiles({ sandboxOf, bucket, tenant, rootId, project }: FilesSettings): FilesPort {
  const tree = openSandbox({ kind: "tree", tenant, rootId }, "", sandboxOf, bucket);
  if (project === null) return tree;
  return addProjectFolder(
    tree,
    openSandbox({ kind: "project", tenant, project }, `${PROJECT_FOLDER}/`, sandboxOf, bucket),
  );
}

/** One sandbox as a port. `folder` is where the task sees it: "" or a name with a trailing slash. */
function openSandbox(
  place: SandboxOwner,
  folder: string,
  sandboxOf: FilesSettings["sandboxOf"],
  bucket: R2Bucket,
): SandboxFiles {
  const sandbox = () => sandboxOf(place);
  const inside = (path: string) => path.slice(folder.length);
  const outside = <Entry extends { readonly path: string }>(entry: Entry): Entry => ({
    ...entry,
    path: folder + entry.path,
  });
  const written = (entry: WrittenFile): WrittenFile => ({
    ...outside(entry),
    backup: entry.backup === null ? null : folder + entry.backup,
  });

  async function stat(path: string): Promise<Result<FileEntry>> {
    const found = await sandbox().stat(inside(path));
    return found.ok ? ok(outside(found.value)) : namePath(found.error, "File", path);
  }

  async function statVersion(path: string, version: number): Promise<Result<FileEntry>> {
    const known = await sandbox().versions(inside(path));
    if (!known.ok) return namePath(known.error, "File", path);
    const found = known.value.find((one) => one.version === version);
    return found === undefined
      ? failed("not_found", describeMissingVersion(path, version))
      : ok(outside(toEntry(found)));
  }

  async function blobOf({ path, hash }: FileEntry): Promise<Result<R2ObjectBody>> {
    const blob = await bucket.get(getBlobKey(place, hash));
    if (blob !== null) return ok(blob);
    const message = `The stored content of ${path} is lost. Restore the file store from a backup, or write the file again.`;
    return failed("internal", message, { details: { hash } });
  }

  return {
    stat: (path) => catchFailure(() => stat(path)),
    read: (path, maxBytes) =>
      catchFailure(async () => {
        const found = await stat(path);
        if (!found.ok) return found;
        if (found.value.size > maxBytes) return failed("too_large", `File too large: ${found.value.size} bytes`);
        const blob = await blobOf(found.value);
        return blob.ok ? ok({ entry: found.value, bytes: new Uint8Array(await blob.value.arrayBuffer()) }) : blob;
      }),
    open: (path, version) =>
      catchFailure(async () => {
        const found = version === undefined ? await stat(path) : await statVersion(path, version);
        if (!found.ok) return found;
        const blob = await blobOf(found.value);
        return blob.ok ? ok({ entry: found.value, stream: blob.value.body }) : blob;
      }),
    write: (path, bytes, options) =>
      catchFailure(async () => {
        const { backupPath } = options;
        const write: SandboxWrite = {
          ...options,
          ...(backupPath === undefined ? {} : { backupPath: inside(backupPath) }),
          path: inside(path),
          size: bytes.length,
          hash: await sha256Hex(bytes),
        };
        const admitted = await sandbox().admit(write);
        if (!admitted.ok) return admitted;
        if (admitted.value.applied !== null) return ok(written(admitted.value.applied));
        if (admitted.value.blobNeeded) await bucket.put(getBlobKey(place, write.hash), bytes, { sha256: write.hash });
        const committed = await sandbox().commit(write);
        return committed.ok ? ok(written(committed.value)) : committed;
      }),
    list: (path) =>
      catchFailure(async () => {
        const listed = await sandbox().list(inside(path));
        return listed.ok ? ok(listed.value.map(outside)) : namePath(listed.error, "Directory", path);
      }),
    walk: (directory, after, limit) =>
      catchFailure(async () => {
        const page = await sandbox().walk(inside(directory), after === null ? null : inside(after), limit);
        if (!page.ok) return namePath(page.error, "Directory", directory);
        const { files, next } = page.value;
        return ok({ files: files.map(outside), next: next === null ? null : folder + next });
      }),
    readEntry: (entry) =>
      catchFailure(async () => {
        const blob = await blobOf(entry);
        return blob.ok ? ok(new Uint8Array(await blob.value.arrayBuffer())) : blob;
      }),
    prepare: async (changes, options) => await prepareChanges({ sandbox, bucket, place, folder }, changes, options),
    apply: (changes, options) =>
      catchFailure(async () => {
        const prepared = await prepareChanges({ sandbox, bucket, place, folder }, changes, options);
        return prepared.ok ? await commitChanges([prepared.value]) : prepared;
      }),
    makeDirectory: (path, { key, label }) => catchFailure(() => sandbox().makeDirectory(inside(path), key, label)),
    remove: (path, options) =>
      catchFailure(async () => {
        const removed = await sandbox().remove(inside(path), options);
        return removed.ok ? removed : namePath(removed.error, "File", path);
      }),
    versions: (path) =>
      catchFailure(async () => {
        const found = await sandbox().versions(inside(path));
        return found.ok ? ok(found.value.map(outside)) : namePath(found.error, "File", path);
      }),
    restore: (path, version, options) =>
      catchFailure(async () => {
        const restored = await sandbox().restore(inside(path), version, options);
        return restored.ok ? ok(written(restored.value)) : restored;
      }),
  };
}

/** A failure with the path as the task sees it. */
function namePath(error: Failure, what: "File" | "Directory", path: string): Result<never> {
  return { ok: false, error: error.code === "not_found" ? { ...error, message: `${what} not found: ${path}` } : error };
}
