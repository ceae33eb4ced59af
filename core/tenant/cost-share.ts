/**
 * Measures the cost of each tenant in a process, paces its work, and refuses a tenant above its fair share. One process
 * runs the code of all its tenants on one thread, so a tenant that computes delays the others.
 *
 * - Cost is milliseconds of that thread, over the last ten seconds.
 * - A tenant's fair share is the window divided among the tenants with any cost in it.
 * - An inbox has its own pace, so that strangers' messages slow no request of its tenant. Its cost counts as its
 * owner's in shares, and as no tenant's until its owner is known.
 * - **Pacing.** While another tenant has cost, the requests of a tenant and the turns of its long work are spaced to a
 * rate: its use in the window, plus an equal part of what is left of half the thread; at least an equal part of that
 * half, and at most a quarter of the thread. So about half of the thread stays idle, and a tenant that arrives rarely
 * waits. This is the generic cell rate algorithm (ITU-T I.371): a tenant below its rate never waits, and `BURST_MS` may
 * be used at once. A request is booked at the mean cost of the tenant's recent work; any cost above that delays the
 * next one.
 * - **Refusal.** A tenant that is `BEYOND_MS` above its share is refused until enough of its cost has left the window.
 * - A tenant alone in the process is neither paced nor refused.
 *
 * `cost-rates.ts` says where cost comes from, and what it excludes. Nothing is stored: a new process starts at zero.
 */

/** The window is this many buckets of `BUCKET_MS` each. */
const BUCKETS = 10;
const BUCKET_MS = 1000;
const WINDOW_MS = BUCKETS * BUCKET_MS;
/** How far a tenant may exceed its fair share, in milliseconds. */
const BEYOND_MS = 2000;
/** The parts of the thread for all paced tenants together, and for one of them. */
const PACED_PART = 1 / 2;
const ONE_PACED_PART = 1 / 4;
/** Cost that a tenant may have at once before it waits, in milliseconds. Above it in the window, a tenant is busy. */
const BURST_MS = 50;
/**
 * The most that one start of work is booked at, in milliseconds, and the booking of the first, whose cost is unknown.
 */
const MAX_EXPECTED_MS = 50;
/** Work that would wait longer is refused. */
export const LONGEST_PACE_MS = 5000;
/** The most accounts, and owners, in memory; the one charged longest ago is dropped. */
const MAX_ACCOUNTS = 10_000;

interface Bucket {
  /** The number of the bucket since the epoch. */
  readonly at: number;
  costMs: number;
  /** The number of starts of work. */
  begun: number;
}

/** A tenant's id, or an inbox and the tenant that owns it; null until known. */
export type Account = string | { readonly inbox: string; readonly owner: string | null };

interface Spent {
  /** The oldest first. */
  buckets: Bucket[];
}

interface AccountCost extends Spent {
  /** The tenant that the cost counts for; for an inbox null until known. */
  owner: string | null;
  /** When its next work would start at its rate without a burst, in milliseconds since the epoch. */
  nextAt: number;
  /** The expected cost of started work that is not charged yet, in milliseconds. */
  expectedMs: number;
}

export class CostShare {
  /** By tenant or inbox. The account that was charged longest ago comes first, and so do the owners. */
  private readonly accounts = new Map<string, AccountCost>();
  private readonly owners = new Map<string, Spent>();
  /** The cost of all accounts together, and of those with a known owner. */
  private all = createSpent();
  private owned = createSpent();
  private busy = { at: 0, count: 0 };

  /** Adds to the cost of an account. Both times in milliseconds; a cost that is not positive changes nothing. */
  charge(account: Account, costMs: number, now: number): void {
    if (!(costMs > 0)) return;
    const cost = this.readCost(account, now);
    const spent = [cost, this.all];
    if (cost.owner !== null) spent.push(this.owned, this.readOwner(cost.owner, now));
    for (const one of spent) {
      dropOld(one, now);
      readBucket(one, now).costMs += costMs;
    }
    const unexpectedMs = Math.max(0, costMs - cost.expectedMs);
    cost.expectedMs = Math.max(0, cost.expectedMs - costMs);
    putLast(this.accounts, getName(account), cost);
    const part = this.choosePart(cost, now);
    if (part !== null) cost.nextAt = Math.max(cost.nextAt, now) + unexpectedMs / part;
  }

