/**
 * Whether a sandbox takes a change: no file where a directory is and the reverse, the version that was asked for, the
 * quota. The fake and the object ask here alike, and build what they store here.
 */
import { failed, ok, type Result } from "../base/errors.ts";
import { type Label, OUTSIDE } from "../provenance/label.ts";
import type { FileEntry, FileVersion, WriteOptions, WrittenFile } from "../ports/files.ts";
import { contentTypeOf } from "./content-type.ts";
import { DEFAULT_MODE } from "./file-mode.ts";

/** The most that one sandbox holds. Directories are those that were made, or left by the file that was in them. */
export const SANDBOX_MAX_BYTES = 1_073_741_824;
export const SANDBOX_MAX_FILES = 10_000;
export const SANDBOX_MAX_DIRECTORIES = 10_000;

/** Versions of a file that are remembered beside the current one. */
export const KEPT_VERSIONS = 10;
/** Deleted files whose versions are remembered, those that were deleted last. */
export const KEPT_DELETED_FILES = 10_000;
/** Files of one page of a walk. */
export const MAX_WALK_PAGE = 1_000;

/** A write to a sandbox, its bytes already hashed. */
export interface SandboxWrite extends WriteOptions {
  readonly path: string;
  readonly size: number;
  readonly hash: string;
}

/** Whether a write was applied before under its key, and whether its bytes have to be put. */
export interface WriteAdmission {
  readonly applied: WrittenFile | null;
  readonly blobNeeded: boolean;
}

export interface MadeDirectory {
  readonly made: boolean;
}

export interface RemovedEntry {
  readonly kind: "file" | "directory";
}

/** What a sandbox holds, against its quota. */
export interface Totals {
  readonly files: number;
  readonly bytes: number;
}

/** What stands at a path. */
export interface PathSituation {
  readonly present: FileEntry | null;
  readonly isDirectory: boolean;
}

/** What the sandbox knows that bears on a write to one path. `backup`: of the write's `backupPath`. */
export interface WriteSituation extends PathSituation {
  /** A file on the way to the path. */
  readonly fileAbove: string | null;
  readonly backup: PathSituation | null;
  readonly totals: Totals;
}

/** A write, or the restoring of a version, as it is judged. */
export type JudgedWrite = Pick<SandboxWrite, "path" | "size" | "ifVersion" | "backupPath">;

/** What the sandbox would hold after the write; else `conflict` or `quota_exceeded`, with the path in the message. */
export function judgeWrite(write: JudgedWrite, situation: WriteSituation): Result<Totals> {
  const { present, isDirectory, fileAbove, backup } = situation;
  const { path, backupPath } = write;
  if (isDirectory) return failed("conflict", `${path} is a directory.`);
  if (fileAbove !== null) return failed("conflict", `${fileAbove} is a file, so nothing can be inside it.`);
  const current = judgeVersion(write, present);
  if (!current.ok) return current;
  if (present !== null && backup?.isDirectory === true) {
    return failed("conflict", `${backupPath ?? ""} is a directory, so the backup cannot stand there.`);
  }
  return judgeTotals(totalsAfter(write, situation), situation.totals);
}

function totalsAfter({ size }: JudgedWrite, { present, backup, totals }: WriteSituation): Totals {
  const isBackedUp = present !== null && backup !== null;
  const files = totals.files + (present === null ? 1 : 0) + (isBackedUp && backup.present === null ? 1 : 0);
  const backedUp = isBackedUp ? present.size - (backup.present?.size ?? 0) : 0;
  return { files, bytes: totals.bytes - (present?.size ?? 0) + size + backedUp };
}

/** What is over the quota already may still become less. */
export function judgeTotals(after: Totals, before: Totals): Result<Totals> {
  if (after.files > SANDBOX_MAX_FILES && after.files > before.files) {
    return failed(
      "quota_exceeded",
      `The sandbox holds ${before.files} files, and no more than ${SANDBOX_MAX_FILES} fit.`,
    );
  }
  if (after.bytes > SANDBOX_MAX_BYTES) {
    return failed(
      "quota_exceeded",
      `The sandbox would hold ${after.bytes} bytes, and no more than ${SANDBOX_MAX_BYTES} fit.`,
    );
  }
  return ok(after);
}

/** `conflict` when the path is at another version than was asked for. */
function judgeVersion(
  { path, ifVersion }: { readonly path: string; readonly ifVersion?: number },
  present: FileEntry | null,
): Result<void> {
  const version = present?.version ?? 0;
  if (ifVersion === undefined || ifVersion === version) return ok(undefined);
  return failed("conflict", `${path} is at version ${version}, not ${ifVersion}. Read it again first.`);
}

/** The entry that a write makes. `lastVersion` is the highest that the path ever had, as far as is remembered. */
export function entryOf(
  write: SandboxWrite,
  { present, lastVersion, now }: { present: FileEntry | null; lastVersion: number; now: number },
): FileEntry & { readonly label: Label } {
  const { path, size, hash, label = OUTSIDE, isUploaded = false } = write;
  return {
    path,
    size,
    hash,
    contentType: write.contentType ?? contentTypeOf(path),
    modifiedAt: now,
    version: lastVersion + 1,
    mode: write.mode ?? present?.mode ?? DEFAULT_MODE,
    label,
    isUploaded,
  };
}

/** A version as the file that it was. */
export function entryOfVersion({ isCurrent: _, ...entry }: FileVersion): FileEntry {
  return entry;
}

/** What is said of a version that is not remembered, or never was. */
export function noSuchVersion(path: string, version: number): string {
  return `${path} has no version ${version} that is remembered.`;
}

/** Whether a directory has to be made: false when it is there. `conflict` for a file, `quota_exceeded` for one too many. */
export function judgeDirectory(
  path: string,
  { present, isDirectory, fileAbove, made }: PathSituation & { fileAbove: string | null; made: number },
): Result<boolean> {
  if (present !== null) return failed("conflict", `${path} is a file.`);
  if (fileAbove !== null) return failed("conflict", `${fileAbove} is a file, so nothing can be inside it.`);
  if (isDirectory) return ok(false);
  if (made < SANDBOX_MAX_DIRECTORIES) return ok(true);
  return failed("quota_exceeded", `The sandbox holds ${made} directories, and no more than fit.`);
}

/** What is removed: a file at the version that was asked for, or a directory that holds nothing. */
export function judgeRemoval(
  removal: { readonly path: string; readonly ifVersion?: number },
  { present, isDirectory, isEmpty }: PathSituation & { readonly isEmpty: boolean },
): Result<"file" | "directory"> {
  const { path } = removal;
  if (present !== null) {
    const current = judgeVersion(removal, present);
    return current.ok ? ok("file") : current;
  }
  if (!isDirectory) return failed("not_found", `File not found: ${path}`);
  return isEmpty ? ok("directory") : failed("conflict", `${path} is a directory that is not empty.`);
}

/** Every directory that a path lies in, from the top. */
export function directoriesAbove(path: string): string[] {
  const segments = path.split("/");
  return segments.slice(1).map((_, index) => segments.slice(0, index + 1).join("/"));
}

/** The directory that a path lies in; null at the top. */
export function directoryOf(path: string): string | null {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? null : path.slice(0, slash);
}
