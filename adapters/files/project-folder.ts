/** The shared folder of a project, which its tasks see as a directory at the top of their files. */
import { failed, ok, type Result } from "../../core/base/errors.ts";
import type { DirectoryEntry, FilePage, FilesPort, WriteOptions } from "../../core/ports/files.ts";
import { joinLabels, type Label, OPERATOR, TENANT } from "../../core/provenance/label.ts";
import type { FileChange } from "../../core/sandbox/file-change.ts";
import { PROJECT_FOLDER } from "../../core/sandbox/path.ts";
import { commitChanges, type PreparedChanges } from "./apply-changes.ts";
import { catchFailure } from "./r2.ts";

/** The root of the project's sandbox, as its port names it. */
const PROJECT_TOP = `${PROJECT_FOLDER}/`;

/** The files of one sandbox. `prepare` validates changes, and may throw. */
export interface SandboxFiles extends FilesPort {
  prepare(
    changes: readonly FileChange[],
    options: Pick<WriteOptions, "key" | "label">,
  ): Promise<Result<PreparedChanges>>;
}

/** The tree's sandbox with the project's sandbox as a folder. */
export function addProjectFolder(tree: SandboxFiles, project: SandboxFiles): FilesPort {
  const of = (path: string) => (path.startsWith(`${PROJECT_FOLDER}/`) ? project : tree);
  return {
    stat: (path) => of(path).stat(path),
    read: (path, maxBytes) => of(path).read(path, maxBytes),
    open: (path, version) => of(path).open(path, version),
    async write(path, bytes, options) {
      if (path === PROJECT_FOLDER) return failed("conflict", `${PROJECT_FOLDER} is a directory.`);
      return await of(path).write(path, bytes, options);
    },
    async list(path) {
      if (path === "") return await listTop(tree, project);
      return await (path === PROJECT_FOLDER ? project.list(PROJECT_TOP) : of(path).list(path));
    },
    async walk(directory, after, limit) {
      if (directory === "") return await walkTop(tree, project, after, limit);
      return await (directory === PROJECT_FOLDER
        ? project.walk(PROJECT_TOP, toProjectPosition(after), limit)
        : of(directory).walk(directory, after, limit));
    },
    readEntry: (entry) => of(entry.path).readEntry(entry),
    async makeDirectory(path, options) {
      return path === PROJECT_FOLDER ? ok({ made: false }) : await of(path).makeDirectory(path, options);
    },
    async remove(path, options) {
      if (path === PROJECT_FOLDER)
        return failed("conflict", `${PROJECT_FOLDER} is the project's directory, which stays.`);
      return await of(path).remove(path, options);
    },
    versions: (path) => of(path).versions(path),
    restore: (path, version, options) => of(path).restore(path, version, options),
    apply: async (changes, options) =>
      await catchFailure(async () => await applyToBoth(tree, project, changes, options)),
  };
}

/** The project's part first: others change its files too, so it fails more often. */
async function applyToBoth(
  tree: SandboxFiles,
  project: SandboxFiles,
  changes: readonly FileChange[],
  options: Pick<WriteOptions, "key" | "label">,
): Promise<Result<void>> {
  if (changes.some(({ path }) => path === PROJECT_FOLDER)) {
    return failed("conflict", `${PROJECT_FOLDER} is a directory.`);
  }
  const parts = [
    { sandbox: project, changes: changes.filter(({ path }) => path.startsWith(PROJECT_TOP)) },
    { sandbox: tree, changes: changes.filter(({ path }) => !path.startsWith(PROJECT_TOP)) },
  ].filter((part) => part.changes.length > 0);
  const prepared: PreparedChanges[] = [];
  for (const part of parts) {
    const asked = await part.sandbox.prepare(part.changes, options);
    if (!asked.ok) return asked;
    prepared.push(asked.value);
  }
  return await commitChanges(prepared);
}

/** Merges the project's files into a walk over everything: they are contiguous in path order. */
async function walkTop(
  tree: FilesPort,
  project: FilesPort,
  after: string | null,
  limit: number,
): Promise<Result<FilePage>> {
  const [own, shared] = await Promise.all([
    tree.walk("", after, limit),
    isPast(after) ? ok({ files: [], next: null }) : project.walk(PROJECT_TOP, toProjectPosition(after), limit),
  ]);
  if (!own.ok) return own;
  if (!shared.ok) return shared;
  const before = own.value.files.filter(({ path }) => path < PROJECT_TOP);
  const behind = own.value.files.slice(before.length);
  // A page of the tree that ends before the project's files does not show what follows them.
  const isCut = own.value.next !== null && behind.length === 0;
  const merged = isCut ? before : [...before, ...shared.value.files, ...(shared.value.next === null ? behind : [])];
  const files = merged.slice(0, limit);
  const isWhole = files.length === merged.length && own.value.next === null && shared.value.next === null;
  return ok({ files, next: isWhole ? null : (files.at(-1)?.path ?? null) });
}

/**
 * True when every file of the project precedes this path. "project" is ASCII, so code units and code points order paths
 * around it alike.
 */
function isPast(after: string | null): boolean {
  return after !== null && after > PROJECT_TOP && !after.startsWith(PROJECT_TOP);
}

/** The position among the project's files after which a walk continues. */
function toProjectPosition(after: string | null): string | null {
  return after?.startsWith(PROJECT_TOP) === true ? after : null;
}

/** The top of the tree with the project's folder, which exists even when empty. */
async function listTop(tree: FilesPort, project: FilesPort): Promise<Result<readonly DirectoryEntry[]>> {
  const [own, shared] = await Promise.all([tree.list(""), project.list(PROJECT_TOP)]);
  if (!own.ok) return own;
  if (!shared.ok) return shared;
  const folder: DirectoryEntry = {
    name: PROJECT_FOLDER,
    path: PROJECT_FOLDER,
    kind: "directory",
    size: shared.value.reduce((sum, { size }) => sum + size, 0),
    modifiedAt: shared.value.reduce((latest, { modifiedAt }) => Math.max(latest, modifiedAt), 0),
    label: shared.value.reduce<Label>((joined, { label = TENANT }) => joinLabels(joined, label), OPERATOR),
  };
  // "project" is ASCII, so code units and code points order the other names around it alike.
  const others = own.value.filter(({ name }) => name !== PROJECT_FOLDER);
  const after = others.findIndex(({ name }) => name > PROJECT_FOLDER);
  return ok(others.toSpliced(after < 0 ? others.length : after, 0, folder));
}
