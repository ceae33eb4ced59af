/**
 * Fairness between the tenants whose objects share a process: while more than one has work under way, each gets an equal
 * part of the slots that the process serves at once; one alone gets all of its own slots.
 *
 * 1. A task that waits for its model does no work: it takes no part of a slot. So models that hang, of any tenant,
 *    delay no other tenant. The number of waiting tasks has a limit of its own, because each has memory and a connection.
 * 2. A tenant is active while one of its tasks works or waits for a slot, and inactive as soon as none does: also between
 *    two tasks, since a tenant that returns is served at once.
 * 3. A tenant over its part gives slots back as its permits expire, after two seconds, or six when the permit was granted
 *    to a tenant alone.
 *
 * Cloudflare puts objects of different tenants mostly into different processes, and a task's model call into another one
 * than its tenant's object; a slot whose permit expired counts as waiting there (`slots.ts`). Nothing is stored.
 *
 * Limit: slots count tasks, not work. `cost-share.ts` bounds the work of a tenant.
 */

/** The least slots of a tenant, however many are active. */
export const MIN_SLOTS = 2;
/** A tenant that reports nothing for this long is inactive: its tasks are in long calls, or its object was evicted. */
const ACTIVE_MS = 10_000;
/** A shorter model call does not count as waiting, also because a busy process makes short calls longer. */
const WAIT_COUNTS_AFTER_MS = 100;
/** Tasks per slot that may hold one or wait for their model, for all tenants that wait together. */
const HELD_PER_SLOT = 8;

/** What a tenant's tasks hold, and how many of them wait for a slot. */
export interface SlotUse {
  readonly held: number;
  readonly queued: number;
}

interface Activity extends SlotUse {
  readonly at: number;
}

export class FairShare {
  /** What each tenant with slots or a queue reported last; the oldest first. */
  private readonly tenants = new Map<string, Activity>();
  /** The start of each task's model call, by tenant; the oldest first. */
  private readonly waits = new Map<string, Map<string, number>>();

  /** Records what a tenant's tasks hold. `now` is in milliseconds. */
  record(tenant: string, use: SlotUse, now: number): void {
    this.tenants.delete(tenant);
    if (use.held + use.queued > 0) this.tenants.set(tenant, { ...use, at: now });
  }

  /** Records that a task waits for its model. Returns the end of the wait, which may be called twice. */
  beginWait(tenant: string, task: string, now: number): () => void {
    const own = this.waits.get(tenant) ?? new Map<string, number>();
    this.waits.set(tenant, own);
    own.delete(task);
    own.set(task, now);
    return () => {
      // A later call of the same task has another start.
      if (own.get(task) !== now) return;
      own.delete(task);
      if (own.size === 0 && this.waits.get(tenant) === own) this.waits.delete(tenant);
    };
  }

  /** True for a task that has waited for its model for a while. */
  isWaiting(tenant: string, task: string, now: number): boolean {
    return isCounted(this.waits.get(tenant)?.get(task), now);
  }

  /** Forgets every tenant. */
  clear(): void {
    this.tenants.clear();
    this.waits.clear();
  }

  /**
   * Returns the slots for work under way that the tenant may use now; it counts as active. `own` is its own limit,
   * `shared` the slots of all active tenants together.
   */
  computeSlots(
    tenant: string,
    { own, shared }: { readonly own: number; readonly shared: number },
    now: number,
  ): number {
    const active = this.countActive(tenant, now);
    return active === 1 ? own : Math.min(own, Math.max(MIN_SLOTS, Math.floor(shared / active)));
  }

  /** Returns how many of the tenant's tasks may hold a slot, working or waiting for their models. */
  computeHeld(tenant: string, own: number): number {
    const waiting = this.waits.size + (this.waits.has(tenant) ? 0 : 1);
    return Math.floor((own * HELD_PER_SLOT) / waiting);
  }

  /** True while no other tenant is active. */
  isAlone(tenant: string, now: number): boolean {
    return this.countActive(tenant, now) === 1;
  }

  /** Counts the active tenants, including this one. */
  private countActive(tenant: string, now: number): number {
    let active = 1;
    for (const [other, activity] of this.tenants) {
      if (activity.at > now || now - activity.at >= ACTIVE_MS) this.tenants.delete(other);
      else if (other !== tenant && this.hasWork(other, activity, now)) active += 1;
    }
    return active;
  }

  private hasWork(tenant: string, { held, queued }: SlotUse, now: number): boolean {
    const waits = this.waits.get(tenant);
    if (queued > 0 || waits === undefined || waits.size < held) return true;
    let waiting = 0;
    for (const since of waits.values()) {
      if (!isCounted(since, now)) break;
      waiting += 1;
    }
    return waiting < held;
  }
}

function isCounted(since: number | undefined, now: number): boolean {
  return since !== undefined && now - since >= WAIT_COUNTS_AFTER_MS;
}
