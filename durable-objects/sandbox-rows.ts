/** How rows of a sandbox's tables are read, and what a copy has of one. */
import type { FileEntry } from "../core/ports.ts";
import { joinLabels, type Label, TENANT } from "../core/provenance/label.ts";

/** The columns of a file. */
export const FILE = "path, hash, size, content_type, modified_at, version, mode, label";

export interface FileRow extends Record<string, SqlStorageValue> {
  readonly path: string;
  readonly hash: string;
  readonly size: number;
  readonly content_type: string;
  readonly modified_at: number;
  readonly version: number;
  readonly mode: number;
  readonly label: number;
}

/** What a copy has of a file. Its label also counts whoever chose the copy's path. */
export function copyOf({ hash, size, contentType, mode, label = TENANT }: FileEntry, by: { readonly label?: Label }) {
  return { hash, size, contentType, mode, label: joinLabels(label, by.label ?? label) };
}

/** The bounds of the paths below a directory: `0` is the character after `/`. The topmost directory has none. */
export function insideOf(directory: string): [after: string, before: string] {
  return directory === "" ? ["", ""] : [`${directory}/`, `${directory}0`];
}

export function toEntry({ path, size, hash, content_type, modified_at, version, mode, label }: FileRow): FileEntry {
  return { path, size, hash, contentType: content_type, modifiedAt: modified_at, version, mode, label: label as Label };
}
