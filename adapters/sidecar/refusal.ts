/** What the sidecar answers in place of a result: its own words, or those of something that stands before it. */
import { z } from "zod";
import { ERRORS, type ErrorCode } from "../../core/base/errors.ts";
import { parseJson } from "../../core/base/parse-json.ts";

export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly field?: string;
  /** Another try may succeed, after this at the earliest. Absent: the sidecar promises nothing, or is of an earlier release. */
  readonly retryAfterMs?: number;
  /** True: nothing was begun. False: something may have been. */
  readonly surelyNotBegun: boolean;
  /** The token was refused: for another secret, most of the time, which the sidecar has until it is replaced. */
  readonly isOfTheDoor: boolean;
}

const refusalSchema = z.object({
  code: z.string(),
  message: z.string(),
  field: z.string().optional(),
  sent: z.boolean().optional(),
  retry_after_ms: z.int().min(0).optional().catch(undefined),
});
const OTHER_RELEASE =
  "The sidecar does not do this: it is of another release than the Worker. Nothing was begun. Try again when it was replaced.";

/**
 * Null: nobody knows what becomes of the order. These are not the sidecar's words (a proxy gave up waiting, say), or it has
 * had the token before, and what was begun then may go on. A code that a newer sidecar has and this Worker does not counts as
 * `upstream_failed`.
 */
export function readRefusal(status: number, text: string): Refusal | null {
  const said = refusalSchema.safeParse(parseJson(text)).data;
  // A proxy that asks who is there lets nothing past.
  if (said === undefined && status === 401)
    return { code: "upstream_failed", message: "", surelyNotBegun: true, isOfTheDoor: true };
  if (said === undefined || (status === 401 && said.sent === true)) return null;
  const { message, field, sent, retry_after_ms: retryAfterMs } = said;
  const at = { ...(field === undefined ? {} : { field }), ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  // What a job or a server did not find comes with `sent: true`.
  if (said.code === "not_found" && sent !== true)
    return { code: "not_available", message: OTHER_RELEASE, surelyNotBegun: true, isOfTheDoor: false };
  const isOfTheDoor = status === 401;
  const code = isErrorCode(said.code) ? said.code : "upstream_failed";
  return { code, message, ...at, surelyNotBegun: sent === false || isOfTheDoor, isOfTheDoor };
}

function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(ERRORS, text);
}
