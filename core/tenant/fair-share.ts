/**
 * Fairness between the tenants whose objects share a process: once more than one is active, each gets an equal part of
 * what the process can serve at once; one alone gets all of its own places.
 *
 * What holds: on one machine (a laptop, a test, a single workerd) all tenants share one process, and a tenant with any
 * number of tasks leaves the others their part. A tenant that holds more than its part gives places back as its tasks
 * renew their leave, which lasts two seconds, or six when it was given while nobody else was active. What does not: a task that makes many short steps still
 * takes more of the machine than one that waits for a slow model. Cloudflare puts objects of different tenants mostly into
 * different processes, each of which sees only its own tenants; there the platform keeps them apart and each tenant has
 * all its places. Nothing is stored: a process that begins knows nobody until they ask.
 */

/** No tenant gets fewer places than this, however many are active. */
const FEWEST_PLACES = 2;
/**
 * A tenant that was not heard of for this long is not active: it has nothing to do, its tasks sit in long calls, or its
 * object is gone. A pause between two of its tasks is shorter, and gives its part to nobody.
 */
const ACTIVE_MS = 10_000;

export class FairShare {
  /** When each active tenant was heard of last, the longest ago first. */
  private readonly heard = new Map<string, number>();

  /** Tells that a tenant has tasks that run or wait for a place. */
  hear(tenant: string, now: number): void {
    this.heard.delete(tenant);
    this.heard.set(tenant, now);
  }

  /**
   * How many places the tenant, which counts as active, may use now: `own` are those that it has by itself, `shared`
   * those that all active tenants have together.
   */
  placesOf(tenant: string, { own, shared }: { readonly own: number; readonly shared: number }, now: number): number {
    const active = this.active(tenant, now);
    return active === 1 ? own : Math.min(own, Math.max(FEWEST_PLACES, Math.floor(shared / active)));
  }

  /** True while no other tenant is active. */
  isAlone(tenant: string, now: number): boolean {
    return this.active(tenant, now) === 1;
  }

  /** How many tenants are active, this one included. */
  private active(tenant: string, now: number): number {
    for (const [other, at] of this.heard) {
      if (at <= now && now - at < ACTIVE_MS) break;
      this.heard.delete(other);
    }
    return this.heard.size + (this.heard.has(tenant) ? 0 : 1);
  }
}
