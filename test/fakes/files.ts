/** A sandbox in memory. It passes the same contract as the one over the object and the bucket. */
import { contentTypeOf } from "../../core/sandbox/content-type.ts";
import { failed, ok, type Result } from "../../core/errors.ts";
import { toHex } from "../../core/hex.ts";
import type { DirectoryEntry, FileEntry, FilesPort, WriteOptions } from "../../core/ports.ts";
import { judgeForm } from "../../core/sandbox/path.ts";
import { directoriesAbove, judgeWrite } from "../../core/sandbox/write.ts";

interface Stored {
  readonly entry: FileEntry;
  readonly bytes: Uint8Array;
}

/** An empty sandbox. `now` gives the times of its writes. */
export function fakeFiles(now: () => number = () => 0): FilesPort {
  const files = new Map<string, Stored>();
  const applied = new Map<string, FileEntry>();

  function find(path: string): Result<Stored> {
    const form = judgeForm(path);
    if (!form.ok) return form;
    const stored = files.get(form.value);
    return stored === undefined ? failed("not_found", `File not found: ${path}`) : ok(stored);
  }

  async function write(path: string, bytes: Uint8Array, options: WriteOptions): Promise<Result<FileEntry>> {
    const first = applied.get(options.key);
    if (first !== undefined) return ok(first);
    const form = judgeForm(path);
    if (!form.ok) return form;
    const present = files.get(path)?.entry ?? null;
    const wanted = { ...options, path, size: bytes.length, hash: await sha256(bytes) };
    const judged = judgeWrite(wanted, {
      present,
      isDirectory: [...files.keys()].some((other) => other.startsWith(`${path}/`)),
      fileAbove: directoriesAbove(path).find((directory) => files.has(directory)) ?? null,
      totals: { files: files.size, bytes: sum([...files.values()].map(({ entry }) => entry.size)) },
    });
    if (!judged.ok) return judged;
    const { size, hash } = wanted;
    const contentType = options.contentType ?? contentTypeOf(path);
    const entry = { path, size, hash, contentType, modifiedAt: now(), version: (present?.version ?? 0) + 1 };
    files.set(path, { entry, bytes: bytes.slice() });
    applied.set(options.key, entry);
    return ok(entry);
  }

  return {
    async stat(path) {
      const found = find(path);
      return found.ok ? ok(found.value.entry) : found;
    },
    async read(path, maxBytes) {
      const found = find(path);
      if (!found.ok) return found;
      const { entry, bytes } = found.value;
      return entry.size > maxBytes
        ? failed("too_large", `File too large: ${entry.size} bytes`)
        : ok({ entry, bytes: bytes.slice() });
    },
    async open(path) {
      const found = find(path);
      if (!found.ok) return found;
      const { entry, bytes } = found.value;
      return ok({ entry, stream: new Blob([bytes.slice()]).stream() });
    },
    write,
    async list(path) {
      const form = path === "" ? ok("") : judgeForm(path);
      if (!form.ok) return form;
      const entries = childrenOf(path, [...files.values()]);
      if (entries.length === 0 && path !== "") return failed("not_found", `Directory not found: ${path}`);
      return ok(entries);
    },
  };
}

function childrenOf(directory: string, files: readonly Stored[]): DirectoryEntry[] {
  const prefix = directory === "" ? "" : `${directory}/`;
  const children = new Map<string, DirectoryEntry>();
  for (const { entry } of files.filter((file) => file.entry.path.startsWith(prefix))) {
    const [name = "", ...deeper] = entry.path.slice(prefix.length).split("/");
    const before = children.get(name);
    children.set(name, {
      name,
      path: prefix + name,
      kind: deeper.length > 0 ? "directory" : "file",
      size: entry.size + (before?.size ?? 0),
      modifiedAt: Math.max(entry.modifiedAt, before?.modifiedAt ?? 0),
    });
  }
  return [...children.values()].sort((a, b) => compareCodePoints(a.name, b.name));
}

function compareCodePoints(a: string, b: string): number {
  const left = Array.from(a, (character) => character.codePointAt(0) ?? 0);
  const right = Array.from(b, (character) => character.codePointAt(0) ?? 0);
  const at = left.findIndex((point, index) => point !== right[index]);
  return at < 0 ? left.length - right.length : (left[at] ?? 0) - (right[at] ?? -1);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

async function sha256(bytes: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes.slice()));
  return toHex(digest);
}
