/**
 * The schedule on which a tenant's object sends what its tasks leave behind to Postgres: index rows and summaries. A read
 * of the index sends its rows first, so a longer delay makes no list older.
 */
import { computeBackoffMs } from "../base/backoff.ts";
import type { TaskStatus } from "../task/status.ts";

/** How long an item waits for others. */
export const BATCH_DELAY_MS = 2_000;
/** The same for the row of a task whose state changes soon: most tasks end before, and leave one row. */
const BRIEF_STATE_DELAY_MS = 10_000;
/** Items that leave without waiting for more. */
const FULL_BATCH = 50;
/** Delay that gathers the rows of schedules and deliveries. */
const GATHER_MS = 200;
const MAX_BACKOFF_MS = 30_000;

/** Returns how long the index row of a task with this status waits for others, in milliseconds. */
export function getRowDelayMs(status: TaskStatus): number {
  return status === "queued" || status === "running" ? BRIEF_STATE_DELAY_MS : BATCH_DELAY_MS;
}

/** When a batch leaves: once an item waited long enough, or at once when it is full. */
export class BatchWindow {
  private count = 0;
  private at: number | null = null;

  /** Null for an empty batch. In milliseconds since the epoch. */
  get dueAt(): number | null {
    return this.at;
  }

  /** Adds an item that waits at most `delayMs`. */
  add(now: number, delayMs: number): void {
    this.count += 1;
    this.at = Math.min(this.at ?? Infinity, this.count < FULL_BATCH ? now + delayMs : now);
  }

  /** Empties the batch. */
  clear(): void {
    this.count = 0;
    this.at = null;
  }
}

/** Returns the delay of the next attempt after `failures` failures in a row: 1 s, doubled up to 30 s. */
export function computeSendDelayMs(failures: number): number {
  return failures === 0 ? GATHER_MS : computeBackoffMs(failures, MAX_BACKOFF_MS);
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
