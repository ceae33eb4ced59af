/** The methods of a sandbox's object. Expected failures are `Result` values. Everything is structured-cloneable. */
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
  /** Checks form, quotas and version; says whether the blob has to be put. No file is changed. */
  admit(write: SandboxWrite): Promise<Result<WriteAdmission>>;
  /** Points the path at the blob. A write whose key was applied before gives the first one's entry. */
  commit(write: SandboxWrite): Promise<Result<WrittenFile>>;
  /** `label` is that of its writer; `OUTSIDE` when omitted. */
  makeDirectory(path: string, key: string, label?: Label): Promise<Result<MadeDirectory>>;
  remove(path: string, options: ChangeOptions): Promise<Result<RemovedEntry>>;
  restore(path: string, version: number, options: ChangeOptions): Promise<Result<WrittenFile>>;
  /** Forgets every file and version, and gives the tenant's quota back what they held of it. */
  erase(): Promise<void>;
}
