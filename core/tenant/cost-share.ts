/**
 * Measures the cost of each tenant in a process, paces its work, and refuses a tenant above its fair share. One process runs
 * the code of all its tenants on one thread, so a tenant that computes keeps the others waiting.
 *
 * - Cost is milliseconds of that thread, over the last ten seconds.
 * - A tenant's fair share is the window divided among the tenants that cost anything in it.
 * - An inbox has a pace of its own, so that what strangers send slows no request of its tenant. It is no tenant: its cost counts
 *   as its owner's where shares are counted, and as nobody's while its owner is not known.
 * - **Pacing.** While another tenant costs something, the requests of a tenant and the turns of its long work are spaced to a
 *   rate: what it used in the window, and an equal part of what all left of half the thread; at least an equal part of that
 *   half, and at most a quarter of the thread. So about half of the thread stays idle, and a tenant that arrives rarely
 *   waits. This is the generic cell rate algorithm (ITU-T I.371): a tenant below its rate never waits,
 *   and `BURST_MS` may be taken at once. A request is booked at the mean cost of the tenant's recent work; what it costs
 *   beyond that delays the next one further.
 * - **Refusal.** A tenant that is `BEYOND_MS` past its share is refused until enough of its cost left the window.
 * - A tenant that is alone is neither paced nor refused.
 *
 * Where cost comes from, and what it leaves out, is in `cost-rates.ts`. Nothing is stored: a new process knows no cost.
 */

/** The window is this many buckets of `BUCKET_MS` each. */
const BUCKETS = 10;
const BUCKET_MS = 1000;
const WINDOW_MS = BUCKETS * BUCKET_MS;
/** How far past its fair share a tenant may be, in milliseconds. */
const BEYOND_MS = 2000;
/** The parts of the thread for all paced tenants together, and for one of them. */
const PACED_PART = 1 / 2;
const ONE_PACED_PART = 1 / 4;
/** Cost that a tenant may have at once before it waits, in milliseconds. One that had more in the window is busy. */
const BURST_MS = 50;
/** The most that one beginning is booked at, in milliseconds, and what the first one is: nothing is known of it yet. */
const MAX_EXPECTED_MS = 50;
/** Work that would wait longer is refused. */
export const LONGEST_PACE_MS = 5000;
/** Accounts that are counted at once, and their owners; the one that was charged longest ago is dropped. */
const MAX_ACCOUNTS = 10_000;

interface Bucket {
  /** The number of the bucket since the epoch. */
  readonly at: number;
  costMs: number;
  /** How much work began. */
  begun: number;
}

/** A tenant's id, or an inbox and the tenant that owns it; null: not known yet. */
export type Account = string | { readonly inbox: string; readonly owner: string | null };

interface Spent {
  /** The oldest first. */
  buckets: Bucket[];
}

interface AccountCost extends Spent {
  /** The tenant that the cost counts for; of an inbox null until it is known. */
  owner: string | null;
  /** When its next work would begin at its rate, without a burst, in milliseconds since the epoch. */
  nextAt: number;
  /** The expected cost of work that began and was not charged yet, in milliseconds. */
  expectedMs: number;
}

export class CostShare {
  /** By tenant or inbox. The account that was charged longest ago comes first, and so do the owners. */
  private readonly accounts = new Map<string, AccountCost>();
  private readonly owners = new Map<string, Spent>();
  /** Of all accounts together, and of those whose owner is known. */
  private all = newSpent();
  private owned = newSpent();
  private busy = { at: 0, count: 0 };

  /** Adds to the cost of an account. Both times in milliseconds; a cost that is not positive changes nothing. */
  charge(account: Account, costMs: number, now: number): void {
    if (!(costMs > 0)) return;
    const cost = this.readCost(account, now);
    const spent = [cost, this.all];
    if (cost.owner !== null) spent.push(this.owned, this.ownerAt(cost.owner, now));
    for (const one of spent) {
      dropOld(one, now);
      bucketAt(one, now).costMs += costMs;
    }
    const unexpectedMs = Math.max(0, costMs - cost.expectedMs);
    cost.expectedMs = Math.max(0, cost.expectedMs - costMs);
    putLast(this.accounts, nameOf(account), cost);
    const part = this.choosePart(cost, now);
    if (part !== null) cost.nextAt = Math.max(cost.nextAt, now) + unexpectedMs / part;
  }

  /**
   * Books the beginning of work, at `mostMs` at most. Returns the milliseconds that it has to wait first. More than
   * `LONGEST_PACE_MS`: the work is not booked, and may ask again after this time.
   */
  book(account: Account, now: number, mostMs = MAX_EXPECTED_MS): number {
    const cost = this.readCost(account, now);
    const part = this.choosePart(cost, now);
    const waitMs = part === null ? 0 : findWaitMs(cost, part, now);
    if (waitMs > LONGEST_PACE_MS) return waitMs;
    bucketAt(cost, now).begun += 1;
    if (cost.owner !== null) bucketAt(this.ownerAt(cost.owner, now), now);
    putLast(this.accounts, nameOf(account), cost);
    if (part === null) return 0;
    const begun = cost.buckets.reduce((sum, bucket) => sum + bucket.begun, 0);
    const costMs = addCosts(cost.buckets);
    const bookedMs = Math.min(costMs === 0 ? MAX_EXPECTED_MS : costMs / begun, mostMs);
    // What was booked and is not charged, because the work cost less, is credit for the work after it.
    cost.expectedMs = Math.min(cost.expectedMs + bookedMs, BURST_MS);
    cost.nextAt = Math.max(cost.nextAt, now) + bookedMs / part;
    return waitMs;
  }

