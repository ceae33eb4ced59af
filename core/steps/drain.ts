/**
 * A deployment resets every object, which cuts off the model calls under way: they are paid for and made again. So it first
 * writes one object to the bucket, and no model phase begins for a while after that.
 */

/** The object in the bucket; only when it was written counts, by the bucket's own clock. */
export const DRAIN_KEY = "drain";
/** How long no model phase begins, in milliseconds. Then tasks continue, also when the deployment failed. */
export const DRAIN_MS = 30_000;

/** How long no model phase may begin at `now`; 0: one may. Times in milliseconds since the epoch. */
export function drainLeftMs(writtenAt: number | null, now: number): number {
  return writtenAt === null ? 0 : Math.min(DRAIN_MS, Math.max(0, writtenAt + DRAIN_MS - now));
}
