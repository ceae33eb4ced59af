/** Converts a failure of a Slack call to the outcome of a delivery. */
import type { SendResult } from "../../../core/channels/outbox/delivery.ts";
import type { Failure } from "../../../core/base/errors.ts";
import { canRetry, decideAfterFailure } from "../../../core/gateway/outcome.ts";

/** Whether a retry cannot help. */
export function isPermanent(failure: Failure): boolean {
  return !canRetry("slack_delivery", failure);
}

/** `later` also if a part may have been sent: the next attempt looks it up. `unknown` if it cannot be looked up. */
export function toSendResult(failure: Failure, isInPart: boolean): SendResult {
  const { code, message, retryAfterMs = null } = failure;
  const part = isInPart ? ({ mayBeInPart: true } as const) : {};
  const { next } = decideAfterFailure("slack_delivery", failure);
  if (next === "unknown") return { kind: next, why: `Whether this was posted cannot be looked up: ${message}` };
  if (next === "dead") return { kind: next, why: message, ...part };
  if (code === "rate_limited" && retryAfterMs !== null)
    return { kind: "later", why: message, afterMs: retryAfterMs, pausesAllMs: retryAfterMs, ...part };
  return { kind: "later", why: message, afterMs: retryAfterMs, ...part };
}