  /** How long a turn of work that began has to wait, in milliseconds. Books nothing. */
  findTurnWaitMs(tenant: string, now: number): number {
    const cost = this.readCost(tenant, now);
    const part = this.choosePart(cost, now);
    return part === null ? 0 : findWaitMs(cost, part, now);
  }

  /** How long the tenant is refused, in milliseconds; null: it is not refused. */
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

  /** Tells the owner of an inbox whose earlier cost counts for no tenant. */
  learnOwner(inbox: string, owner: string): void {
    const cost = this.accounts.get(inbox);
    if (cost !== undefined) cost.owner = owner;
  }

  /** Forgets every cost. */
  clear(): void {
    this.accounts.clear();
    this.owners.clear();
    this.all = newSpent();
    this.owned = newSpent();
    this.busy = { at: 0, count: 0 };
  }

  /** The part of the thread for a paced account; null for one beside which no other tenant costs anything. */
  private choosePart(cost: AccountCost, now: number): number | null {
    dropOld(this.all, now);
    dropOld(this.owned, now);
    const [ownMs, allMs] = [addCosts(cost.buckets), addCosts(this.all.buckets)];
    const othersMs =
      cost.owner === null ? allMs - ownMs : addCosts(this.owned.buckets) - sumRecent(this.owners.get(cost.owner), now);
    // A rounding remainder is no tenant.
    if (othersMs < 0.01) return null;
    const busy = this.countBusy(now);
    const unused = Math.max(0, PACED_PART - allMs / WINDOW_MS);
    const part = Math.max(PACED_PART / (1 + busy), ownMs / WINDOW_MS + unused / busy);
    return Math.min(ONE_PACED_PART, part);
  }

  /** The tenants with more than `BURST_MS` in the window, at least one: counted once in each bucket. */
  private countBusy(now: number): number {
    const at = Math.floor(now / BUCKET_MS);
    if (this.busy.at !== at) {
      const isBusy = (spent: Spent): boolean => sumRecent(spent, now) > BURST_MS;
      this.busy = { at, count: [...this.owners.values()].filter(isBusy).length };
    }
    return Math.max(1, this.busy.count);
  }

  /** The tenants that cost anything in the window, at least one. */
  private countActive(now: number): number {
    for (const [tenant, { buckets }] of this.owners) {
      if (isRecent(buckets.at(-1), now)) break;
      this.owners.delete(tenant);
    }
    return Math.max(1, this.owners.size);
  }

  /** The stored cost of an account, with the buckets in the window. A debt is forgotten with the window, and when the clock went back. */
  private readCost(account: Account, now: number): AccountCost {
    const stored = this.accounts.get(nameOf(account));
    const cost = stored === undefined || isAhead(stored, now) ? newCost() : stored;
    cost.owner = typeof account === "string" ? account : (account.owner ?? stored?.owner ?? null);
    dropOld(cost, now);
    cost.nextAt = Math.min(cost.nextAt, now + WINDOW_MS);
    return cost;
  }

  /** What a tenant and its inboxes cost, stored as the tenant that was counted last. */
  private ownerAt(tenant: string, now: number): Spent {
    const stored = this.owners.get(tenant);
    const spent = stored === undefined || isAhead(stored, now) ? newSpent() : stored;
    putLast(this.owners, tenant, spent);
    return spent;
  }
}

/** Stores a cost as the one that was counted last, and drops the one that was counted longest ago when there are too many. */
function putLast<Cost>(costs: Map<string, Cost>, name: string, cost: Cost): void {
  costs.delete(name);
  costs.set(name, cost);
  const [oldest] = costs.keys();
  if (costs.size > MAX_ACCOUNTS && oldest !== undefined) costs.delete(oldest);
}

function nameOf(account: Account): string {
  return typeof account === "string" ? account : account.inbox;
}

/** How long work has to wait at this rate, in milliseconds, when the burst is used up. */
function findWaitMs({ nextAt }: AccountCost, part: number, now: number): number {
  return Math.max(0, nextAt - now - BURST_MS / part);
}

function newCost(): AccountCost {
  return { ...newSpent(), owner: null, nextAt: 0, expectedMs: 0 };
}

function newSpent(): Spent {
  return { buckets: [] };
}

/** The cost in the window; 0 for a tenant that is not stored. */
function sumRecent(spent: Spent | undefined, now: number): number {
  return addCosts((spent?.buckets ?? []).filter((bucket) => isRecent(bucket, now)));
}

/** Drops the buckets outside the window. */
function dropOld(cost: Spent, now: number): void {
  if (!cost.buckets.every((bucket) => isRecent(bucket, now)))
    cost.buckets = cost.buckets.filter((bucket) => isRecent(bucket, now));
}

/** The bucket of this moment, the last one. */
function bucketAt({ buckets }: Spent, now: number): Bucket {
  const at = Math.floor(now / BUCKET_MS);
  const last = buckets.at(-1);
  if (last?.at === at) return last;
  const bucket = { at, costMs: 0, begun: 0 };
  buckets.push(bucket);
  return bucket;
}

/** Whether the clock went back since the tenant was counted. */
function isAhead({ buckets }: Spent, now: number): boolean {
  return (buckets.at(-1)?.at ?? -Infinity) > Math.floor(now / BUCKET_MS);
}

/** A bucket of a clock that went back is not in the window. */
function isRecent(bucket: Bucket | undefined, now: number): boolean {
  const age = Math.floor(now / BUCKET_MS) - (bucket?.at ?? -Infinity);
  return age >= 0 && age < BUCKETS;
}

function addCosts(buckets: readonly Bucket[]): number {
  return buckets.reduce((sum, { costMs }) => sum + costMs, 0);
}
