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
  /** Counts the writes to the path, across deletions. */
  readonly version: number;
  /** Nine permission bits; `core/sandbox/file-mode.ts` says what they mean here. */
  readonly mode: number;
  /** The label of its writer; absent from a sandbox of an earlier release. */
  readonly label?: Label;
  /**
   * True if a person or a channel uploaded these bytes, and no call of a task wrote them. Absent from a sandbox of an
   * earlier release.
   */
  readonly isUploaded?: boolean;
}

/** The result of a write. */
export interface WrittenFile extends FileEntry {
  /** False if it replaced a file. */
  readonly isNew: boolean;
  /** The path of the replaced file's backup; null if there was no file or no backup was requested. */
  readonly backup: string | null;
}

/** A stored version of a file; none of a deleted file is current. */
export interface FileVersion extends FileEntry {
  readonly isCurrent: boolean;
}

/**
 * A page of the files below a directory, in the code-point order of their paths. `next`: the `after` of the next page.
 */
export interface FilePage {
  readonly files: readonly FileEntry[];
  readonly next: string | null;
}

/** An entry of `list`: a file, or a directory. `name` is the last segment. */
export interface DirectoryEntry {
  readonly name: string;
  readonly path: string;
  readonly kind: "file" | "directory";
  readonly size: number;
  readonly modifiedAt: number;
  /** For a directory: the joined label of everything in it. Absent from a sandbox of an earlier release. */
  readonly label?: Label;
}

/** Options of a write. */
export interface WriteOptions {
  /** A repeated key is not applied again and returns the first write's entry. */
  readonly key: string;
  /** Only when the path is at this version (0: absent); otherwise `conflict`. */
  readonly ifVersion?: number;
  readonly contentType?: string;
  /** Omitted: the file's mode stays. */
  readonly mode?: number;
  /**
   * The backup path of a replaced file, which is written atomically with it. An existing file there is replaced too.
   */
  readonly backupPath?: string;
  /** The label of the writer; `OUTSIDE` when omitted. */
  readonly label?: Label;
  /** True for an upload of a person or a channel; false when omitted. */
  readonly isUploaded?: boolean;
}

/** Options of removing a file or a directory, or of restoring a version. A repeated key changes nothing more. */
export interface ChangeOptions {
  readonly key: string;
  /** Only when the path is at this version; otherwise `conflict`. */
  readonly ifVersion?: number;
}

/**
 * One sandbox (a task tree's, with the project's shared folder under `project/`). `core/sandbox/path.ts` has checked
 * the paths; the sandbox checks their format again.
 */
export interface FilesPort {
  stat(path: string): Promise<Result<FileEntry>>;
  /** Reads the bytes; `too_large` over `maxBytes`. */
  read(path: string, maxBytes: number): Promise<Result<{ entry: FileEntry; bytes: Uint8Array }>>;
  /** Streams the bytes, `entry.size` of them, optionally of a version. The stream fails when the store does. */
  open(path: string, version?: number): Promise<Result<{ entry: FileEntry; stream: ReadableStream<Uint8Array> }>>;
  /** `bytes` are neither copied nor changed. They must not change until the promise has settled. */
  write(path: string, bytes: Uint8Array, options: WriteOptions): Promise<Result<WrittenFile>>;
  /**
   * Returns the direct entries of a directory, sorted by name; `not_found` for a directory that does not exist. "" is
   * the root, which always exists.
   */
  list(path: string): Promise<Result<readonly DirectoryEntry[]>>;
  /**
   * Returns files below a directory, at any depth, whose paths follow `after`; at most `limit`, and never more than
   * 1,000. `not_found` as for `list`.
   */
  walk(directory: string, after: string | null, limit: number): Promise<Result<FilePage>>;
  /** Reads the bytes of an entry by its path and hash, even after later writes. One request to the store. */
  readEntry(entry: FileEntry): Promise<Result<Uint8Array>>;
  /** Creates a directory and its parents. `made` is false if it exists; `conflict` if a file has one of the paths. */
  makeDirectory(
    path: string,
    options: Pick<WriteOptions, "key" | "label">,
  ): Promise<Result<{ readonly made: boolean }>>;
  /** Removes a file, whose versions can be restored, or an empty directory. The parent directory stays. */
  remove(path: string, options: ChangeOptions): Promise<Result<{ readonly kind: "file" | "directory" }>>;
  /** Returns the stored versions of a file, the newest first, even of a deleted file; `not_found` without any. */
  versions(path: string): Promise<Result<readonly FileVersion[]>>;
  /** Restores a version of a file as a new version. */
  restore(path: string, version: number, options: ChangeOptions): Promise<Result<WrittenFile>>;
  /**
   * Applies all of these changes or none, once for a key; `conflict` names every path that is not at its `ifVersion`.
   * `outcome_unknown`: the store failed midway, and some changes may be applied.
   */
  apply(changes: readonly FileChange[], options: Pick<WriteOptions, "key" | "label">): Promise<Result<void>>;
}
