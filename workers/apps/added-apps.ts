/**
 * The apps that tenants added, as this isolate read them last. The tenant's object changes its stamp before and after a
 * change, and a list counts under the stamp of its read alone.
 */
import { workspaceAppsFromEnv } from "../../adapters/env/app-rights.ts";
import type { WorkspaceApp } from "../../core/apps/workspace.ts";
import type { AppContext } from "../http/context.ts";
import { getTenant } from "../http/principal.ts";
import { readTenantFacts } from "../http/tenant-facts.ts";
import { unwrap } from "../http/unwrap.ts";

/** Bounds how long a change stays unseen whose stamp was lost. */
const MAX_AGE_MS = 30_000;
/** Tenants of one isolate. A list has at most 200 apps. */
const MAX_TENANTS = 200;

interface Entry {
  readonly stamp: string;
  /** Milliseconds since the epoch, from before the read. */
  readonly readAt: number;
  readonly apps: ReadonlyMap<string, WorkspaceApp>;
}

/** By tenant, the one that was read longest ago first. */
const entries = new Map<string, Entry>();

/** Returns the apps that the caller's tenant added, by name. */
export async function readAddedApps(c: AppContext): Promise<ReadonlyMap<string, WorkspaceApp>> {
  const [tenant, readAt] = [getTenant(c), Date.now()];
  const { appsStamp: stamp } = await readTenantFacts(c);
  const known = entries.get(tenant);
  if (known !== undefined && known.stamp === stamp && readAt - known.readAt < MAX_AGE_MS) return known.apps;
  const all = unwrap(await workspaceAppsFromEnv(c.env).all(tenant));
  const apps = new Map(all.map((one) => [one.app, one]));
  if (stamp !== undefined) save(tenant, { stamp, readAt, apps });
  return apps;
}

function save(tenant: string, entry: Entry): void {
  entries.delete(tenant);
  entries.set(tenant, entry);
  const [oldest] = entries.keys();
  if (entries.size > MAX_TENANTS && oldest !== undefined) entries.delete(oldest);
}
