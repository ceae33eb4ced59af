/** The sweep's work for the catalogue of apps: begins the syncs that are due, and wakes one whose page was lost. */
import { catalogueSyncsFromEnv } from "../../adapters/env/app-catalogue.ts";
import { inboxesFromEnv } from "../../adapters/env/channels.ts";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { settingsFromEnv } from "../../adapters/env/settings.ts";
import { catalogueSourceFromEnv } from "../../adapters/env/tenant-provider.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { chooseDueSync, isSilent } from "../../core/apps/sync/due.ts";
import { SYNC_INBOX, toSyncItem } from "../../core/apps/sync/inbox-item.ts";
import { MAX_RUN_MS } from "../../core/apps/sync/run-page.ts";
import type { CatalogueSource } from "../../core/ports/apps.ts";
import type { OpenSync } from "../../core/ports/app-catalogue-table.ts";
import { unwrap } from "../http/unwrap.ts";

/** `now` is in milliseconds since the epoch. Does nothing without a provider. */
export async function sweepCatalogue(env: Env, now: number, given?: CatalogueSource | null): Promise<void> {
  const source = given === undefined ? unwrap(await catalogueSourceFromEnv(env)) : given;
  if (source === null) return;
  const table = databaseFromEnv(env).appCatalogue;
  const open = unwrap(await table.findOpen());
  if (open !== null) {
    if (isSilent(open, now)) await wake(env, open, now);
    return;
  }
  const pointer = unwrap(await table.pointer());
  const [latest = null] = unwrap(await table.history(1));
  const kind = chooseDueSync({ pointer, latest, ttlMs: settingsFromEnv(env).catalogueTtlMs }, now);
  if (kind !== null) unwrap(await catalogueSyncsFromEnv(env, source).start(kind));
}

/** Ends a sync whose inbox did not end it in time. */
async function wake(env: Env, { id, startedAt }: OpenSync, now: number): Promise<void> {
  if (now - startedAt > 2 * MAX_RUN_MS) {
    const why = "Its inbox did not run it. Another sync begins later.";
    unwrap(await databaseFromEnv(env).appCatalogue.fail(id, why, now));
    return;
  }
  const inbox = inboxesFromEnv(env)(SYNC_INBOX);
  await inbox.take(toSyncItem(id, 0, now));
  await inbox.poke();
}
