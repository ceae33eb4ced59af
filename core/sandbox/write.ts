/**
 * Checks a change to a sandbox: files and directories do not replace each other, the expected version, the quota. The
 * fake and the object share this check, and create their entries here.
 */
import { failed, ok, type Result } from "../base/errors.ts";
import { type Label, OUTSIDE } from "../provenance/label.ts";
import type { FileEntry, FileVersion, WriteOptions, WrittenFile } from "../ports/files.ts";
import { getContentType } from "./content-type.ts";
import { DEFAULT_MODE } from "./file-mode.ts";

/** Limits of one sandbox. Directories are those that were created, or that a removed file left. */
export const SANDBOX_MAX_BYTES = 1_073_741_824;
export const SANDBOX_MAX_FILES = 10_000;
export const SANDBOX_MAX_DIRECTORIES = 10_000;

/** Earlier versions of a file that are stored. */
export const MAX_STORED_VERSIONS = 10;
/** Deleted files whose versions are stored, the latest ones. */
export const MAX_DELETED_FILES = 10_000;
/** Files of one page of a walk. */
export const MAX_WALK_PAGE = 1_000;

/** A write to a sandbox. Its bytes are hashed already. */
export interface SandboxWrite extends WriteOptions {
  readonly path: string;
  readonly size: number;
  readonly hash: string;
}

/** `applied`: the result of the same key before, or null. `blobNeeded`: the bytes have to be uploaded. */
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

/** The contents of a sandbox that count against its quota. */
export interface Totals {
  readonly files: number;
  readonly bytes: number;
}

/** What exists at a path. */
export interface PathSituation {
  readonly present: FileEntry | null;
  readonly isDirectory: boolean;
}

/** What a write to a path depends on. `backup` is the state of its `backupPath`. */
export interface WriteSituation extends PathSituation {
  /** A file among the parents of the path. */
  readonly fileAbove: string | null;
  readonly backup: PathSituation | null;
  readonly totals: Totals;
}

/** A write or a restored version, as far as it is checked. */
export type CheckedWrite = Pick<SandboxWrite, "path" | "size" | "ifVersion" | "backupPath">;

/** The totals after the write; otherwise `conflict` or `quota_exceeded`, with the path in the message. */
export function judgeWrite(write: CheckedWrite, situation: WriteSituation): Result<Totals> {
  const { present, isDirectory, fileAbove, backup } = situation;
  const { path, backupPath } = write;
  if (isDirectory) return failed("conflict", `${path} is a directory.`);
  if (fileAbove !== null) return failed("conflict", `${fileAbove} is a file, so nothing can be inside it.`);
  const current = judgeVersion(write, present);
  if (!current.ok) return current;
  if (present !== null && backup?.isDirectory === true) {
    return failed("conflict", `${backupPath ?? ""} is a directory, so the backup cannot be stored there.`);
  }
  return judgeTotals(getTotalsAfter(write, situation), situation.totals);
}

function getTotalsAfter({ size }: CheckedWrite, { present, backup, totals }: WriteSituation): Totals {
  const isBackedUp = present !== null && backup !== null;
  const files = totals.files + (present === null ? 1 : 0) + (isBackedUp && backup.present === null ? 1 : 0);
  const backedUp = isBackedUp ? present.size - (backup.present?.size ?? 0) : 0;
  return { files, bytes: totals.bytes - (present?.size ?? 0) + size + backedUp };
}

/** A sandbox above its quota may still shrink. */
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

/** `conflict` when the path is at another version than expected. */
function judgeVersion(
  { path, ifVersion }: { readonly path: string; readonly ifVersion?: number },
  present: FileEntry | null,
): Result<void> {
  const version = present?.version ?? 0;
  if (ifVersion === undefined || ifVersion === version) return ok(undefined);
  return failed("conflict", `${path} is at version ${version}, not ${ifVersion}. Read it again first.`);
}

/** Creates the entry of a write. `lastVersion` is the highest stored version of the path. */
export function createEntry(
  write: SandboxWrite,
  { present, lastVersion, now }: { present: FileEntry | null; lastVersion: number; now: number },
): FileEntry & { readonly label: Label } {
  const { path, size, hash, label = OUTSIDE, isUploaded = false } = write;
  return {
    path,
    size,
    hash,
    contentType: write.contentType ?? getContentType(path),
    modifiedAt: now,
    version: lastVersion + 1,
    mode: write.mode ?? present?.mode ?? DEFAULT_MODE,
    label,
    isUploaded,
  };
}

/** The file entry of a version. */
export function toEntry({ isCurrent: _, ...entry }: FileVersion): FileEntry {
  return entry;
}

/** The error for a version that is not stored. */
export function describeMissingVersion(path: string, version: number): string {
  return `${path} has no version ${version} that is remembered.`;
}

/**
 * Whether a directory has to be created; false when it exists. `conflict` for a file, `quota_exceeded` at the limit.
 */
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

/** What a removal removes: a file at the expected version, or an empty directory. */
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

/** All parents of a path, from the root. */
export function listParents(path: string): string[] {
  const segments = path.split("/");
  return segments.slice(1).map((_, index) => segments.slice(0, index + 1).join("/"));
}

/** The parent of a path; null at the root. */
export function getParent(path: string): string | null {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? null : path.slice(0, slash);
}
