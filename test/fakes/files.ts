/** A fake sandbox. It passes the same contract as the real one over the object and the bucket. */
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { toHex } from "../../core/base/hex.ts";
import type {
  ChangeOptions,
  DirectoryEntry,
  FileEntry,
  FilesPort,
  FileVersion,
  WriteOptions,
  WrittenFile,
} from "../../core/ports/files.ts";
import { joinLabels, type Label, OPERATOR, OUTSIDE, TENANT } from "../../core/provenance/label.ts";
import { type ChangeSet, judgeChanges } from "../../core/sandbox/change-set.ts";
import type { FileChange } from "../../core/sandbox/file-change.ts";
import { judgeForm, judgeNewPath } from "../../core/sandbox/path.ts";
import {
  listParents,
  getParent,
  toEntry,
  createEntry,
  judgeDirectory,
  judgeRemoval,
  judgeWrite,
  MAX_STORED_VERSIONS,
  MAX_WALK_PAGE,
  describeMissingVersion,
  SANDBOX_MAX_DIRECTORIES,
  type Totals,
  type SandboxWrite,
} from "../../core/sandbox/write.ts";

/** Creates an empty sandbox. `now` returns the time of a write. */
export function fakeFiles(now: () => number = () => 0): FilesPort {
  const sandbox = new MemorySandbox(now);
  return {
    stat: async (path) => sandbox.find(path),
    async read(path, maxBytes) {
      const found = sandbox.find(path);
      if (!found.ok) return found;
      if (found.value.size > maxBytes) return failed("too_large", `File too large: ${found.value.size} bytes`);
      return ok({ entry: found.value, bytes: sandbox.bytes(found.value) });
    },
    async open(path, version) {
      const found = version === undefined ? sandbox.find(path) : sandbox.version(path, version);
      if (!found.ok) return found;
      return ok({ entry: found.value, stream: new Blob([sandbox.bytes(found.value)]).stream() });
    },
    async write(path, bytes, options) {
      return sandbox.write(path, bytes, await hashBytes(bytes), options);
    },
    list: async (path) => sandbox.list(path),
    async walk(directory, after, limit) {
      const found = sandbox.list(directory);
      if (!found.ok) return found;
      const prefix = directory === "" ? "" : `${directory.normalize("NFC")}/`;
      const rest = sandbox.below(prefix).filter(({ path }) => after === null || compareCodePoints(path, after) > 0);
      const files = rest.slice(0, Math.min(limit, MAX_WALK_PAGE));
      return ok({ files, next: rest.length > files.length ? (files.at(-1)?.path ?? null) : null });
    },
    readEntry: async (entry) => ok(sandbox.bytes(entry)),
    makeDirectory: async (path, options) => sandbox.makeDirectory(path, options),
    remove: async (path, options) => sandbox.remove(path, options),
    versions: async (path) => sandbox.versions(path),
    restore: async (path, version, options) => sandbox.restore(path, version, options),
    async apply(changes, options) {
      const writes = changes.filter((change) => change.kind === "write");
      const hashed = await Promise.all(
        writes.map(async ({ bytes, ...write }) => ({
          ...write,
          bytes,
          size: bytes.length,
          hash: await hashBytes(bytes),
        })),
      );
      const removals = changes.filter((change) => change.kind === "remove");
      return sandbox.apply({ ...options, writes: hashed, removals }, writes);
    },
  };
}

async function hashBytes(bytes: Uint8Array): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes.slice())));
}

/** A directory that was created, or remains after its files were deleted. */
interface MadeDirectory {
  readonly madeAt: number;
  readonly label: Label;
}

class MemorySandbox {
  readonly #now: () => number;
  readonly #files = new Map<string, FileEntry>();
  readonly #earlier = new Map<string, FileEntry[]>();
  readonly #directories = new Map<string, MadeDirectory>();
  readonly #blobs = new Map<string, Uint8Array<ArrayBuffer>>();
  readonly #applied = new Map<string, unknown>();

  constructor(now: () => number) {
    this.#now = now;
  }

  find(path: string): Result<FileEntry> {
    const form = judgeForm(path);
    if (!form.ok) return form;
    const entry = this.#files.get(form.value);
    return entry === undefined ? failed("not_found", `File not found: ${path}`) : ok(entry);
  }

