/** The schedule on which a tenant's object sends its tasks' index rows to Postgres. */
import { computeBackoffMs } from "../base/backoff.ts";

/** Delay that gathers rows into one batch. */
const BATCH_DELAY_MS = 200;
const MAX_BACKOFF_MS = 30_000;

/** Returns the delay of the next batch after `failures` failures in a row: 1 s, doubled up to 30 s. */
export function computeSendDelayMs(failures: number): number {
  return failures === 0 ? BATCH_DELAY_MS : computeBackoffMs(failures, MAX_BACKOFF_MS);
}

/**
 * Returns when to retry after the `failures`th failure in a row at `failedAt`. Repeated calls return the same time;
 * after the clock was set back, `now`. Milliseconds since the epoch.
 */
export function computeRetryAt(failures: number, failedAt: number, now: number): number {
  return failures === 0 || failedAt > now ? now : Math.max(now, failedAt + computeSendDelayMs(failures));
}

/** Retry delay of a single row that Postgres refused, while the others continue. */
export const REFUSED_RETRY_MS = MAX_BACKOFF_MS;

/**
 * How long the deletion of a task is stored, so that a late report does not restore it: far longer than a report takes.
 */
export const FORGOTTEN_RETENTION_MS = 24 * 60 * 60 * 1000;
