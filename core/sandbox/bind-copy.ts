/**
 * What a program is given, as a person approves it: each file by its own hash, each directory by a hash over the paths and
 * hashes of its files. The program gets the copy that was bound; later writes do not change it.
 */
import { canonicalJson } from "../canonical-json.ts";
import { ok, type Result } from "../errors.ts";
import type { FileEntry } from "../ports.ts";
import { sha256Hex } from "../sha256.ts";
import type { BoundFile } from "../tool.ts";
import { judgeTop } from "./path.ts";
import { type CopyContext, type CopyScope, gatherCopy, type WorkingCopy } from "./working-copy.ts";

/** Files as they are approved, and the copy of them; null: the call names files and is given no copy. */
export interface Bound {
  readonly files: readonly BoundFile[];
  readonly copy: WorkingCopy | null;
}

/** Finds what goes in and binds it. No bytes are read: the index has the hash of each file. */
export async function bindCopy(
  scope: CopyScope,
  context: Pick<CopyContext, "files" | "sandbox">,
): Promise<Result<Bound>> {
  const copy = await gatherCopy(scope, context);
  if (!copy.ok) return copy;
  const files = new Map<string, BoundFile>();
  for (const raw of scope.only ?? [""]) {
    const top = judgeTop(raw, context.sandbox, "files");
    if (!top.ok) return top;
    const bound = await bindTop(top.value.normalize("NFC"), copy.value);
    files.set(bound.path, bound);
  }
  return ok({ files: [...files.values()], copy: copy.value });
}

async function bindTop(top: string, { entries }: WorkingCopy): Promise<BoundFile> {
  const file = entries.get(top);
  if (file !== undefined) return { path: file.path, size: file.size, hash: file.hash };
  const prefix = top === "" ? "" : `${top}/`;
  const inside = [...entries.values()].filter(({ path }) => path.startsWith(prefix)).toSorted(byPath);
  const size = inside.reduce((sum, entry) => sum + entry.size, 0);
  const hash = await sha256Hex(canonicalJson(inside.map((entry) => [entry.path, entry.hash])));
  return { path: prefix === "" ? "./" : prefix, size, hash, fileCount: inside.length };
}

function byPath(one: FileEntry, other: FileEntry): number {
  return one.path < other.path ? -1 : 1;
}
