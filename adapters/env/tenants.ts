/** The objects of tenants, and their cost in this process. */
import type { Env } from "./bindings.ts";
import { getStub, type Watchable } from "./object-stub.ts";
import { CostShare } from "../../core/tenant/cost-share.ts";
import type { TenantRpc } from "../../core/tenant/rpc.ts";

/** The object of a tenant by its id; `GET https://tenant/watch` is the WebSocket of watchers. */
export function tenantsFromEnv(env: Env): (tenant: string) => TenantRpc & Watchable {
  return (tenant) => getStub<TenantRpc & Watchable>(env.TENANTS, tenant);
}

/** The cost of each tenant in this process. */
const processCost = new CostShare();

export function costFromEnv(_env: Env): CostShare {
  return processCost;
}
