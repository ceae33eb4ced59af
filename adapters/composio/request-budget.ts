/**
 * The requests that Composio accepts: 2,000 a minute for one key, whichever tenant they are for. A token bucket: it never
 * gives more than that within a minute, and calls of actions and links come before syncs of the catalogue. Each isolate
 * counts its own requests; Composio's reply 429 is the limit of all of them.
 */

/** Composio's limit for one key. */
const MAX_PER_MINUTE = 2_000;
/** Requests that may be sent at once after a pause. */
const BURST = 500;
/** What is refilled in a minute, so that a burst and a minute of refills stay within the limit. */
const REFILL_PER_MS = (MAX_PER_MINUTE - BURST) / 60_000;
/** Syncs leave this many to calls. */
const RESERVED_FOR_CALLS = 250;

/** `sync`: pages of the catalogue, for which nobody waits. */
export type RequestKind = "call" | "sync";

export interface RequestBudget {
  /** Takes one request and returns 0, or takes none and returns the milliseconds until there is one. */
  take(kind: RequestKind, now: number): number;
}

export function openRequestBudget(): RequestBudget {
  let left = BURST;
  let countedAt: number | null = null;
  return {
    take(kind, now) {
      left = Math.min(BURST, left + Math.max(0, now - (countedAt ?? now)) * REFILL_PER_MS);
      countedAt = Math.max(now, countedAt ?? now);
      const needed = kind === "sync" ? RESERVED_FOR_CALLS + 1 : 1;
      if (left < needed) return Math.ceil((needed - left) / REFILL_PER_MS);
      left -= 1;
      return 0;
    },
  };
}