  bytes({ hash }: FileEntry): Uint8Array<ArrayBuffer> {
    return (this.#blobs.get(hash) ?? new Uint8Array()).slice();
  }

  list(path: string): Result<readonly DirectoryEntry[]> {
    const form = path === "" ? ok("") : judgeForm(path);
    if (!form.ok) return form;
    if (path !== "" && !this.#isDirectory(form.value)) return failed("not_found", `Directory not found: ${path}`);
    return ok(this.#childrenOf(form.value));
  }

  below(prefix: string): FileEntry[] {
    return [...this.#files.values()]
      .filter(({ path }) => path.startsWith(prefix))
      .toSorted((a, b) => compareCodePoints(a.path, b.path));
  }

  write(path: string, bytes: Uint8Array, hash: string, options: WriteOptions): Result<WrittenFile> {
    const first = this.#applied.get(options.key) as WrittenFile | undefined;
    if (first !== undefined) return ok(first);
    for (const one of [path, options.backupPath ?? path]) {
      const form = judgeNewPath(one);
      if (!form.ok) return form;
    }
    this.#blobs.set(hash, bytes.slice());
    return this.#commit({ ...options, path, size: bytes.length, hash });
  }

  makeDirectory(
    path: string,
    { key, label = OUTSIDE }: Pick<WriteOptions, "key" | "label">,
  ): Result<{ made: boolean }> {
    const form = judgeNewPath(path);
    if (!form.ok) return form;
    const first = this.#applied.get(`make ${key}`) as { made: boolean } | undefined;
    if (first !== undefined) return ok(first);
    const isNeeded = judgeDirectory(path, {
      ...this.#situationOf(path),
      fileAbove: this.#fileAbove(path),
      made: this.#directories.size,
    });
    if (!isNeeded.ok || !isNeeded.value) return isNeeded.ok ? ok({ made: false }) : isNeeded;
    this.#directories.set(path, { madeAt: this.#now(), label });
    this.#applied.set(`make ${key}`, { made: true });
    return ok({ made: true });
  }

  remove(path: string, options: ChangeOptions): Result<{ readonly kind: "file" | "directory" }> {
    const form = judgeForm(path);
    if (!form.ok) return form;
    const first = this.#applied.get(`remove ${options.key}`) as { kind: "file" | "directory" } | undefined;
    if (first !== undefined) return ok(first);
    const isEmpty = this.#childrenOf(path).length === 0;
    const judged = judgeRemoval({ path, ...options }, { ...this.#situationOf(path), isEmpty });
    if (!judged.ok) return judged;
    const label = this.#labelAt(path);
    this.#archive(path);
    this.#files.delete(path);
    this.#directories.delete(path);
    const above = getParent(path);
    if (above !== null) this.#keepDirectory(above, label);
    this.#applied.set(`remove ${options.key}`, { kind: judged.value });
    return ok({ kind: judged.value });
  }

  apply(set: ChangeSet, given: readonly Extract<FileChange, { kind: "write" }>[]): Result<void> {
    if (this.#applied.has(`apply ${set.key}`)) return ok(undefined);
    const judged = judgeChanges(set, {
      file: (path) => this.#files.get(path) ?? null,
      filesBelow: (path) => this.below(`${path}/`).length,
      totals: () => this.#totals(),
    });
    if (!judged.ok) return judged;
    const removed = set.removals.map(({ path }) => ({ path, label: this.#labelAt(path) }));
    for (const { path } of set.removals) {
      this.#archive(path);
      this.#files.delete(path);
    }
    for (const [index, write] of set.writes.entries()) {
      this.#blobs.set(write.hash, (given[index]?.bytes ?? new Uint8Array()).slice());
      for (const directory of this.#directories.keys()) {
        if (`${directory}/`.startsWith(`${write.path}/`)) this.#directories.delete(directory);
      }
      this.#place({ ...write, key: set.key, label: set.label ?? OUTSIDE });
    }
    for (const { path, label } of removed) {
      const above = getParent(path);
      if (above !== null && this.#fileAbove(path) === null) this.#keepDirectory(above, label);
    }
    this.#applied.set(`apply ${set.key}`, true);
    return ok(undefined);
  }

  versions(path: string): Result<readonly FileVersion[]> {
    const form = judgeForm(path);
    if (!form.ok) return form;
    const present = this.#files.get(form.value);
    const earlier = (this.#earlier.get(form.value) ?? []).map((entry) => ({ ...entry, isCurrent: false }));
    const all = present === undefined ? earlier : [{ ...present, isCurrent: true }, ...earlier];
    return all.length === 0 ? failed("not_found", `File not found: ${path}`) : ok(all);
  }

  version(path: string, version: number): Result<FileEntry> {
    const known = this.versions(path);
    if (!known.ok) return known;
    const wanted = known.value.find((one) => one.version === version);
    return wanted === undefined ? failed("not_found", describeMissingVersion(path, version)) : ok(toEntry(wanted));
  }

  restore(path: string, version: number, options: ChangeOptions): Result<WrittenFile> {
    const first = this.#applied.get(`restore ${options.key}`) as WrittenFile | undefined;
    if (first !== undefined) return ok(first);
    const wanted = this.version(path, version);
    if (!wanted.ok) return wanted;
    const { size, hash, contentType, mode, label = TENANT } = wanted.value;
    return this.#commit({ ...options, key: `restore ${options.key}`, path, size, hash, contentType, mode, label });
  }

  #commit(write: SandboxWrite): Result<WrittenFile> {
    const { path, backupPath } = write;
    const { present, isDirectory } = this.#situationOf(path);
    const judged = judgeWrite(write, {
      present,
      isDirectory,
      fileAbove: this.#fileAbove(path),
      backup: backupPath === undefined ? null : this.#situationOf(backupPath),
      totals: this.#totals(),
    });
    if (!judged.ok) return judged;
    const isBackedUp = present !== null && backupPath !== undefined;
    const label = joinLabels(present?.label ?? TENANT, write.label ?? OUTSIDE);
    if (isBackedUp) this.#place({ ...write, ...present, path: backupPath, label, isUploaded: false });
    const written = { ...this.#place(write), isNew: present === null, backup: isBackedUp ? backupPath : null };
    this.#applied.set(write.key, written);
    return ok(written);
  }

  #totals(): Totals {
    const entries = [...this.#files.values()];
    return { files: entries.length, bytes: entries.reduce((sum, { size }) => sum + size, 0) };
  }

  #place(write: SandboxWrite): FileEntry {
    const present = this.#files.get(write.path) ?? null;
    const lastVersion = Math.max(0, present?.version ?? 0, this.#earlier.get(write.path)?.[0]?.version ?? 0);
    const entry = createEntry(write, { present, lastVersion, now: this.#now() });
    this.#archive(write.path);
    this.#files.set(write.path, entry);
    return entry;
  }

  #archive(path: string): void {
    const present = this.#files.get(path);
    if (present === undefined) return;
    this.#earlier.set(path, [present, ...(this.#earlier.get(path) ?? [])].slice(0, MAX_STORED_VERSIONS));
  }

  #situationOf(path: string): { present: FileEntry | null; isDirectory: boolean } {
    return { present: this.#files.get(path) ?? null, isDirectory: this.#isDirectory(path) };
  }

  #fileAbove(path: string): string | null {
    return listParents(path).find((directory) => this.#files.has(directory)) ?? null;
  }

  #isDirectory(path: string): boolean {
    const isInside = (other: string) => other.startsWith(`${path}/`);
    return this.#directories.has(path) || [...this.#files.keys(), ...this.#directories.keys()].some(isInside);
  }

  /** Null at the limit. */
  #keepDirectory(path: string, label: Label): void {
    if (this.#directories.has(path) || this.#directories.size >= SANDBOX_MAX_DIRECTORIES) return;
    this.#directories.set(path, { madeAt: this.#now(), label });
  }

  #labelAt(path: string): Label {
    return this.#files.get(path)?.label ?? this.#directories.get(path)?.label ?? OUTSIDE;
  }

  #childrenOf(directory: string): DirectoryEntry[] {
    const prefix = directory === "" ? "" : `${directory}/`;
    const inside = [
      ...[...this.#files.values()].map(({ path, size, modifiedAt, label = TENANT }) => {
        return { path, size, modifiedAt, isFile: true, label };
      }),
      ...[...this.#directories].map(([path, { madeAt, label }]) => {
        return { path, size: 0, modifiedAt: madeAt, isFile: false, label };
      }),
    ].filter(({ path }) => path.startsWith(prefix));
    const children = new Map<string, DirectoryEntry>();
    for (const { path, size, modifiedAt, isFile, label } of inside) {
      const [name = "", ...deeper] = path.slice(prefix.length).split("/");
      const before = children.get(name);
      children.set(name, {
        name,
        path: prefix + name,
        kind: isFile && deeper.length === 0 ? "file" : "directory",
        size: size + (before?.size ?? 0),
        modifiedAt: Math.max(modifiedAt, before?.modifiedAt ?? 0),
        label: joinLabels(label, before?.label ?? OPERATOR),
      });
    }
    return [...children.values()].sort((a, b) => compareCodePoints(a.name, b.name));
  }
}

function compareCodePoints(a: string, b: string): number {
  const left = Array.from(a, (character) => character.codePointAt(0) ?? 0);
  const right = Array.from(b, (character) => character.codePointAt(0) ?? 0);
  const at = left.findIndex((point, index) => point !== right[index]);
  return at < 0 ? left.length - right.length : (left[at] ?? 0) - (right[at] ?? -1);
}