  /**
   * Books a start of work, at most at `mostMs`. Returns the milliseconds that it has to wait first. Above
   * `LONGEST_PACE_MS` the work is not booked and may ask again after this time.
   */
  book(account: Account, now: number, mostMs = MAX_EXPECTED_MS): number {
    const cost = this.readCost(account, now);
    const part = this.choosePart(cost, now);
    const waitMs = part === null ? 0 : findWaitMs(cost, part, now);
    if (waitMs > LONGEST_PACE_MS) return waitMs;
    readBucket(cost, now).begun += 1;
    if (cost.owner !== null) readBucket(this.readOwner(cost.owner, now), now);
    putLast(this.accounts, getName(account), cost);
    if (part === null) return 0;
    const begun = cost.buckets.reduce((sum, bucket) => sum + bucket.begun, 0);
    const costMs = addCosts(cost.buckets);
    const bookedMs = Math.min(costMs === 0 ? MAX_EXPECTED_MS : costMs / begun, mostMs);
    // Booked cost that is not charged, because the work cost less, is credit for later work.
    cost.expectedMs = Math.min(cost.expectedMs + bookedMs, BURST_MS);
    cost.nextAt = Math.max(cost.nextAt, now) + bookedMs / part;
    return waitMs;
  }

  /** Returns how long a turn of started work has to wait, in milliseconds. Books nothing. */
  findTurnWaitMs(tenant: string, now: number): number {
    const cost = this.readCost(tenant, now);
    const part = this.choosePart(cost, now);
    return part === null ? 0 : findWaitMs(cost, part, now);
  }

  /** Returns how long the tenant is refused, in milliseconds; null if it is not. */
  findRefusalMs(tenant: string, now: number): number | null {
    const { buckets } = this.readCost(tenant, now);
    const usedMs = addCosts(buckets);
    if (usedMs <= BEYOND_MS) return null;
    const active = this.countActive(now);
    const limitMs = WINDOW_MS / active + BEYOND_MS;
    if (active === 1 || usedMs <= limitMs) return null;
    let leftMs = usedMs;
    for (const { at, costMs } of buckets) {
      leftMs -= costMs;
      if (leftMs <= limitMs) return Math.max(1, (at + BUCKETS) * BUCKET_MS - now);
    }
    return WINDOW_MS;
  }

  /** Sets the owner of an inbox whose earlier cost counts for no tenant. */
  learnOwner(inbox: string, owner: string): void {
    const cost = this.accounts.get(inbox);
    if (cost !== undefined) cost.owner = owner;
  }

  /** Clears every cost. */
  clear(): void {
    this.accounts.clear();
    this.owners.clear();
    this.all = createSpent();
    this.owned = createSpent();
    this.busy = { at: 0, count: 0 };
  }

  /** Returns the part of the thread for a paced account; null if no other tenant has cost. */
  private choosePart(cost: AccountCost, now: number): number | null {
    dropOld(this.all, now);
    dropOld(this.owned, now);
    const [ownMs, allMs] = [addCosts(cost.buckets), addCosts(this.all.buckets)];
    const othersMs =
      cost.owner === null ? allMs - ownMs : addCosts(this.owned.buckets) - sumRecent(this.owners.get(cost.owner), now);
    // Ignores a rounding remainder.
    if (othersMs < 0.01) return null;
    const busy = this.countBusy(now);
    const unused = Math.max(0, PACED_PART - allMs / WINDOW_MS);
    const part = Math.max(PACED_PART / (1 + busy), ownMs / WINDOW_MS + unused / busy);
    return Math.min(ONE_PACED_PART, part);
  }

