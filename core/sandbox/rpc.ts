/** The RPC of a sandbox's object. Expected failures are `Result` values. Everything is structured-cloneable. */
import type { Result } from "../base/errors.ts";
import type { ChangeOptions, DirectoryEntry, FileEntry, FilePage, FileVersion, WrittenFile } from "../ports/files.ts";
import type { Label } from "../provenance/label.ts";
import type { ChangeSetRpc } from "./change-set.ts";
import type { MadeDirectory, RemovedEntry, SandboxWrite, WriteAdmission } from "./write.ts";

/** One sandbox's index of files. Blobs are in R2 under `{prefix}blobs/{hash}`. */
export interface SandboxRpc extends ChangeSetRpc {
  stat(path: string): Promise<Result<FileEntry>>;
  list(path: string): Promise<Result<readonly DirectoryEntry[]>>;
  walk(directory: string, after: string | null, limit: number): Promise<Result<FilePage>>;
  versions(path: string): Promise<Result<readonly FileVersion[]>>;
  /** Checks format, quotas and version; returns whether the blob has to be uploaded. Changes no file. */
  admit(write: SandboxWrite): Promise<Result<WriteAdmission>>;
  /** Points the path at the blob. A repeated write key returns the first write's entry. */
  commit(write: SandboxWrite): Promise<Result<WrittenFile>>;
  /** `label` is the writer's; `OUTSIDE` when omitted. */
  makeDirectory(path: string, key: string, label?: Label): Promise<Result<MadeDirectory>>;
  remove(path: string, options: ChangeOptions): Promise<Result<RemovedEntry>>;
  restore(path: string, version: number, options: ChangeOptions): Promise<Result<WrittenFile>>;
  /** Deletes every file and version, and releases their part of the tenant's quota. */
  erase(): Promise<void>;
}
