/**
 * The content of the files that a call names. A person approves a call together with that content, by the hash that the
 * sandbox's index has of each file, and the call sends those bytes or none.
 */
import { canonicalJson } from "../base/canonical-json.ts";
import { failed, ok, type Result } from "../base/errors.ts";
import type { FileEntry, FilesPort } from "../ports/files.ts";
import { type Bound, bindCopy, type BoundFile } from "../sandbox/bind-copy.ts";
import { judgePath } from "../sandbox/path.ts";
import { sha256HexNow } from "../base/sha256-now.ts";
import type { SandboxRules } from "../sandbox/rules.ts";
import type { Tool } from "../tool/tool.ts";

type FileTerms = Pick<Tool, "refersTo" | "copies">;

/** True when a call with these checked arguments names a file, or gives a program files. */
export function namesFiles(tool: FileTerms, given: unknown): boolean {
  return tool.copies !== undefined || namedFiles(tool, given).length > 0;
}

/** The files that the call names or gives a program, as they are now. A failure names the argument; no bytes are read. */
export async function bindFiles(
  tool: FileTerms,
  given: unknown,
  { files, sandbox }: { readonly files: FilesPort; readonly sandbox: SandboxRules },
): Promise<Result<Bound>> {
  // The schema of this very tool produced the value, so it is what the tool's functions take.
  if (tool.copies !== undefined) return await bindCopy(tool.copies(given as never), { files, sandbox });
  const bound: BoundFile[] = [];
  for (const { field, name } of namedFiles(tool, given)) {
    const path = judgePath(name, sandbox, "read", field);
    if (!path.ok) return path;
    const found = await files.stat(path.value);
    if (!found.ok) return { ok: false, error: { ...found.error, field } };
    bound.push({ path: found.value.path, size: found.value.size, hash: found.value.hash });
  }
  return ok({ files: bound, copy: null });
}

/** The hash of what a person approves: that of the arguments, and with files that of both. */
export function hashApproved(argumentsHash: string, files: readonly BoundFile[] = []): string {
  if (files.length === 0) return argumentsHash;
  const terms = files.map(({ path, hash, mode }) => (mode === undefined ? [path, hash] : [path, hash, mode]));
  return sha256HexNow(canonicalJson([argumentsHash, terms]));
}

/** True when both name the same files with the same content and modes, in the same order. */
export function sameFiles(one: readonly BoundFile[], other: readonly BoundFile[]): boolean {
  return (
    one.length === other.length &&
    one.every(
      ({ path, hash, mode }, at) => path === other[at]?.path && hash === other[at].hash && mode === other[at].mode,
    )
  );
}

/**
 * Wraps a file port: an approved file is read with the approved content or not at all. Calls `onChange` when its
 * content is another.
 */
export function guardApprovedFiles(files: FilesPort, approved: readonly BoundFile[], onChange: () => void): FilesPort {
  const hashes = new Map(approved.map(({ path, hash }) => [path, hash]));
  const check = <Value>(result: Result<Value>, entryOf: (value: Value) => FileEntry): Result<Value> => {
    if (!result.ok) return result;
    const { path, hash } = entryOf(result.value);
    const wanted = hashes.get(path);
    if (wanted === undefined || wanted === hash) return result;
    onChange();
    return failed("conflict", `${path} changed after it was approved. It was not sent.`);
  };
  return {
    ...files,
    stat: async (path) => check(await files.stat(path), (entry) => entry),
    read: async (path, maxBytes) => check(await files.read(path, maxBytes), ({ entry }) => entry),
    open: async (path, version) => check(await files.open(path, version), ({ entry }) => entry),
    bytesOf: async (entry) => {
      const same = check(ok(entry), (its) => its);
      return same.ok ? await files.bytesOf(entry) : same;
    },
  };
}

interface NamedFile {
  readonly field: string;
  readonly name: string;
}

function namedFiles({ refersTo = {} }: Pick<Tool, "refersTo">, given: unknown): NamedFile[] {
  const values = new Map(Object.entries(given ?? {}));
  return Object.keys(refersTo).flatMap((field) => {
    const value: unknown = values.get(field);
    const names: readonly unknown[] = Array.isArray(value) ? value : [value];
    return names.filter((name) => typeof name === "string").map((name) => ({ field, name }));
  });
}
