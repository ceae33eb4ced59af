/** Requests the address to which the bytes of a file are put, before a call names the file. */
import { z } from "zod";
import { ok, type Result } from "../../core/base/errors.ts";
import type { AppUpload, UploadTarget } from "../../core/ports/apps.ts";
import { failUnreadable, toReadFailure } from "./read-failure.ts";
import { type ComposioAccess, isSuccess, sendToComposio } from "./request.ts";

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 65_536;

const targetSchema = z.object({ key: z.string().min(1).max(2_048), new_presigned_url: z.string().min(1).max(8_192) });

export async function requestUpload(
  access: ComposioAccess,
  { app, action, name, contentType, md5, signal }: AppUpload,
): Promise<Result<UploadTarget>> {
  const reply = await sendToComposio(access, {
    kind: "call",
    method: "POST",
    path: "/files/upload/request",
    body: { toolkit_slug: app, tool_slug: action, filename: name, mimetype: contentType, md5 },
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
    signal,
  });
  if (!isSuccess(reply)) return toReadFailure(reply, `The place for the file ${name}`);
  const parsed = targetSchema.safeParse(reply.body);
  return parsed.success ? ok({ key: parsed.data.key, url: parsed.data.new_presigned_url }) : failUnreadable();
}
