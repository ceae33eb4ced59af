/** Reads and writes text files for tools: UTF-8, in which a byte order mark is part of the content. */
import { failed, ok, type Result } from "../base/errors.ts";
import type { FilesPort } from "../ports/files.ts";
import { isReadable } from "./file-mode.ts";

/** Maximum bytes of a text file that a tool writes. */
export const MAX_TEXT_BYTES = 2_097_152;

/** Does not strip a byte order mark. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A text file as a tool returns it. */
export interface TextFile {
  readonly content: string;
  readonly path: string;
  readonly size: number;
}

/** Reads a file whose path was checked. `field` is the argument that errors name; document 003 fixes the messages. */
export async function readText(
  files: Pick<FilesPort, "read" | "list">,
  path: string,
  maxBytes: number,
  field: string,
): Promise<Result<TextFile>> {
  const read = await files.read(path, maxBytes);
  if (!read.ok && read.error.code === "not_found" && (await files.list(path)).ok) {
    const message = `${path} is a directory; list it with list_directory, or name a file in it.`;
    return failed("invalid_input", message, { field });
  }
  if (!read.ok) return { ok: false, error: { ...read.error, field } };
  const { entry, bytes } = read.value;
  if (!isReadable(entry)) return failed("permission_denied", `Permission denied: ${entry.path}`, { field });
  try {
    return ok({ content: utf8.decode(bytes), path: entry.path, size: entry.size });
  } catch {
    return failed("unsupported_media", `${entry.path} is not text in UTF-8.`, { field });
  }
}

/** Encodes a tool's argument `content`. */
export function encodeText(content: string): Result<Uint8Array> {
  const field = "content";
  if (!content.isWellFormed()) {
    return failed("invalid_input", "content: the text contains half of a surrogate pair", { field });
  }
  const bytes = new TextEncoder().encode(content);
  if (bytes.length > MAX_TEXT_BYTES) return failed("too_large", `File too large: ${bytes.length} bytes`, { field });
  return ok(bytes);
}
