/**
 * The request limit of a key: a sliding window over one minute, made of two counters. What came in the window before
 * counts by the part of it that the last sixty seconds still cover, so no minute, wherever it is laid, passes much more
 * than the limit, and a key costs three numbers whatever it sends.
 */
import type { RateState } from "./rpc.ts";

/** The length of the window. */
export const RATE_WINDOW_MS = 60_000;

/** The counters of one key. `since` is the start of the present window. */
export interface RateWindow {
  readonly since: number;
  readonly count: number;
  readonly before: number;
}

/** What the limit says to one request, and the counters afterwards. A refused request is not counted. */
export interface RateDecision {
  readonly window: RateWindow;
  readonly rate: RateState;
  /** Null: it may come in. Otherwise the time after which one more request fits. */
  readonly retryAfterMs: number | null;
}

/** Counts one request. `limit` is requests a minute, at least 1. */
export function countRequest(last: RateWindow | null, limit: number, now: number): RateDecision {
  const window = windowAt(last, now);
  const elapsed = now - window.since;
  const used = window.count + window.before * (1 - elapsed / RATE_WINDOW_MS);
  const resetSeconds = Math.max(1, Math.ceil((RATE_WINDOW_MS - elapsed) / 1000));
  if (used + 1 > limit) {
    return { window, rate: { limit, remaining: 0, resetSeconds }, retryAfterMs: timeToRoom(window, limit, elapsed) };
  }
  const remaining = Math.max(0, Math.floor(limit - used - 1));
  return {
    window: { ...window, count: window.count + 1 },
    rate: { limit, remaining, resetSeconds },
    retryAfterMs: null,
  };
}

/** The two header fields of draft-ietf-httpapi-ratelimit-headers, for the one policy that there is. */
export function rateHeaders(rate: RateState): readonly (readonly [string, string])[] {
  return [
    ["RateLimit-Policy", `"default";q=${rate.limit};w=${RATE_WINDOW_MS / 1000}`],
    ["RateLimit", `"default";r=${rate.remaining};t=${rate.resetSeconds}`],
  ];
}

function windowAt(last: RateWindow | null, now: number): RateWindow {
  if (last === null || now < last.since || now >= last.since + 2 * RATE_WINDOW_MS) {
    return { since: now, count: 0, before: 0 };
  }
  if (now < last.since + RATE_WINDOW_MS) return last;
  return { since: last.since + RATE_WINDOW_MS, count: 0, before: last.count };
}

/** Milliseconds until `used + 1 <= limit`, within this window or the next. */
function timeToRoom(window: RateWindow, limit: number, elapsed: number): number {
  if (window.count + 1 <= limit) {
    const at = RATE_WINDOW_MS * (1 - (limit - 1 - window.count) / window.before);
    return Math.max(1, Math.ceil(at - elapsed));
  }
  const intoNext = RATE_WINDOW_MS * (1 - (limit - 1) / window.count);
  return Math.max(1, Math.ceil(RATE_WINDOW_MS - elapsed + intoNext));
}
