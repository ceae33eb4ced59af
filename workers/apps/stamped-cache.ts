/** What lists read of a tenant's apps, held until the tenant's apps change. */
import type { AppContext } from "../http/context.ts";
import { getTenant } from "../http/principal.ts";
import { readTenantFacts } from "../http/tenant-facts.ts";

/** Bounds how long a change stays unseen whose stamp was lost. */
const MAX_AGE_MS = 30_000;
/** Tenants of one isolate. */
const MAX_TENANTS = 200;

interface Entry<Value> {
  readonly stamp: string;
  /** Milliseconds since the epoch, from before the read. */
  readonly readAt: number;
  readonly value: Value;
}

/** Creates a reader that calls `read` again once the stamp of the tenant's apps is another one. */
export function readOncePerStamp<Value>(
  read: (c: AppContext, tenant: string) => Promise<Value>,
): (c: AppContext) => Promise<Value> {
  /** By tenant, the one that was read longest ago first. */
  const entries = new Map<string, Entry<Value>>();
  return async (c) => {
    const [tenant, readAt] = [getTenant(c), Date.now()];
    const { appsStamp: stamp } = await readTenantFacts(c);
    const known = entries.get(tenant);
    if (known !== undefined && known.stamp === stamp && readAt - known.readAt < MAX_AGE_MS) return known.value;
    const value = await read(c, tenant);
    if (stamp === undefined) return value;
    entries.delete(tenant);
    entries.set(tenant, { stamp, readAt, value });
    const [oldest] = entries.keys();
    if (entries.size > MAX_TENANTS && oldest !== undefined) entries.delete(oldest);
    return value;
  };
}
