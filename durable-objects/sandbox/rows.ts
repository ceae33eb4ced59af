/** Reads rows of a sandbox's tables, and creates the row of a copy. */
import type { FileEntry } from "../../core/ports/files.ts";
import { joinLabels, type Label, TENANT } from "../../core/provenance/label.ts";

/** The columns of a file. */
export const FILE = "path, hash, size, content_type, modified_at, version, mode, label, is_uploaded";

export interface FileRow extends Record<string, SqlStorageValue> {
  readonly path: string;
  readonly hash: string;
  readonly size: number;
  readonly content_type: string;
  readonly modified_at: number;
  readonly version: number;
  readonly mode: number;
  readonly label: number;
  readonly is_uploaded: number;
}

/**
 * The copied fields of a file. The label also covers the writer that chose the copy's path, and a copy is no upload.
 */
export function toCopy({ hash, size, contentType, mode, label = TENANT }: FileEntry, by: { readonly label?: Label }) {
  return { hash, size, contentType, mode, label: joinLabels(label, by.label ?? label), isUploaded: false };
}

/** The bounds of the paths below a directory: `0` is the character after `/`. The root has none. */
export function toPathBounds(directory: string): [after: string, before: string] {
  return directory === "" ? ["", ""] : [`${directory}/`, `${directory}0`];
}

export function toEntry({ content_type, modified_at, label, is_uploaded, ...row }: FileRow): FileEntry {
  return {
    ...row,
    contentType: content_type,
    modifiedAt: modified_at,
    label: label as Label,
    isUploaded: is_uploaded === 1,
  };
}
