/** When a model that failed is tried again: from 1 s to 30 s apart, never before its Retry-After, given up after 30 minutes. */
import type { ModelFailure } from "./ports.ts";

const FIRST_DELAY_MS = 1000;
const LONGEST_DELAY_MS = 30_000;
const GIVE_UP_AFTER_MS = 30 * 60_000;

/** The moment of the next try after failure number `failures` (from 1); null: give up. */
export function nextModelTry(
  failure: ModelFailure,
  failures: number,
  firstFailureAt: number,
  now: number,
): number | null {
  if (!failure.retryable) return null;
  const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failures - 1, 10));
  const until = now + Math.max(delay, failure.retryAfterMs ?? 0);
  return until - firstFailureAt > GIVE_UP_AFTER_MS ? null : until;
}
