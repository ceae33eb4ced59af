/** The apps that a tenant added, as lists read them. */
import { workspaceAppsFromEnv } from "../../adapters/env/app-rights.ts";
import type { WorkspaceApp } from "../../core/apps/workspace/workspace.ts";
import type { AppContext } from "../http/context.ts";
import { unwrap } from "../http/unwrap.ts";
import { readOncePerStamp } from "./stamped-cache.ts";

/** Returns the apps that the caller's tenant added, by name. A list has at most 200 apps. */
export const readAddedApps: (c: AppContext) => Promise<ReadonlyMap<string, WorkspaceApp>> = readOncePerStamp(
  async (c, tenant) => {
    const all = unwrap(await workspaceAppsFromEnv(c.env).all(tenant));
    return new Map(all.map((one) => [one.app, one]));
  },
);
