/** What a failure of Slack's, or of what stands between, means for a delivery. */
import type { Sent } from "../../../core/channels/delivery.ts";
import type { Failure } from "../../../core/errors.ts";

/** Those that the same request never gets over. */
const NEVER: ReadonlySet<Failure["code"]> = new Set([
  "forbidden",
  "not_found",
  "conflict",
  "invalid_input",
  "too_large",
  "gone",
  "blocked_by_policy",
]);

/** True when trying again cannot help. */
export function isForGood({ code }: Failure): boolean {
  return NEVER.has(code);
}

/** `later` also where a part may be there: the next attempt looks first. */
export function sentOf(failure: Failure, isInPart: boolean): Sent {
  const { code, message, retryAfterMs = null } = failure;
  const part = isInPart ? ({ mayBeInPart: true } as const) : {};
  if (isForGood(failure)) return { kind: "dead", why: message, ...part };
  if (code === "rate_limited" && retryAfterMs !== null)
    return { kind: "later", why: message, afterMs: retryAfterMs, pausesAllMs: retryAfterMs, ...part };
  return { kind: "later", why: message, afterMs: retryAfterMs, ...part };
}
