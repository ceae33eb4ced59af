/**
 * Fairness between the tenants whose objects share a process: while more than one is active, each gets an equal part of
 * the slots that the process serves at once; one alone gets all of its own slots.
 *
 * A tenant is active while one of its tasks holds a slot or waits for one, and inactive as soon as none does: also between
 * two tasks, since a tenant that returns is served at once. A tenant over its part gives slots back as its permits expire,
 * after two seconds, or six when the permit was granted to a tenant alone. Cloudflare puts objects of different tenants
 * mostly into different processes, each of which sees its own tenants only. Nothing is stored.
 *
 * Limit: slots count tasks, not work. A task of many short steps takes more of the machine than one that waits for a model.
 */

/** The least slots of a tenant, however many are active. */
export const MIN_SLOTS = 2;
/** A tenant that reports nothing for this long is inactive: its tasks are in long calls, or its object was evicted. */
const ACTIVE_MS = 10_000;

export class FairShare {
  /** When each active tenant was last marked; the oldest first. */
  private readonly activeSince = new Map<string, number>();

  /** Counts a tenant whose tasks hold slots or wait for one. `now` is in milliseconds. */
  markActive(tenant: string, now: number): void {
    this.activeSince.delete(tenant);
    this.activeSince.set(tenant, now);
  }

  /** Stops counting a tenant that holds no slot and has no queue. */
  markIdle(tenant: string): void {
    this.activeSince.delete(tenant);
  }

  /** Stops counting every tenant. */
  clear(): void {
    this.activeSince.clear();
  }

  /**
   * Returns the slots that the tenant may use now; it counts as active. `own` is its own limit, `shared` the slots of
   * all active tenants together.
   */
  computeSlots(
    tenant: string,
    { own, shared }: { readonly own: number; readonly shared: number },
    now: number,
  ): number {
    const active = this.countActive(tenant, now);
    return active === 1 ? own : Math.min(own, Math.max(MIN_SLOTS, Math.floor(shared / active)));
  }

  /** True while no other tenant is active. */
  isAlone(tenant: string, now: number): boolean {
    return this.countActive(tenant, now) === 1;
  }

  /** Counts the active tenants, including this one. */
  private countActive(tenant: string, now: number): number {
    for (const [other, at] of this.activeSince) {
      if (at <= now && now - at < ACTIVE_MS) break;
      this.activeSince.delete(other);
    }
    return this.activeSince.size + (this.activeSince.has(tenant) ? 0 : 1);
  }
}
