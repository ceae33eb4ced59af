/** What came in for an erased tenant, forgotten: by its hooks, by mail, and from its workspaces of Slack. */
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import { inboxesFromEnv } from "../../../adapters/env/channels.ts";
import type { Env } from "../../../adapters/env/bindings.ts";
import type { SlackInstall } from "../../../core/ports/slack-install-table.ts";
import type { Page, Place } from "../../../core/base/page-cursor.ts";
import { unwrap } from "../../http/unwrap.ts";
import { closeDoorsOfTenant } from "../webhooks/hook-auth.ts";

/** Installations that are read at once. */
const BATCH = 100;

/** Can be done again, as long as the rows of the tenant's hooks and installations are there. */
export async function eraseInboxes(env: Env, tenant: string): Promise<void> {
  await closeDoorsOfTenant(env, tenant);
  await inboxesFromEnv(env)(`email/${tenant}`).erase();
  await eraseWorkspaces(env, tenant);
}

/** The inbox of a workspace is the next tenant's once that has installed Otto there. */
async function eraseWorkspaces(env: Env, tenant: string): Promise<void> {
  const { slackInstalls } = databaseFromEnv(env);
  for (let after: Place | null = null; ; ) {
    const { items, next }: Page<SlackInstall> = unwrap(await slackInstalls.page(tenant, { after, limit: BATCH }));
    for (const { team } of items) {
      const now = unwrap(await slackInstalls.tenantOf(team));
      if (now === null || now === tenant) await inboxesFromEnv(env)(`slack/${team}`).erase();
    }
    if (next === null) return;
    after = next;
  }
}
