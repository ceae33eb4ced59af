/** What is delivered of a file that a task attached: the content that it had when it was attached. */
import { ok, type Result } from "../errors.ts";
import type { FileEntry, FilesPort } from "../ports.ts";
import type { OutputFile } from "../task-view.ts";

/**
 * The file with the content that was attached, for `FilesPort.bytesOf`, whatever was written to its path since.
 * `not_found` when it was deleted meanwhile: then it is not delivered.
 */
export async function findAttached(files: FilesPort, attached: OutputFile): Promise<Result<FileEntry>> {
  const { path, size, content_type: contentType, sha256: hash } = attached;
  const present = await files.stat(path);
  // An earlier release stored no hash: the content of now is all that is known.
  if (!present.ok || hash === undefined) return present;
  return ok({ ...present.value, size, contentType, hash });
}