  /** Counts the tenants with more than `BURST_MS` in the window, at least one; computed once for each bucket. */
  private countBusy(now: number): number {
    const at = Math.floor(now / BUCKET_MS);
    if (this.busy.at !== at) {
      const isBusy = (spent: Spent): boolean => sumRecent(spent, now) > BURST_MS;
      this.busy = { at, count: [...this.owners.values()].filter(isBusy).length };
    }
    return Math.max(1, this.busy.count);
  }

  /** Counts the tenants with any cost in the window, at least one. */
  private countActive(now: number): number {
    for (const [tenant, { buckets }] of this.owners) {
      if (isRecent(buckets.at(-1), now)) break;
      this.owners.delete(tenant);
    }
    return Math.max(1, this.owners.size);
  }

  /**
   * Returns the cost of an account within the window. A debt expires with the window, and when the clock was set back.
   */
  private readCost(account: Account, now: number): AccountCost {
    const stored = this.accounts.get(getName(account));
    const cost = stored === undefined || isAhead(stored, now) ? createCost() : stored;
    cost.owner = typeof account === "string" ? account : (account.owner ?? stored?.owner ?? null);
    dropOld(cost, now);
    cost.nextAt = Math.min(cost.nextAt, now + WINDOW_MS);
    return cost;
  }

  /** Returns the cost of a tenant with its inboxes, and marks it as the last counted one. */
  private readOwner(tenant: string, now: number): Spent {
    const stored = this.owners.get(tenant);
    const spent = stored === undefined || isAhead(stored, now) ? createSpent() : stored;
    putLast(this.owners, tenant, spent);
    return spent;
  }
}

/** Stores a cost as the last counted one, and drops the one counted longest ago when there are too many. */
function putLast<Cost>(costs: Map<string, Cost>, name: string, cost: Cost): void {
  // A map that becomes empty is allocated again.
  if (costs.size > 1) costs.delete(name);
  costs.set(name, cost);
  const [oldest] = costs.keys();
  if (costs.size > MAX_ACCOUNTS && oldest !== undefined) costs.delete(oldest);
}

function getName(account: Account): string {
  return typeof account === "string" ? account : account.inbox;
}

/** Returns how long work has to wait at this rate, in milliseconds, after the burst is used up. */
function findWaitMs({ nextAt }: AccountCost, part: number, now: number): number {
  return Math.max(0, nextAt - now - BURST_MS / part);
}

function createCost(): AccountCost {
  return { ...createSpent(), owner: null, nextAt: 0, expectedMs: 0 };
}

function createSpent(): Spent {
  return { buckets: [] };
}

/** Returns the cost in the window; 0 for an unknown tenant. */
function sumRecent(spent: Spent | undefined, now: number): number {
  return addCosts((spent?.buckets ?? []).filter((bucket) => isRecent(bucket, now)));
}

/** Drops the buckets outside the window. */
function dropOld(cost: Spent, now: number): void {
  if (!cost.buckets.every((bucket) => isRecent(bucket, now)))
    cost.buckets = cost.buckets.filter((bucket) => isRecent(bucket, now));
}

/** Returns the current bucket, the last one. */
function readBucket({ buckets }: Spent, now: number): Bucket {
  const at = Math.floor(now / BUCKET_MS);
  const last = buckets.at(-1);
  if (last?.at === at) return last;
  const bucket = { at, costMs: 0, begun: 0 };
  buckets.push(bucket);
  return bucket;
}

/** Whether the clock was set back since the tenant was counted. */
function isAhead({ buckets }: Spent, now: number): boolean {
  return (buckets.at(-1)?.at ?? -Infinity) > Math.floor(now / BUCKET_MS);
}

/** A bucket from before the clock was set back is outside the window. */
function isRecent(bucket: Bucket | undefined, now: number): boolean {
  const age = Math.floor(now / BUCKET_MS) - (bucket?.at ?? -Infinity);
  return age >= 0 && age < BUCKETS;
}

function addCosts(buckets: readonly Bucket[]): number {
  return buckets.reduce((sum, { costMs }) => sum + costMs, 0);
}
