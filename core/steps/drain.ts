/**
 * Pauses model phases before a deployment. A deployment resets every object, which cuts off running model calls: they
 * are paid for and repeated. So it first writes one object to the bucket, and no model phase begins for a while after
 * that.
 */

/** The object in the bucket. Only its time counts, by the bucket's own clock. */
export const DRAIN_KEY = "drain";
/** How long no model phase begins, in milliseconds. Tasks continue after it, even if the deployment failed. */
export const DRAIN_MS = 30_000;

/** Returns how long no model phase may begin at `now`; 0 if one may. Times in milliseconds since the epoch. */
export function getDrainLeftMs(writtenAt: number | null, now: number): number {
  return writtenAt === null ? 0 : Math.min(DRAIN_MS, Math.max(0, writtenAt + DRAIN_MS - now));
}
