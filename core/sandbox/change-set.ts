/**
 * Several changes to one sandbox that apply together or not at all: each file has to be at the expected version, the
 * result has to be a tree, and it has to fit the quota. The fake and the object share this check.
 */
import { failed, ok, type Failure, type Result } from "../base/errors.ts";
import type { FileEntry } from "../ports/files.ts";
import type { Label } from "../provenance/label.ts";
import { judgeForm, judgeNewPath } from "./path.ts";
import { listParents, judgeTotals, type Totals } from "./write.ts";

/** Changes of one set: the sandbox stores a set in one row, which holds 2 MB. */
export const MAX_CHANGES = 1_000;
/** Paths that an error names. */
const NAMED_PATHS = 5;

/** A write of a set. Its bytes are hashed already. */
export interface SetWrite {
  readonly path: string;
  readonly size: number;
  readonly hash: string;
  readonly ifVersion: number;
  readonly mode?: number;
}

/** A set as the sandbox's object receives it, with paths inside the sandbox. */
export interface ChangeSet {
  readonly key: string;
  /** The label of the writer; `OUTSIDE` when omitted. */
  readonly label?: Label;
  readonly writes: readonly SetWrite[];
  readonly removals: readonly { readonly path: string; readonly ifVersion: number }[];
}

/** `isApplied`: this key was applied before. `missing`: the hashes of bytes to upload. */
export interface SetAdmission {
  readonly isApplied: boolean;
  readonly missing: readonly string[];
}

/** The RPC of a sandbox's object for change sets. */
export interface ChangeSetRpc {
  /** Checks versions, form and quotas without changing a file, and lists the missing bytes. */
  admitAll(set: ChangeSet): Promise<Result<SetAdmission>>;
  /** Applies all changes in one transaction. A key that was applied before changes nothing. */
  commitAll(set: ChangeSet): Promise<Result<void>>;
  /** Reverts an applied set, for files that were not changed since. */
  revertAll(set: ChangeSet): Promise<Result<void>>;
}

/** What the check needs of a sandbox. */
export interface SandboxView {
  file(path: string): FileEntry | null;
  /** How many files are below a path, at any depth. */
  filesBelow(path: string): number;
  totals(): Totals;
}

/**
 * The totals after the changes; otherwise `invalid_input`, `conflict` (with a field for each path) or `quota_exceeded`.
 */
export function judgeChanges(set: ChangeSet, view: SandboxView): Result<Totals> {
  const form = judgeSetForm(set);
  if (!form.ok) return form;
  const conflicts = [...findVersionConflicts(set, view), ...findTreeConflicts(set, view)];
  if (conflicts.length > 0) return failConflict(conflicts);
  const before = view.totals();
  const removedSizes = set.removals.map(({ path }) => view.file(path)?.size ?? 0);
  const replaced = set.writes.map(({ path }) => view.file(path)).filter((entry) => entry !== null);
  const after = {
    files: before.files - removedSizes.length + set.writes.length - replaced.length,
    bytes:
      before.bytes -
      sum(removedSizes) +
      sum(set.writes.map(({ size }) => size)) -
      sum(replaced.map(({ size }) => size)),
  };
  return judgeTotals(after, before);
}

function judgeSetForm({ writes, removals }: ChangeSet): Result<void> {
  const paths = [...writes, ...removals].map(({ path }) => path);
  if (paths.length > MAX_CHANGES) {
    return failed("too_large", `${paths.length} files were changed, and the limit is ${MAX_CHANGES} at once.`);
  }
  const written = new Set(writes.map(({ path }) => path));
  for (const path of paths) {
    const form = written.has(path) ? judgeNewPath(path) : judgeForm(path);
    if (!form.ok) return form;
  }
  if (new Set(paths).size === paths.length) return ok(undefined);
  return failed("invalid_input", "path: a path must occur once in a set of changes", { field: "path" });
}

interface Conflict {
  readonly path: string;
  readonly why: string;
}

function findVersionConflicts({ writes, removals }: ChangeSet, view: SandboxView): Conflict[] {
  return [...writes, ...removals].flatMap(({ path, ifVersion }) => {
    const version = view.file(path)?.version ?? 0;
    return version === ifVersion ? [] : [{ path, why: `is at version ${version}, not ${ifVersion}` }];
  });
}

/** Files in the place of a directory, or inside a file. Directories without files are replaced. */
function findTreeConflicts({ writes, removals }: ChangeSet, view: SandboxView): Conflict[] {
  const removed = new Set(removals.map(({ path }) => path));
  const written = new Set(writes.map(({ path }) => path));
  const [removedBelow, writtenBelow] = [countBelow(removed), countBelow(written)];
  return writes.flatMap(({ path }) => {
    const isFile = (above: string) => written.has(above) || (view.file(above) !== null && !removed.has(above));
    const fileAbove = listParents(path).find(isFile);
    if (fileAbove !== undefined) return [{ path, why: `cannot be inside ${fileAbove}, which is a file` }];
    const isDirectory = writtenBelow.has(path) || view.filesBelow(path) > (removedBelow.get(path) ?? 0);
    return isDirectory ? [{ path, why: "is a directory" }] : [];
  });
}

/** How many of these paths are below each directory. */
function countBelow(paths: ReadonlySet<string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const path of paths) for (const above of listParents(path)) counts.set(above, (counts.get(above) ?? 0) + 1);
  return counts;
}

function failConflict(conflicts: readonly Conflict[]): { readonly ok: false; readonly error: Failure } {
  const named = conflicts.slice(0, NAMED_PATHS).map(({ path, why }) => `${path} ${why}`);
  const more = conflicts.length > NAMED_PATHS ? `; and ${conflicts.length - NAMED_PATHS} more` : "";
  const fields = conflicts.map(({ path, why }) => ({ field: path, message: why }));
  return failed("conflict", `${named.join("; ")}${more}.`, { fields });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
