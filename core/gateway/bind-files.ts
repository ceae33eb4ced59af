/**
 * Binds a call to the content of the files that it names. A person approves both together, by each file's hash in the
 * sandbox's index, and the call sends exactly those bytes.
 */
import { toCanonicalJson } from "../base/canonical-json.ts";
import { type Failed, failed, ok, type Result } from "../base/errors.ts";
import type { FileEntry, FilesPort } from "../ports/files.ts";
import { type BoundCopy, bindCopy, type BoundFile } from "../sandbox/bind-copy.ts";
import { judgePath } from "../sandbox/path.ts";
import { sha256HexSync } from "../base/sha256-sync.ts";
import type { SandboxRules } from "../sandbox/rules.ts";
import type { Tool } from "../tool/tool.ts";

type FileTerms = Pick<Tool, "refersTo" | "mapFiles" | "maxFileBytes" | "copies">;

/** True when a call with these validated arguments names a file, or gives files to a program. */
export function namesFiles(tool: FileTerms, given: unknown): boolean {
  return tool.copies !== undefined || listNamedFiles(tool, given).length > 0;
}

/**
 * Returns the files that the call names or gives to a program, with their current hashes. A failure names the argument.
 * Reads no bytes.
 */
export async function bindFiles(
  tool: FileTerms,
  given: unknown,
  { files, sandbox }: { readonly files: FilesPort; readonly sandbox: SandboxRules },
): Promise<Result<BoundCopy>> {
  // This tool's own schema produced the value, so its functions accept it.
  if (tool.copies !== undefined) return await bindCopy(tool.copies(given as never), { files, sandbox });
  const bound: BoundFile[] = [];
  for (const { field, name } of listNamedFiles(tool, given)) {
    const path = judgePath(name, sandbox, "read", field);
    if (!path.ok) return path;
    const found = await files.stat(path.value);
    if (!found.ok) return { ok: false, error: { ...found.error, field } };
    const tooLarge = refuseLarge(tool, found.value, field);
    if (tooLarge !== null) return tooLarge;
    bound.push({ path: found.value.path, size: found.value.size, hash: found.value.hash });
  }
  return ok({ files: bound, copy: null });
}

/** Hashes what a person approves: the arguments, and the files if there are any. */
export function hashApproved(argumentsHash: string, files: readonly BoundFile[] = []): string {
  if (files.length === 0) return argumentsHash;
  const terms = files.map(({ path, hash, mode }) => (mode === undefined ? [path, hash] : [path, hash, mode]));
  return sha256HexSync(toCanonicalJson([argumentsHash, terms]));
}

/** True when both name the same files with the same content and modes, in the same order. */
export function areSameFiles(one: readonly BoundFile[], other: readonly BoundFile[]): boolean {
  return (
    one.length === other.length &&
    one.every(
      ({ path, hash, mode }, at) => path === other[at]?.path && hash === other[at].hash && mode === other[at].mode,
    )
  );
}

/**
 * Wraps a file port so that an approved file is read with the approved content or fails. Calls `onChange` when the
 * content differs.
 */
export function guardApprovedFiles(files: FilesPort, approved: readonly BoundFile[], onChange: () => void): FilesPort {
  const hashes = new Map(approved.map(({ path, hash }) => [path, hash]));
  const check = <Value>(result: Result<Value>, getEntry: (value: Value) => FileEntry): Result<Value> => {
    if (!result.ok) return result;
    const { path, hash } = getEntry(result.value);
    const approvedHash = hashes.get(path);
    if (approvedHash === undefined || approvedHash === hash) return result;
    onChange();
    return failed("conflict", `${path} changed after it was approved. It was not sent.`);
  };
  return {
    ...files,
    stat: async (path) => check(await files.stat(path), (entry) => entry),
    read: async (path, maxBytes) => check(await files.read(path, maxBytes), ({ entry }) => entry),
    open: async (path, version) => check(await files.open(path, version), ({ entry }) => entry),
    readEntry: async (entry) => {
      const same = check(ok(entry), (its) => its);
      return same.ok ? await files.readEntry(entry) : same;
    },
  };
}

interface NamedFile {
  readonly field: string;
  readonly name: string;
}

/** Refuses a file that the tool cannot take; null if it can. */
export function refuseLarge(
  { maxFileBytes = Infinity }: Pick<Tool, "maxFileBytes">,
  { path, size }: Pick<FileEntry, "path" | "size">,
  field: string,
): Failed | null {
  if (size <= maxFileBytes) return null;
  return failed(
    "too_large",
    `${field}: ${path} has ${size} bytes, at most ${maxFileBytes}. It was not sent. Use a smaller file.`,
    {
      field,
    },
  );
}

function listNamedFiles({ refersTo = {}, mapFiles }: Pick<Tool, "refersTo" | "mapFiles">, given: unknown): NamedFile[] {
  const found: NamedFile[] = [];
  mapFiles?.(given as never, (name, field) => {
    if (!found.some((one) => one.name === name)) found.push({ field, name });
    return ok(name);
  });
  if (mapFiles !== undefined) return found;
  const values = new Map(Object.entries(given ?? {}));
  const covered = Object.keys(refersTo).filter((field) => refersTo[field] === "file");
  return covered.flatMap((field) => {
    const value: unknown = values.get(field);
    const names: readonly unknown[] = Array.isArray(value) ? value : [value];
    return names.filter((name) => typeof name === "string").map((name) => ({ field, name }));
  });
}
