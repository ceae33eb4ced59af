/**
 * The files of a task: one sandbox for its tree and, when the task has a project, the project's sandbox under `project/`.
 * The index is in the sandbox's object; the bytes are in R2 under their hash and never change. A write puts the bytes
 * first and then points the path at them, so that a reader sees the old file or the whole of the new one.
 */
import { failed, ok, type Failure, type Result } from "../../core/errors.ts";
import { toHex } from "../../core/hex.ts";
import type { SandboxRpc, SandboxWrite } from "../../core/objects.ts";
import type { DirectoryEntry, FileEntry, FilesPort } from "../../core/ports.ts";
import { blobKey, type SandboxPlace } from "./blob-keys.ts";
import { guarded } from "./r2.ts";

/** The name of the project's folder, as the model sees it. */
const PROJECT_FOLDER = "project";

/** What is needed to open a task's files. `sandboxOf` gives the object of a sandbox; `project` is null for a task without one. */
export interface FilesSettings {
  readonly sandboxOf: (place: SandboxPlace) => SandboxRpc;
  readonly bucket: R2Bucket;
  readonly tenant: string;
  readonly rootId: string;
  readonly project: string | null;
}

/** Opens the files of a task tree. */
export function openFiles({ sandboxOf, bucket, tenant, rootId, project }: FilesSettings): FilesPort {
  const tree = openSandbox({ kind: "tree", tenant, rootId }, "", sandboxOf, bucket);
  if (project === null) return tree;
  return withProject(tree, openSandbox({ kind: "project", tenant, project }, `${PROJECT_FOLDER}/`, sandboxOf, bucket));
}

/** One sandbox as a port. `folder` is where the task sees it: "" or a name with a slash behind it. */
function openSandbox(
  place: SandboxPlace,
  folder: string,
  sandboxOf: FilesSettings["sandboxOf"],
  bucket: R2Bucket,
): FilesPort {
  const sandbox = () => sandboxOf(place);
  const inside = (path: string) => path.slice(folder.length);
  const outside = <Entry extends { readonly path: string }>(entry: Entry): Entry => ({
    ...entry,
    path: folder + entry.path,
  });

  async function stat(path: string): Promise<Result<FileEntry>> {
    const found = await sandbox().stat(inside(path));
    return found.ok ? ok(outside(found.value)) : naming(found.error, "File", path);
  }

  async function blobOf({ path, hash }: FileEntry): Promise<Result<R2ObjectBody>> {
    const blob = await bucket.get(blobKey(place, hash));
    return blob === null ? failed("internal", `The bytes of ${path} are missing.`, { details: { hash } }) : ok(blob);
  }

  return {
    stat: (path) => guarded(() => stat(path)),
    read: (path, maxBytes) =>
      guarded(async () => {
        const found = await stat(path);
        if (!found.ok) return found;
        if (found.value.size > maxBytes) return failed("too_large", `File too large: ${found.value.size} bytes`);
        const blob = await blobOf(found.value);
        return blob.ok ? ok({ entry: found.value, bytes: new Uint8Array(await blob.value.arrayBuffer()) }) : blob;
      }),
    open: (path) =>
      guarded(async () => {
        const found = await stat(path);
        if (!found.ok) return found;
        const blob = await blobOf(found.value);
        return blob.ok ? ok({ entry: found.value, stream: blob.value.body }) : blob;
      }),
    write: (path, bytes, options) =>
      guarded(async () => {
        const write: SandboxWrite = { ...options, path: inside(path), size: bytes.length, hash: await sha256(bytes) };
        const admitted = await sandbox().admit(write);
        if (!admitted.ok) return admitted;
        if (admitted.value.applied !== null) return ok(outside(admitted.value.applied));
        if (admitted.value.blobNeeded) await bucket.put(blobKey(place, write.hash), bytes, { sha256: write.hash });
        const committed = await sandbox().commit(write);
        return committed.ok ? ok(outside(committed.value)) : committed;
      }),
    list: (path) =>
      guarded(async () => {
        const listed = await sandbox().list(inside(path));
        return listed.ok ? ok(listed.value.map(outside)) : naming(listed.error, "Directory", path);
      }),
  };
}

/** A failure with the path as the task knows it. */
function naming(error: Failure, what: "File" | "Directory", path: string): Result<never> {
  return { ok: false, error: error.code === "not_found" ? { ...error, message: `${what} not found: ${path}` } : error };
}

/** The tree's sandbox with the project's one as a folder in it. */
function withProject(tree: FilesPort, project: FilesPort): FilesPort {
  const of = (path: string) => (path.startsWith(`${PROJECT_FOLDER}/`) ? project : tree);
  return {
    stat: (path) => of(path).stat(path),
    read: (path, maxBytes) => of(path).read(path, maxBytes),
    open: (path) => of(path).open(path),
    async write(path, bytes, options) {
      if (path === PROJECT_FOLDER) return failed("conflict", `${PROJECT_FOLDER} is a directory.`);
      return await of(path).write(path, bytes, options);
    },
    async list(path) {
      if (path === "") return await listTop(tree, project);
      return await (path === PROJECT_FOLDER ? project.list(`${PROJECT_FOLDER}/`) : of(path).list(path));
    },
  };
}

/** The top of the tree with the project's folder among its entries, which is there also when it is empty. */
async function listTop(tree: FilesPort, project: FilesPort): Promise<Result<readonly DirectoryEntry[]>> {
  const [own, shared] = await Promise.all([tree.list(""), project.list(`${PROJECT_FOLDER}/`)]);
  if (!own.ok) return own;
  if (!shared.ok) return shared;
  const folder: DirectoryEntry = {
    name: PROJECT_FOLDER,
    path: PROJECT_FOLDER,
    kind: "directory",
    size: shared.value.reduce((sum, { size }) => sum + size, 0),
    modifiedAt: shared.value.reduce((latest, { modifiedAt }) => Math.max(latest, modifiedAt), 0),
  };
  // "project" is ASCII, so that code units order the other names around it as code points do.
  const others = own.value.filter(({ name }) => name !== PROJECT_FOLDER);
  const after = others.findIndex(({ name }) => name > PROJECT_FOLDER);
  return ok(others.toSpliced(after < 0 ? others.length : after, 0, folder));
}

async function sha256(bytes: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return toHex(digest);
}
