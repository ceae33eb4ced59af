/**
 * Measures the cost of each tenant in a process, paces its work, and refuses a tenant above its fair share. One process runs
 * the code of all its tenants on one thread, so a tenant that computes keeps the others waiting.
 *
 * - Cost is milliseconds of that thread, over the last ten seconds.
 * - A tenant's fair share is the window divided among the tenants that cost anything in it.
 * - **Pacing.** While another tenant costs something, the work of a tenant (a request, a model phase) is spaced so that it
 *   takes a third of the time that the others leave. A tenant that arrives then mostly finds the thread idle, and two
 *   tenants at full load get a quarter each. This is the generic cell rate algorithm (ITU-T I.371), with the mean cost of
 *   the tenant's recent work as a cell. Work above the mean delays the next beginning further.
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
/** Buckets over which the cost of others counts: idle time of one tenant soon belongs to another. */
const PACE_BUCKETS = 3;
/** The part that a paced tenant takes of the time that the others leave. */
const PACED_PART = 1 / 3;
/** A tenant that takes less than this part of its fair share is not paced. */
const UNPACED_PART = 1 / 12;
/** Work that would wait longer is refused. */
export const LONGEST_PACE_MS = 10_000;
/** Tenants that are counted at once; the one that was charged longest ago is dropped. */
const MAX_TENANTS = 10_000;

interface Bucket {
  /** The number of the bucket since the epoch. */
  readonly at: number;
  costMs: number;
  /** How much work began. */
  begun: number;
}

interface TenantCost {
  /** The oldest first. */
  buckets: Bucket[];
  /** When its next work may begin, in milliseconds since the epoch. */
  nextAt: number;
  /** The expected cost of work that began and was not charged yet, in milliseconds. */
  expectedMs: number;
}

export class CostShare {
  /** The tenant that was charged longest ago comes first. */
  private readonly costs = new Map<string, TenantCost>();
  /** Of all tenants together. */
  private all: TenantCost = newCost();

  /** Adds to a tenant's cost. Both times in milliseconds; a cost that is not positive changes nothing. */
  charge(tenant: string, costMs: number, now: number): void {
    if (!(costMs > 0)) return;
    const cost = this.costOf(tenant, now);
    bucketAt(cost, now).costMs += costMs;
    dropOld(this.all, now);
    bucketAt(this.all, now).costMs += costMs;
    const unexpectedMs = Math.max(0, costMs - cost.expectedMs);
    cost.expectedMs = Math.max(0, cost.expectedMs - costMs);
    this.costs.delete(tenant);
    this.costs.set(tenant, cost);
    const part = this.paceOf(cost, now);
    if (part !== null) cost.nextAt = Math.max(cost.nextAt, now) + unexpectedMs / part;
    const [oldest] = this.costs.keys();
    if (this.costs.size > MAX_TENANTS && oldest !== undefined) this.costs.delete(oldest);
  }

  /**
   * Books the beginning of work. Returns the milliseconds that it has to wait first. More than `LONGEST_PACE_MS`: the work
   * is not booked, and may ask again after this time.
   */
  paceMs(tenant: string, now: number): number {
    const cost = this.costOf(tenant, now);
    const part = this.paceOf(cost, now);
    const waitMs = part === null ? 0 : Math.max(0, cost.nextAt - now);
    if (waitMs > LONGEST_PACE_MS) return waitMs;
    bucketAt(cost, now).begun += 1;
    this.costs.set(tenant, cost);
    if (part === null) return 0;
    const meanMs = sumOf(cost.buckets) / cost.buckets.reduce((sum, { begun }) => sum + begun, 0);
    // Waiting work is charged before it begins. Work that cost less than the mean leaves no credit.
    cost.expectedMs = Math.min(cost.expectedMs + meanMs, waitMs * part + 2 * meanMs);
    cost.nextAt = Math.max(cost.nextAt, now) + meanMs / part;
    return waitMs;
  }

  /** How far ahead of its pace the tenant is, in milliseconds. */
  aheadMs(tenant: string, now: number): number {
    const cost = this.costOf(tenant, now);
    return this.paceOf(cost, now) === null ? 0 : Math.max(0, cost.nextAt - now);
  }

  /** How long the tenant is refused, in milliseconds; null: it is within its part. */
  refusedForMs(tenant: string, now: number): number | null {
    const { buckets } = this.costOf(tenant, now);
    const usedMs = sumOf(buckets);
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

  /** Forgets every cost. */
  clear(): void {
    this.costs.clear();
    this.all = newCost();
  }

  /** The part of the thread for a paced tenant; null for a tenant that is not paced. */
  private paceOf(cost: TenantCost, now: number): number | null {
    const since = Math.floor(now / BUCKET_MS) - PACE_BUCKETS;
    const recent = ({ buckets }: TenantCost): number => sumOf(buckets.filter(({ at }) => at > since));
    dropOld(this.all, now);
    const othersMs = recent(this.all) - recent(cost);
    const fairPart = 1 / (this.countActive(now) + 1);
    // A rounding remainder is no tenant.
    if (othersMs < 0.01 || sumOf(cost.buckets) < UNPACED_PART * fairPart * WINDOW_MS) return null;
    return Math.max(fairPart, PACED_PART * (1 - othersMs / (PACE_BUCKETS * BUCKET_MS)));
  }

  private countActive(now: number): number {
    for (const [tenant, { buckets }] of this.costs) {
      if (isRecent(buckets.at(-1), now)) break;
      this.costs.delete(tenant);
    }
    return Math.max(1, this.costs.size);
  }

  /** The stored cost of a tenant, with the buckets in the window. */
  private costOf(tenant: string, now: number): TenantCost {
    const cost = this.costs.get(tenant) ?? newCost();
    dropOld(cost, now);
    return cost;
  }
}

function newCost(): TenantCost {
  return { buckets: [], nextAt: 0, expectedMs: 0 };
}

/** Drops the buckets outside the window. */
function dropOld(cost: TenantCost, now: number): void {
  if (!cost.buckets.every((bucket) => isRecent(bucket, now)))
    cost.buckets = cost.buckets.filter((bucket) => isRecent(bucket, now));
}

/** The bucket of this moment, the last one. */
function bucketAt({ buckets }: TenantCost, now: number): Bucket {
  const at = Math.floor(now / BUCKET_MS);
  const last = buckets.at(-1);
  if (last?.at === at) return last;
  const bucket = { at, costMs: 0, begun: 0 };
  buckets.push(bucket);
  return bucket;
}

/** A bucket of a clock that went back is not in the window. */
function isRecent(bucket: Bucket | undefined, now: number): boolean {
  const age = Math.floor(now / BUCKET_MS) - (bucket?.at ?? -Infinity);
  return age >= 0 && age < BUCKETS;
}

function sumOf(buckets: readonly Bucket[]): number {
  return buckets.reduce((sum, { costMs }) => sum + costMs, 0);
}
