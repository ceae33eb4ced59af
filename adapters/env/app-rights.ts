/** What the agents of tenants may use of the apps that were added, and the tables in which it is set. */
import type { Env } from "./bindings.ts";
import { databaseFromEnv } from "./database.ts";
import { AppRightsCache } from "../apps/open-rights.ts";
import type { AppRightsPort } from "../../core/ports/app-rights.ts";
import type { WorkspaceAppTable } from "../../core/ports/workspace-app-table.ts";

/** Of this isolate. */
const cache = new AppRightsCache();

export function appRightsFromEnv(env: Env, tenant: string): AppRightsPort {
  return {
    read: async (agent) => await cache.read(databaseFromEnv(env).workspaceApps, { tenant, agent }, Date.now),
  };
}

export function workspaceAppsFromEnv(env: Env): WorkspaceAppTable {
  return databaseFromEnv(env).workspaceApps;
}

/** Makes the next request of this isolate read a tenant's rights again. Other isolates do so within three seconds. */
export function forgetAppRightsFromEnv(_env: Env, tenant: string): void {
  cache.forget(tenant);
}
