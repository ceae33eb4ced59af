/**
 * Fairness between the tenants whose objects share a process: each that is active gets an equal part of the places, one
 * alone gets all of them.
 *
 * What holds: on one machine (a laptop, a test, a single workerd) all tenants share one process, and a tenant with any
 * number of tasks leaves the others their part. A tenant that holds more than its part gives places back as its tasks
 * renew their leave, within about two seconds of their next step. What does not: Cloudflare puts objects of different
 * tenants mostly into different processes, each of which sees only its own tenants; there the platform keeps them apart
 * and each tenant has all its places. Nothing is stored: a process that begins knows nobody until they ask.
 */

/** No tenant gets fewer places than this, however many are active. */
const FEWEST_PLACES = 8;
/** A tenant that was not heard of for this long is not active: its tasks sit in long calls, or its object is gone. */
const ACTIVE_MS = 10_000;

export class FairShare {
  /** When each active tenant was heard of last, the longest ago first. */
  private readonly heard = new Map<string, number>();

  /** Tells that a tenant has tasks that run or wait for a place, or that it has none any more. */
  hear(tenant: string, isActive: boolean, now: number): void {
    this.heard.delete(tenant);
    if (isActive) this.heard.set(tenant, now);
  }

  /** How many places of `total` the tenant, which counts as active, may use now. */
  placesOf(tenant: string, total: number, now: number): number {
    for (const [other, at] of this.heard) {
      if (at <= now && now - at < ACTIVE_MS) break;
      this.heard.delete(other);
    }
    const active = this.heard.size + (this.heard.has(tenant) ? 0 : 1);
    return Math.min(total, Math.max(FEWEST_PLACES, Math.floor(total / active)));
  }
}
