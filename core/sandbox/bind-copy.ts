/**
 * Binds the files of an approval: each file by hash and mode, each directory by a hash over the paths, hashes and modes
 * of its files. The default mode is left out. The program gets the approved copy; later writes do not change it.
 */
import { toCanonicalJson } from "../base/canonical-json.ts";
import { ok, type Result } from "../base/errors.ts";
import { sha256Hex } from "../base/sha256.ts";
import type { FileEntry } from "../ports/files.ts";
import { DEFAULT_MODE } from "./file-mode.ts";
import { judgePath } from "./path.ts";
import { type CopyContext, type CopyScope, gatherCopy, type WorkingCopy } from "./working-copy.ts";

/** The approved files and their copy; `copy` is null when the call only names files. */
export interface BoundCopy {
  readonly files: readonly BoundFile[];
  readonly copy: WorkingCopy | null;
}

/** Finds the files and binds them by the hashes of the index, without reading them. */
export async function bindCopy(
  scope: CopyScope,
  context: Pick<CopyContext, "files" | "sandbox">,
): Promise<Result<BoundCopy>> {
  const copy = await gatherCopy(scope, context);
  if (!copy.ok) return copy;
  const files = new Map<string, BoundFile>();
  for (const raw of scope.only ?? [""]) {
    const top = judgePath(raw, context.sandbox, "list", "files");
    if (!top.ok) return top;
    const bound = await bindTop(top.value, copy.value);
    files.set(bound.path, bound);
  }
  return ok({ files: [...files.values()], copy: copy.value });
}

async function bindTop(top: string, { entries }: WorkingCopy): Promise<BoundFile> {
  const file = entries.get(top);
  if (file !== undefined) return { path: file.path, size: file.size, hash: file.hash, ...getMode(file) };
  const prefix = top === "" ? "" : `${top}/`;
  const inside = [...entries.values()].filter(({ path }) => path.startsWith(prefix)).toSorted(comparePaths);
  const size = inside.reduce((sum, entry) => sum + entry.size, 0);
  const hash = await sha256Hex(toCanonicalJson(inside.map(listTerms)));
  return { path: prefix === "" ? "./" : prefix, size, hash, fileCount: inside.length };
}

function getMode({ mode }: FileEntry): { readonly mode?: number } {
  return mode === DEFAULT_MODE ? {} : { mode };
}

/** Approvals of an earlier release, which left modes out, stay valid for files with the default mode. */
function listTerms({ path, hash, mode }: FileEntry): readonly (string | number)[] {
  return mode === DEFAULT_MODE ? [path, hash] : [path, hash, mode];
}

function comparePaths(one: FileEntry, other: FileEntry): number {
  return one.path < other.path ? -1 : 1;
}

/** A file that a call names, with the content that a person approves. */
export interface BoundFile {
  /** The canonical path in the sandbox. A directory's ends in `/`; `./` is everything that the agent may see. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** SHA-256 of the content, in hex; for a directory, over the paths, the hashes and the modes of its files. */
  readonly hash: string;
  /** Permission bits of a file for a program. Absent for the default and for a file that is only read. */
  readonly mode?: number;
  /** For a directory: the number of its files. */
  readonly fileCount?: number;
}
