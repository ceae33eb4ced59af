/** What a tool does with the reply to its request: reads it, or saves its body as a file of the sandbox. */
import { failed, ok, type Result } from "../base/errors.ts";
import { formatMissingPermission } from "../gateway/envelope.ts";
import type { FilesPort } from "../ports/files.ts";
import type { WebResponse } from "../ports/web.ts";
import { judgePath } from "../sandbox/path.ts";
import type { Permission, Touch } from "../tool/tool.ts";
import type { SandboxRules } from "../sandbox/rules.ts";
import { type FormattedReply, MAX_REPLY_BYTES, MAX_SAVED_BYTES, toReplyParts } from "../web/exchange.ts";
import { type Reading, readReply } from "../web/read-reply.ts";

/** The rules of the caller for files. */
export interface SaveRules {
  readonly sandbox: SandboxRules;
  readonly permissions: readonly Permission[];
}

/** Where a reply is saved: null for one that is read. */
export function judgeSaveAs(saveAs: string | undefined, { sandbox, permissions }: SaveRules): Result<string | null> {
  if (saveAs === undefined) return ok(null);
  if (!permissions.includes("write"))
    return failed("permission_denied", formatMissingPermission("write", permissions), { field: "save_as" });
  return judgePath(saveAs, sandbox, "write", "save_as");
}

/** The resources of a call with or without `save_as`. */
export function touchFilesOfSave(saveAs: string | undefined): readonly Touch[] {
  return saveAs === undefined ? [] : [{ resource: "files", mode: "write" }];
}

/** How many bytes of the body are read. */
export function limitReply(path: string | null): number {
  return path === null ? MAX_REPLY_BYTES : MAX_SAVED_BYTES;
}

/** A reply as its tool returns it, with the text that the model reads of it. */
export interface ReceivedReply {
  readonly reply: FormattedReply;
  readonly text: string;
}

/** Saves a reply to `path`, or reads it when that is null. `isRead`: the request changed nothing. */
export async function receiveReply(
  response: WebResponse,
  {
    path,
    format,
    isRead,
  }: { readonly path: string | null; readonly format: Reading["format"]; readonly isRead: boolean },
  {
    files,
    key,
    pages,
    signal,
  }: Omit<Reading, "format"> & { readonly files: Pick<FilesPort, "write">; readonly key: string },
): Promise<Result<ReceivedReply>> {
  const reply = await saveReply(response, path, { files, key, isRead }).finally(() => response.release?.());
  if (!reply.ok) return reply;
  return ok({ reply: reply.value, text: await readReply(response.status, reply.value, { format, pages, signal }) });
}

/**
 * Writes the body to `path`, unless that is null. An error status and a body that was cut are not saved, and read like
 * any other reply, with a note. `isRead`: the request changed nothing, so a failed write is a failed call.
 */
async function saveReply(
  response: WebResponse,
  path: string | null,
  { files, key, isRead }: { readonly files: Pick<FilesPort, "write">; readonly key: string; readonly isRead: boolean },
): Promise<Result<FormattedReply>> {
  if (path === null) return ok(toReplyParts(response));
  if (response.truncated) return ok(noteUnsaved(response, "The body is larger than 50 MB. Nothing was saved."));
  if (response.status < 200 || response.status > 299)
    return ok(noteUnsaved(response, `Nothing was saved, because the status is ${response.status}.`));
  const written = await files.write(path, response.body, { key });
  if (!written.ok && isRead) return { ok: false, error: { ...written.error, field: "save_as" } };
  if (!written.ok) return ok(noteUnsaved(response, `The body was not saved: ${written.error.message}`));
  const { path: at, size } = written.value;
  return ok({ ...toReplyParts({ ...response, body: new Uint8Array() }), saved: { path: at, size } });
}

/** The reply with its first megabyte. */
function noteUnsaved(response: WebResponse, note: string): FormattedReply {
  const body = response.body.subarray(0, MAX_REPLY_BYTES);
  const truncated = response.truncated || response.body.length > body.length;
  return { ...toReplyParts({ ...response, body, truncated }), note };
}
