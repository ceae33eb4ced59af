/** What a failure of Slack's, or of what stands between, means for a delivery. */
import type { SendResult } from "../../../core/channels/outbox/delivery.ts";
import type { Failure } from "../../../core/base/errors.ts";
import { canRetry, decideAfterFailure } from "../../../core/gateway/outcome.ts";

/** True when trying again cannot help. */
export function isForGood(failure: Failure): boolean {
  return !canRetry("slack_delivery", failure);
}

/** `later` also where a part may be there: the next attempt looks first. What cannot be looked up stays unknown. */
export function sentOf(failure: Failure, isInPart: boolean): SendResult {
  const { code, message, retryAfterMs = null } = failure;
  const part = isInPart ? ({ mayBeInPart: true } as const) : {};
  const { next } = decideAfterFailure("slack_delivery", failure);
  if (next === "unknown") return { kind: next, why: `Whether this was posted cannot be looked up: ${message}` };
  if (next === "dead") return { kind: next, why: message, ...part };
  if (code === "rate_limited" && retryAfterMs !== null)
    return { kind: "later", why: message, afterMs: retryAfterMs, pausesAllMs: retryAfterMs, ...part };
  return { kind: "later", why: message, afterMs: retryAfterMs, ...part };
}
