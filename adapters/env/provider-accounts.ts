/** The ids of a tenant's accounts at the provider of the catalogue. */
import { waitUntil } from "cloudflare:workers";
import type { Env } from "./bindings.ts";
import { connectionCaches } from "./connection-caches.ts";
import { connectionTableFromEnv } from "./connections.ts";
import { openProviderAccounts } from "../connections/provider-accounts.ts";
import type { ProviderAccounts } from "../../core/ports/provider-accounts.ts";

/** For calls with the key that `key` names. Opens nothing before it is used. */
export function providerAccountsFromEnv(env: Env, tenant: string, key: string): ProviderAccounts {
  return {
    async find(account) {
      const table = connectionTableFromEnv(env, tenant);
      const parts = { tenant, table, key, caches: connectionCaches, now: Date.now, background: waitUntil };
      return await openProviderAccounts(parts).find(account);
    },
  };
}
