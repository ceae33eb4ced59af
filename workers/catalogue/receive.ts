/**
 * Works the inbox `sync/catalogue`: an item is one page of a sync of the catalogue of apps. The queue key's state is where the
 * sync stands, and is stored together with the end of the item.
 */
import { syncDepsFromEnv } from "../../adapters/env/app-catalogue.ts";
import { inboxesFromEnv } from "../../adapters/env/channels.ts";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { readSyncItem, SYNC_INBOX, toSyncItem } from "../../core/apps/sync/inbox-item.ts";
import { type PageOutcome, runSyncPage } from "../../core/apps/sync/run-page.ts";
import { beginState, type SyncState } from "../../core/apps/sync/state.ts";
import type { Result } from "../../core/base/errors.ts";
import type { InboxItem, ItemOutcome } from "../../core/channels/inbox/inbox.ts";
import type { CatalogueSource } from "../../core/ports/apps.ts";
import type { JsonState } from "../../core/tool/tool.ts";

export async function receiveSyncPage(
  env: Env,
  findSource: (env: Env) => Promise<Result<CatalogueSource | null>>,
  item: InboxItem,
  lane: JsonState | null,
): Promise<ItemOutcome> {
  const named = readSyncItem(item.body);
  if (named === null) return { kind: "refused", why: "The item names no page of a sync." };
  const stored = lane as SyncState | null;
  const begun = stored?.job === named.job ? stored : await findBegun(env, named.job);
  if (begun === null) return { kind: "refused", why: "The sync has ended." };
  if (typeof begun === "string") return { kind: "later", afterMs: 0, why: begun };
  if (begun.page !== named.page) return { kind: "refused", why: `The sync is at page ${begun.page}.` };
  const source = await findSource(env);
  if (!source.ok) return { kind: "later", afterMs: 0, why: source.error.message };
  if (source.value === null) return { kind: "later", afterMs: 0, why: "There is no provider of apps." };
  const startedAt = Date.now();
  const outcome = await runSyncPage(syncDepsFromEnv(env, source.value), begun);
  logPage(begun, outcome, Date.now() - startedAt);
  return await toItemOutcome(env, outcome);
}

/** The state of a sync whose first page this is; null if it has ended; a text if that cannot be read. */
async function findBegun(env: Env, job: string): Promise<SyncState | null | string> {
  const open = await databaseFromEnv(env).appCatalogue.findOpen();
  if (!open.ok) return open.error.message;
  return open.value?.id === job ? beginState(open.value) : null;
}

async function toItemOutcome(env: Env, outcome: PageOutcome): Promise<ItemOutcome> {
  switch (outcome.kind) {
    case "later":
      return outcome;
    case "ended":
      return { kind: "done", note: `${outcome.status}: ${outcome.note}` };
    case "next": {
      const { state } = outcome;
      // Before this item ends: a crash between the two sends it again, and the inbox drops what it has.
      const { retryAfterMs } = await inboxesFromEnv(env)(SYNC_INBOX).take(
        toSyncItem(state.job, state.page, Date.now()),
      );
      if (retryAfterMs !== undefined) return { kind: "later", afterMs: retryAfterMs, why: "The inbox is full." };
      return { kind: "done", note: state.phase, lane: { ...state } };
    }
  }
}

function logPage({ job, kind, phase, page }: SyncState, outcome: PageOutcome, ms: number): void {
  const progress = outcome.kind === "next" ? outcome.state.progress : null;
  const { appsSynced: apps, actionsSynced: actions, errors } = progress ?? {};
  const note = outcome.kind === "later" ? outcome.why : outcome.note;
  const line = { level: "info", sync: job, kind, phase, page, apps, actions, errors, ms, outcome: outcome.kind, note };
  console.log(JSON.stringify(line));
}
