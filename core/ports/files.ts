/** The files of one sandbox. */
import type { Result } from "../base/errors.ts";
import type { Label } from "../provenance/label.ts";
import type { FileChange } from "../sandbox/file-change.ts";

/** One file of a sandbox. Times are milliseconds since the epoch; `hash` is the SHA-256 of the bytes in hex. */
export interface FileEntry {
  readonly path: string;
  readonly size: number;
  readonly hash: string;
  readonly contentType: string;
  readonly modifiedAt: number;
  /** Counts the writes to the path, over deletions too. */
  readonly version: number;
  /** Nine permission bits; `core/sandbox/file-mode.ts` says what they mean here. */
  readonly mode: number;
  /** The label of its writer; absent from a sandbox of an earlier release. */
  readonly label?: Label;
  /** A person or a channel put these bytes there, and no call of a task; absent from a sandbox of an earlier release. */
  readonly isUploaded?: boolean;
}

/** What a write gives: the file as it is now. */
export interface WrittenFile extends FileEntry {
  /** False: it replaced a file. */
  readonly isNew: boolean;
  /** Where the file that it replaced stands now; null: there was none, or no backup was asked for. */
  readonly backup: string | null;
}

/** A version of a file that is remembered; of a deleted file, none is the current one. */
export interface FileVersion extends FileEntry {
  readonly isCurrent: boolean;
}

/** Some of the files below a directory, in the order of the code points of their paths. `next`: the `after` of the page that follows. */
export interface FilePage {
  readonly files: readonly FileEntry[];
  readonly next: string | null;
}

/** What `list` gives: a file, or a directory that holds some. `name` is the last segment. */
export interface DirectoryEntry {
  readonly name: string;
  readonly path: string;
  readonly kind: "file" | "directory";
  readonly size: number;
  readonly modifiedAt: number;
  /** Of a directory: the join over everything in it; absent from a sandbox of an earlier release. */
  readonly label?: Label;
}

/** How a write is made. */
export interface WriteOptions {
  /** A write with a key that was applied before is not applied again and gives the first one's entry. */
  readonly key: string;
  /** Only when the path is at this version (0: absent); otherwise `conflict`. */
  readonly ifVersion?: number;
  readonly contentType?: string;
  /** Without one a file keeps the mode that it has. */
  readonly mode?: number;
  /** Where a file that is replaced goes, in the same step: both happen or neither. What stands there is replaced too. */
  readonly backupPath?: string;
  /** The label of the writer; `OUTSIDE` when omitted. */
  readonly label?: Label;
  /** The bytes are as a person or a channel sent them; false when omitted. */
  readonly isUploaded?: boolean;
}

/** How a file or a directory is removed, or a version brought back. A key that was applied before changes nothing more. */
export interface ChangeOptions {
  readonly key: string;
  /** Only when the path is at this version; otherwise `conflict`. */
  readonly ifVersion?: number;
}

/**
 * One sandbox (a task tree's, with the project's shared folder under `project/`). Paths are already judged by
 * `core/sandbox/path.ts`; the sandbox judges their form again.
 */
export interface FilesPort {
  stat(path: string): Promise<Result<FileEntry>>;
  /** The bytes; `too_large` when over `maxBytes`. */
  read(path: string, maxBytes: number): Promise<Result<{ entry: FileEntry; bytes: Uint8Array }>>;
  /** The bytes as they come, `entry.size` of them; with a version, of that one. The stream fails when the store goes away under it. */
  open(path: string, version?: number): Promise<Result<{ entry: FileEntry; stream: ReadableStream<Uint8Array> }>>;
  /** `bytes` are neither copied nor changed, and are the port's until the promise has settled. */
  write(path: string, bytes: Uint8Array, options: WriteOptions): Promise<Result<WrittenFile>>;
  /** The entries directly inside a directory, sorted by name; `not_found` for a directory that does not exist. "" is the root, which always does. */
  list(path: string): Promise<Result<readonly DirectoryEntry[]>>;
  /** All files below a directory, at any depth, whose paths follow `after`; at most `limit`, and never more than 1,000. `not_found` as for `list`. */
  walk(directory: string, after: string | null, limit: number): Promise<Result<FilePage>>;
  /** Reads the bytes of an entry by its path and hash, also after later writes. One request to the store. */
  bytesOf(entry: FileEntry): Promise<Result<Uint8Array>>;
  /** Makes a directory and those above it. `made` is false for one that is there; `conflict` where a file is in the way. */
  makeDirectory(
    path: string,
    options: Pick<WriteOptions, "key" | "label">,
  ): Promise<Result<{ readonly made: boolean }>>;
  /** Removes a file, whose versions stay and can be restored, or a directory that is empty. The directory above stays. */
  remove(path: string, options: ChangeOptions): Promise<Result<{ readonly kind: "file" | "directory" }>>;
  /** The versions of a file that are remembered, the newest first, those of a deleted file too; `not_found` where none is. */
  versions(path: string): Promise<Result<readonly FileVersion[]>>;
  /** Makes the file what it was at a version, as a new version. */
  restore(path: string, version: number, options: ChangeOptions): Promise<Result<WrittenFile>>;
  /**
   * All of these changes or none, once for a key; `conflict` names every path that is not at its `ifVersion`.
   * `outcome_unknown`: the store stopped answering in the middle, and some of them may have been made.
   */
  apply(changes: readonly FileChange[], options: Pick<WriteOptions, "key" | "label">): Promise<Result<void>>;
}
