/** The headers of a downloaded file: a browser saves it and never runs it. */
import type { FileEntry } from "../../core/ports/files.ts";

/** A strong entity tag: the hash of the bytes. */
export function getEntityTag(entry: FileEntry): string {
  return `"${entry.hash}"`;
}

/** Whether a header of entity tags names the current content of this file. */
export function matchesTag(header: string | undefined, entry: FileEntry): boolean {
  if (header === undefined) return false;
  return (
    header.trim() === "*" || header.split(",").some((tag) => tag.trim().replace(/^W\//, "") === getEntityTag(entry))
  );
}

export function fileHeaders(entry: FileEntry): Record<string, string> {
  return {
    "content-type": /^[\x20-\x7e]+$/.test(entry.contentType) ? entry.contentType : "application/octet-stream",
    "content-disposition": formatDisposition(entry.path.slice(entry.path.lastIndexOf("/") + 1)),
    "content-security-policy": "sandbox; default-src 'none'",
    "x-content-type-options": "nosniff",
    "cache-control": "private, no-cache",
    etag: getEntityTag(entry),
    "last-modified": new Date(entry.modifiedAt).toUTCString(),
  };
}

/** An attachment with its name, in both forms of RFC 6266. */
function formatDisposition(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
