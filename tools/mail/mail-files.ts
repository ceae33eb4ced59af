/** Files of the sandbox that go with a mail. */
import { type Failure, ok, type Result } from "../../core/base/errors.ts";
import { toMailContentType, describeTooLargeFile, describeTooLargeFiles } from "../../core/channels/mail/check.ts";
import { type MailFile, MAX_ATTACHMENT_BYTES, MAX_ATTACHMENTS_BYTES } from "../../core/ports/mail.ts";
import type { FileEntry, FilesPort } from "../../core/ports/files.ts";
import { isReadable } from "../../core/sandbox/file-mode.ts";
import { judgePath } from "../../core/sandbox/path.ts";
import type { SandboxRules } from "../../core/sandbox/rules.ts";

const FIELD = "attachment_filenames";

/** Reads them, none before all are known to fit. Failures name the file. */
export async function readMailFiles(
  names: readonly string[],
  { files, sandbox }: { readonly files: FilesPort; readonly sandbox: SandboxRules },
): Promise<Result<readonly MailFile[]>> {
  const entries: FileEntry[] = [];
  for (const name of names) {
    const found = await findFile(name, files, sandbox);
    if (!found.ok) return found;
    entries.push(found.value);
  }
  const total = entries.reduce((sum, { size }) => sum + size, 0);
  if (total > MAX_ATTACHMENTS_BYTES) return tooLarge(describeTooLargeFiles(total));
  const read: MailFile[] = [];
  for (const entry of entries) {
    const bytes = await files.readEntry(entry);
    if (!bytes.ok) return aboutFile(bytes.error);
    const filename = entry.path.slice(entry.path.lastIndexOf("/") + 1);
    read.push({ filename, contentType: toMailContentType(entry.contentType), bytes: bytes.value });
  }
  return ok(read);
}

async function findFile(name: string, files: FilesPort, sandbox: SandboxRules): Promise<Result<FileEntry>> {
  const path = judgePath(name, sandbox, "read", FIELD);
  if (!path.ok) return path;
  const found = await files.stat(path.value);
  if (!found.ok) return aboutFile(found.error);
  const { path: at, size } = found.value;
  if (!isReadable(found.value)) return aboutFile({ code: "permission_denied", message: `Permission denied: ${at}` });
  return size > MAX_ATTACHMENT_BYTES ? tooLarge(describeTooLargeFile(at, size)) : found;
}

function tooLarge(message: string): Result<never> {
  return aboutFile({ code: "too_large", message });
}

function aboutFile(error: Failure): Result<never> {
  return { ok: false, error: { ...error, field: FIELD } };
}
