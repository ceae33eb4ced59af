/** Uploads the files that a call gives to an action. Nothing of the call is sent here, so a crash only repeats it. */
import { formatMissingPermission } from "../../gateway/envelope.ts";
import { refuseLarge } from "../../gateway/bind-files.ts";
import { asNotSent, failed, ok, type Result } from "../../base/errors.ts";
import { judgePath } from "../../sandbox/path.ts";
import type { AppOrigin, OutsideTool } from "../../tool/source.ts";
import type { UploadedFile } from "../../tool/file-arguments.ts";
import type { ToolContext } from "../../tool/tool.ts";
import { listFiles, MAX_APP_FILE_BYTES } from "./uploads.ts";

type Context = ToolContext<"apps" | "files">;

/** Uploads each file once, one after the other. A failure names the argument, and its `happened` is `no`. */
export async function uploadFiles(
  { input, origin }: OutsideTool & { readonly origin: AppOrigin },
  given: Readonly<Record<string, unknown>>,
  context: Context,
): Promise<Result<readonly UploadedFile[]>> {
  const { permissions } = context;
  if (!permissions.includes("read")) return failed("permission_denied", formatMissingPermission("read", permissions));
  const uploads: UploadedFile[] = [];
  for (const { path, field } of listFiles(input, given)) {
    const uploaded = await uploadFile(origin, path, field, context);
    if (!uploaded.ok) return asNotSent({ ...uploaded.error, field });
    uploads.push(uploaded.value);
  }
  return ok(uploads);
}

async function uploadFile(
  { app, action }: AppOrigin,
  named: string,
  field: string,
  { apps, files, sandbox, signal }: Context,
): Promise<Result<UploadedFile>> {
  const path = judgePath(named, sandbox, "read", field);
  if (!path.ok) return path;
  const found = await files.stat(path.value);
  if (!found.ok) return found;
  const entry = found.value;
  const tooLarge = refuseLarge({ maxFileBytes: MAX_APP_FILE_BYTES }, entry, field);
  if (tooLarge !== null) return tooLarge;
  const { size, contentType } = entry;
  const name = entry.path.slice(entry.path.lastIndexOf("/") + 1);
  const read = async () => await files.readEntry(entry);
  const uploaded = await apps.upload({ app, action, name, contentType, size, read, signal });
  return uploaded.ok ? ok({ path: named, name, contentType, key: uploaded.value.key }) : uploaded;
}
