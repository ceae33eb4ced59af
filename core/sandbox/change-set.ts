/**
 * Several changes to one sandbox that happen together or not at all: each file has to be at the version that the changes
 * were made from, what is there afterwards has to be a tree, and it has to fit. The fake and the object ask here alike.
 */
import { failed, ok, type Failure, type Result } from "../base/errors.ts";
import type { FileEntry } from "../ports/files.ts";
import type { Label } from "../provenance/label.ts";
import { judgeForm } from "./path.ts";
import { directoriesAbove, judgeTotals, type Totals } from "./write.ts";

/** Of one set: the sandbox remembers the set in one row, which holds 2 MB. */
export const MAX_CHANGES = 1_000;
/** Paths that a message names. */
const NAMED_PATHS = 5;

/** A write of a set, its bytes already hashed. */
export interface SetWrite {
  readonly path: string;
  readonly size: number;
  readonly hash: string;
  readonly ifVersion: number;
  readonly mode?: number;
}

/** A set as the sandbox's object is given it: paths inside the sandbox. */
export interface ChangeSet {
  readonly key: string;
  /** The label of the writer; `OUTSIDE` when omitted. */
  readonly label?: Label;
  readonly writes: readonly SetWrite[];
  readonly removals: readonly { readonly path: string; readonly ifVersion: number }[];
}

/** Whether a set was applied before under its key, and which bytes have to be put. */
export interface SetAdmission {
  readonly isApplied: boolean;
  readonly missing: readonly string[];
}

/** What a sandbox's object does with sets. */
export interface ChangeSetRpc {
  /** Checks versions, form and quotas, and says which bytes have to be put. No file is changed. `isApplied`: it was, under its key. */
  admitAll(set: ChangeSet): Promise<Result<SetAdmission>>;
  /** Makes all changes in one transaction. A set whose key was applied before changes nothing more. */
  commitAll(set: ChangeSet): Promise<Result<void>>;
  /** Takes a set back that was applied under its key, where nobody has changed its files since. */
  revertAll(set: ChangeSet): Promise<Result<void>>;
}

/** What the judgement asks of a sandbox. */
export interface SandboxView {
  file(path: string): FileEntry | null;
  /** How many files are below a path, at any depth. */
  filesBelow(path: string): number;
  totals(): Totals;
}

/** What the sandbox would hold afterwards; else `invalid_input`, `conflict` (with a field for each path) or `quota_exceeded`. */
export function judgeChanges(set: ChangeSet, view: SandboxView): Result<Totals> {
  const form = judgeSetForm(set);
  if (!form.ok) return form;
  const conflicts = [...changedMeanwhile(set, view), ...notATree(set, view)];
  if (conflicts.length > 0) return conflictOf(conflicts);
  const before = view.totals();
  const gone = set.removals.map(({ path }) => view.file(path)?.size ?? 0);
  const replaced = set.writes.map(({ path }) => view.file(path)).filter((entry) => entry !== null);
  const after = {
    files: before.files - gone.length + set.writes.length - replaced.length,
    bytes: before.bytes - sum(gone) + sum(set.writes.map(({ size }) => size)) - sum(replaced.map(({ size }) => size)),
  };
  return judgeTotals(after, before);
}

function judgeSetForm({ writes, removals }: ChangeSet): Result<void> {
  const paths = [...writes, ...removals].map(({ path }) => path);
  if (paths.length > MAX_CHANGES) {
    return failed(
      "too_large",
      `${paths.length} files were changed, and no more than ${MAX_CHANGES} are taken at once.`,
    );
  }
  for (const path of paths) {
    const form = judgeForm(path);
    if (!form.ok) return form;
    if (form.value !== path) return failed("invalid_input", "path: a path must be in NFC", { field: "path" });
  }
  if (new Set(paths).size === paths.length) return ok(undefined);
  return failed("invalid_input", "path: a path must stand once in a set of changes", { field: "path" });
}

interface Conflict {
  readonly path: string;
  readonly why: string;
}

function changedMeanwhile({ writes, removals }: ChangeSet, view: SandboxView): Conflict[] {
  return [...writes, ...removals].flatMap(({ path, ifVersion }) => {
    const version = view.file(path)?.version ?? 0;
    return version === ifVersion ? [] : [{ path, why: `is at version ${version}, not ${ifVersion}` }];
  });
}

/** Files that would stand where a directory is, or inside a file. Directories that hold no file give way. */
function notATree({ writes, removals }: ChangeSet, view: SandboxView): Conflict[] {
  const removed = new Set(removals.map(({ path }) => path));
  const written = new Set(writes.map(({ path }) => path));
  const [removedBelow, writtenBelow] = [countBelow(removed), countBelow(written)];
  return writes.flatMap(({ path }) => {
    const isFile = (above: string) => written.has(above) || (view.file(above) !== null && !removed.has(above));
    const fileAbove = directoriesAbove(path).find(isFile);
    if (fileAbove !== undefined) return [{ path, why: `cannot be inside ${fileAbove}, which is a file` }];
    const isDirectory = writtenBelow.has(path) || view.filesBelow(path) > (removedBelow.get(path) ?? 0);
    return isDirectory ? [{ path, why: "is a directory" }] : [];
  });
}

/** How many of these paths are below each directory. */
function countBelow(paths: ReadonlySet<string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const path of paths) for (const above of directoriesAbove(path)) counts.set(above, (counts.get(above) ?? 0) + 1);
  return counts;
}

function conflictOf(conflicts: readonly Conflict[]): { readonly ok: false; readonly error: Failure } {
  const named = conflicts.slice(0, NAMED_PATHS).map(({ path, why }) => `${path} ${why}`);
  const more = conflicts.length > NAMED_PATHS ? `; and ${conflicts.length - NAMED_PATHS} more` : "";
  const fields = conflicts.map(({ path, why }) => ({ field: path, message: why }));
  return failed("conflict", `${named.join("; ")}${more}.`, { fields });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
