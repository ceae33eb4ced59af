/** The sweep's work for the apps of tenants: their tools follow the catalogue after a sync. */
import { appCatalogueFromEnv } from "../../adapters/env/app-catalogue.ts";
import { workspaceAppsFromEnv } from "../../adapters/env/app-rights.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import type { Failure } from "../../core/base/errors.ts";
import type { AddedApp } from "../../core/ports/workspace-app-table.ts";
import { publishStored } from "../apps/change-app.ts";
import { unwrap } from "../http/unwrap.ts";
import { attemptEach } from "./attempt-each.ts";

/** Apps of all tenants that one run looks at, at once, and how long it begins one. */
const MAX_APPS = 500;
const AT_ONCE = 10;
const FOLLOW_MS = 15_000;

/** Publishes the apps that do not follow the current catalogue yet. */
export async function followCatalogue(env: Env): Promise<void> {
  const snapshot = unwrap(await appCatalogueFromEnv(env).snapshot());
  if (snapshot === null) return;
  const table = workspaceAppsFromEnv(env);
  const behind = unwrap(await table.toFollow(snapshot.hash, MAX_APPS));
  const name = ({ tenant, app }: AddedApp): string => `publishing ${app} of ${tenant}`;
  await attemptEach(behind, { atOnce: AT_ONCE, until: Date.now() + FOLLOW_MS }, name, async (added) => {
    const published = await publishStored({ env, tenant: added.tenant }, added.app);
    if (!published.ok && !isLasting(published.error)) unwrap(published);
    // One that cannot be published stays as it is until the next sync, and does not keep others waiting.
    unwrap(await table.markFollowed(added, snapshot.hash));
    if (!published.ok) unwrap(published);
  });
}

/** True for a failure that another attempt does not change. */
function isLasting({ code }: Failure): boolean {
  return code === "conflict" || code === "quota_exceeded" || code === "too_large";
}
