/** Reads a failure reply of the sidecar or of a proxy in front of it. */
import { z } from "zod";
import { ERRORS, type ErrorCode } from "../../core/base/errors.ts";
import { parseJson } from "../../core/base/parse-json.ts";

export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly field?: string;
  /** A retry may succeed after this time. Absent if the sidecar states none or is of an earlier release. */
  readonly retryAfterMs?: number;
  /** True if certainly nothing was started. */
  readonly isNotStarted: boolean;
  /** The token was refused, usually because the sidecar has a different secret until it is restarted. */
  readonly isTokenRefusal: boolean;
}

const refusalSchema = z.object({
  code: z.string(),
  message: z.string(),
  field: z.string().optional(),
  sent: z.boolean().optional(),
  retry_after_ms: z.int().min(0).optional().catch(undefined),
});
const OTHER_RELEASE =
  "The sidecar and the Worker are of different releases, so this is unavailable. Nothing was started. Try again after the sidecar was updated.";

/**
 * Null if the outcome of the order is unknown: the reply is not the sidecar's (a proxy timed out, for example), or the token was used
 * before and its job may still run. An unknown code of a newer sidecar counts as `upstream_failed`.
 */
export function readRefusal(status: number, text: string): Refusal | null {
  const parsed = refusalSchema.safeParse(parseJson(text)).data;
  // A proxy's 401 means that the request did not reach the sidecar.
  if (parsed === undefined && status === 401)
    return { code: "upstream_failed", message: "", isNotStarted: true, isTokenRefusal: true };
  if (parsed === undefined || (status === 401 && parsed.sent === true)) return null;
  const { message, field, sent, retry_after_ms: retryAfterMs } = parsed;
  const at = { ...(field === undefined ? {} : { field }), ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  // `sent: true` means that a job or a server reports `not_found`.
  if (parsed.code === "not_found" && sent !== true)
    return { code: "not_available", message: OTHER_RELEASE, isNotStarted: true, isTokenRefusal: false };
  const isTokenRefusal = status === 401;
  const code = isErrorCode(parsed.code) ? parsed.code : "upstream_failed";
  return { code, message, ...at, isNotStarted: sent === false || isTokenRefusal, isTokenRefusal };
}

function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(ERRORS, text);
}
