/** Finds the content of an attached file for a delivery: the content at the time of attaching. */
import { ok, type Result } from "../../base/errors.ts";
import type { FileEntry, FilesPort } from "../../ports/files.ts";
import type { OutputFile } from "../../task/view.ts";

/**
 * Returns the file's entry with the attached content, for `FilesPort.readEntry`; later writes to its path are ignored.
 * `not_found` when the file was deleted: it is not delivered.
 */
export async function findAttachedContent(files: FilesPort, attached: OutputFile): Promise<Result<FileEntry>> {
  const { path, size, content_type: contentType, sha256: hash } = attached;
  const present = await files.stat(path);
  // An earlier release stored no hash, so the present content is delivered.
  if (!present.ok || hash === undefined) return present;
  return ok({ ...present.value, size, contentType, hash });
}
