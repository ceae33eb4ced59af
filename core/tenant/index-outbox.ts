/** When a tenant's object sends its tasks' index rows to Postgres. */
import { backoffMs } from "../base/backoff.ts";

/** Rows wait this long for company. */
const GATHER_MS = 200;
const MAX_BACKOFF_MS = 30_000;

/** How long the next sending waits after `failures` failed ones in a row: 1 s, doubled up to 30 s. */
export function sendDelayMs(failures: number): number {
  return failures === 0 ? GATHER_MS : backoffMs(failures, MAX_BACKOFF_MS);
}

/**
 * When to retry what failed at `failedAt`, for the `failures`th time in a row: the same moment however often it is asked, and
 * now when the clock was set back meanwhile. Milliseconds since the epoch.
 */
export function computeRetryAt(failures: number, failedAt: number, now: number): number {
  return failures === 0 || failedAt > now ? now : Math.max(now, failedAt + sendDelayMs(failures));
}

/** How long a row waits that Postgres refused by itself, while the others go on. */
export const REFUSED_RETRY_MS = MAX_BACKOFF_MS;

/**
 * How long a task that left the index is remembered, so that a report of it which comes late does not bring it back: far
 * longer than a report is on its way.
 */
export const FORGOTTEN_KEPT_MS = 24 * 60 * 60 * 1000;
