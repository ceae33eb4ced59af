/**
 * What tenants cost a process, and which of them costs more than its fair part. One process runs the code of all its tenants
 * on one thread, so a tenant that computes keeps the others waiting.
 *
 * - Cost is milliseconds of that thread, over the last ten seconds.
 * - A tenant's fair part is the window divided among the tenants that cost anything in it.
 * - A tenant that is `BEYOND_MS` past its part is refused until enough of its cost left the window. One that is alone never is.
 *
 * Where cost comes from, and what it leaves out, is in `cost-rates.ts`. Nothing is stored: a new process knows no cost.
 */

/** The window is this many buckets of `BUCKET_MS` each. */
const BUCKETS = 10;
const BUCKET_MS = 1000;
const WINDOW_MS = BUCKETS * BUCKET_MS;
/** How far past its fair part a tenant may be. */
const BEYOND_MS = 2000;
/** Tenants that are counted at once; the one that was charged longest ago is dropped. */
const MAX_TENANTS = 10_000;

interface Bucket {
  /** The number of the bucket since the epoch. */
  readonly at: number;
  costMs: number;
}

export class CostShare {
  /** The buckets of each tenant, the oldest first; the tenant that was charged longest ago comes first. */
  private readonly costs = new Map<string, Bucket[]>();

  /** Adds to a tenant's cost. Both times in milliseconds; a cost that is not positive changes nothing. */
  charge(tenant: string, costMs: number, now: number): void {
    if (!(costMs > 0)) return;
    const buckets = this.recent(tenant, now);
    const at = Math.floor(now / BUCKET_MS);
    const last = buckets.at(-1);
    if (last?.at === at) last.costMs += costMs;
    else buckets.push({ at, costMs });
    this.costs.delete(tenant);
    this.costs.set(tenant, buckets);
    const [oldest] = this.costs.keys();
    if (this.costs.size > MAX_TENANTS && oldest !== undefined) this.costs.delete(oldest);
  }

  /** How long the tenant is refused, in milliseconds; null: it is within its part. */
  refusedForMs(tenant: string, now: number): number | null {
    const buckets = this.recent(tenant, now);
    const used = sumOf(buckets);
    if (used <= BEYOND_MS) return null;
    const active = this.countActive(now);
    const limit = WINDOW_MS / active + BEYOND_MS;
    if (active === 1 || used <= limit) return null;
    let left = used;
    for (const { at, costMs } of buckets) {
      left -= costMs;
      if (left <= limit) return Math.max(1, (at + BUCKETS) * BUCKET_MS - now);
    }
    return WINDOW_MS;
  }

  /** Forgets every cost. */
  clear(): void {
    this.costs.clear();
  }

  private countActive(now: number): number {
    for (const [tenant, buckets] of this.costs) {
      if (isRecent(buckets.at(-1), now)) break;
      this.costs.delete(tenant);
    }
    return Math.max(1, this.costs.size);
  }

  /** The buckets of a tenant that are in the window. */
  private recent(tenant: string, now: number): Bucket[] {
    const buckets = this.costs.get(tenant) ?? [];
    return buckets.every((bucket) => isRecent(bucket, now))
      ? buckets
      : buckets.filter((bucket) => isRecent(bucket, now));
  }
}

/** A bucket of a clock that went back is not in the window. */
function isRecent(bucket: Bucket | undefined, now: number): boolean {
  const age = Math.floor(now / BUCKET_MS) - (bucket?.at ?? -Infinity);
  return age >= 0 && age < BUCKETS;
}

function sumOf(buckets: readonly Bucket[]): number {
  return buckets.reduce((sum, { costMs }) => sum + costMs, 0);
}
