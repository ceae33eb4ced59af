/**
 * The request limit of a key: a sliding window of one minute, approximated by two counters. The previous window counts
 * by the fraction of it that the last sixty seconds cover. So any minute passes little more than the limit, and a key
 * needs three numbers.
 */
import type { RateState } from "./rpc.ts";

/** The length of the window. */
export const RATE_WINDOW_MS = 60_000;

/** The counters of one key. `since` is the start of the current window. */
export interface RateWindow {
  readonly since: number;
  readonly count: number;
  readonly before: number;
}

/** The decision on one request, and the counters after it. A refused request is not counted. */
export interface RateDecision {
  readonly window: RateWindow;
  readonly rate: RateState;
  /** The time until one more request is allowed; null if this one is. */
  readonly retryAfterMs: number | null;
}

/**
 * Counts one request. `limit` is requests a minute, at least 1. `served` are earlier requests that are reported now: they
 * count, also above the limit.
 */
export function countRequest(last: RateWindow | null, limit: number, now: number, served = 0): RateDecision {
  const moved = moveWindow(last, now);
  const window = { ...moved, count: moved.count + served };
  const elapsed = now - window.since;
  const used = window.count + window.before * (1 - elapsed / RATE_WINDOW_MS);
  const resetSeconds = Math.max(1, Math.ceil((RATE_WINDOW_MS - elapsed) / 1000));
  if (used + 1 > limit) {
    return {
      window,
      rate: { limit, remaining: 0, resetSeconds },
      retryAfterMs: computeRetryAfterMs(window, limit, elapsed),
    };
  }
  const remaining = Math.max(0, Math.floor(limit - used - 1));
  return {
    window: { ...window, count: window.count + 1 },
    rate: { limit, remaining, resetSeconds },
    retryAfterMs: null,
  };
}

/** Returns the two header fields of draft-ietf-httpapi-ratelimit-headers, with one policy. */
export function toRateHeaders(rate: RateState): readonly (readonly [string, string])[] {
  return [
    ["RateLimit-Policy", `"default";q=${rate.limit};w=${RATE_WINDOW_MS / 1000}`],
    ["RateLimit", `"default";r=${rate.remaining};t=${rate.resetSeconds}`],
  ];
}

function moveWindow(last: RateWindow | null, now: number): RateWindow {
  if (last === null || now < last.since || now >= last.since + 2 * RATE_WINDOW_MS) {
    return { since: now, count: 0, before: 0 };
  }
  if (now < last.since + RATE_WINDOW_MS) return last;
  return { since: last.since + RATE_WINDOW_MS, count: 0, before: last.count };
}

/** Milliseconds until `used + 1 <= limit`, within this window or the next. */
function computeRetryAfterMs(window: RateWindow, limit: number, elapsed: number): number {
  if (window.count + 1 <= limit) {
    const at = RATE_WINDOW_MS * (1 - (limit - 1 - window.count) / window.before);
    return Math.max(1, Math.ceil(at - elapsed));
  }
  const intoNext = RATE_WINDOW_MS * (1 - (limit - 1) / window.count);
  return Math.max(1, Math.ceil(RATE_WINDOW_MS - elapsed + intoNext));
}
