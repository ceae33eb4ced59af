/** The objects of tenants, and what each costs this process. */
import type { Env } from "./bindings.ts";
import { stubOf, type Watchable } from "./object-stub.ts";
import { CostShare } from "../../core/tenant/cost-share.ts";
import type { TenantRpc } from "../../core/tenant/rpc.ts";

/** A tenant's object, by the tenant's id; `GET https://tenant/watch` is the WebSocket of a watcher of its tasks. */
export function tenantsFromEnv(env: Env): (tenant: string) => TenantRpc & Watchable {
  return (tenant) => stubOf<TenantRpc & Watchable>(env.TENANTS, tenant);
}

/** The cost of each tenant of this process. */
const processCost = new CostShare();

export function costFromEnv(_env: Env): CostShare {
  return processCost;
}
