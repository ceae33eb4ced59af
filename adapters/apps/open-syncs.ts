/** Starts syncs of the catalogue of apps: a row, and the first page in the inbox that runs them. */
import { NO_PROVIDER_MESSAGE } from "../../core/connections/catalogue-app.ts";
import { SYNC_INBOX, toSyncItem } from "../../core/apps/sync/inbox-item.ts";
import { makeId } from "../../core/base/ids.ts";
import { failed, type Result } from "../../core/base/errors.ts";
import type { InboxRpc } from "../../core/channels/inbox/inbox.ts";
import type { CatalogueSyncs } from "../../core/ports/app-catalogue.ts";
import type { AppCatalogueTable } from "../../core/ports/app-catalogue-table.ts";

export interface CatalogueSyncsDeps {
  readonly table: Pick<AppCatalogueTable, "begin" | "history">;
  readonly inboxOf: (name: string) => Pick<InboxRpc, "take">;
  /** Whether a key serves this tenant; without one: whether there is any key. */
  readonly hasProvider: (tenant: string | undefined) => Promise<Result<boolean>>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export function openCatalogueSyncs({ table, inboxOf, hasProvider, now }: CatalogueSyncsDeps): CatalogueSyncs {
  return {
    async start(kind, tenant) {
      const found = await hasProvider(tenant);
      if (!found.ok) return found;
      if (!found.value) return NO_PROVIDER;
      const at = now();
      const id = makeId("sync", at, crypto.getRandomValues(new Uint8Array(10)));
      const begun = await table.begin({ id, kind, at });
      // Also of the one under way: its first page may be lost.
      if (begun.ok) await inboxOf(SYNC_INBOX).take(toSyncItem(begun.value.id, 0, at));
      return begun;
    },
    history: (limit) => table.history(limit),
  };
}

const NO_PROVIDER = failed("not_available", NO_PROVIDER_MESSAGE);
