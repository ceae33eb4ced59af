/** Exponential backoff, for the whole codebase. */

const FIRST_DELAY_MS = 1_000;

/**
 * Computes the delay after this many failures in a row: `firstMs`, doubled by each further failure, up to `longestMs`.
 */
export function computeBackoffMs(failures: number, longestMs: number, firstMs = FIRST_DELAY_MS): number {
  return Math.min(longestMs, firstMs * 2 ** Math.max(0, failures - 1));
}
