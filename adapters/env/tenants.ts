/** The objects of tenants, and their cost in this process. */
import type { Env } from "./bindings.ts";
import { getStub, type Watchable } from "./object-stub.ts";
import { AccessCache } from "../../core/tenant/access-cache.ts";
import { CostShare } from "../../core/tenant/cost-share.ts";
import { FairShare } from "../../core/tenant/fair-share.ts";
import type { TenantRpc } from "../../core/tenant/rpc.ts";

/** The object of a tenant by its id; `GET https://tenant/watch` is the WebSocket of watchers. */
export function tenantsFromEnv(env: Env): (tenant: string) => TenantRpc & Watchable {
  return (tenant) => getStub<TenantRpc & Watchable>(env.TENANTS, tenant);
}

/** The fair share of the tenants in this process. */
const processShare = new FairShare();

export function shareFromEnv(_env: Env): FairShare {
  return processShare;
}

/** The cost of each tenant in this process. */
const processCost = new CostShare();

export function costFromEnv(_env: Env): CostShare {
  return processCost;
}

/** The callers that this isolate admitted in the last seconds. */
const accessCache = new AccessCache(() => crypto.randomUUID());

export function accessFromEnv(_env: Env): AccessCache {
  return accessCache;
}

/**
 * Makes this isolate ask about the tenant's callers again, after a key was revoked, a session ended or the tenant was
 * erased. Other isolates do so within three seconds.
 */
export function forgetAccessFromEnv(_env: Env, tenant: string): void {
  accessCache.forgetTenant(tenant);
}
