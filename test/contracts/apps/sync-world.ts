/** A database, a bucket and a provider, between which syncs run page by page. */
import { openDatabase } from "../../../adapters/database/database.ts";
import { judgeAction } from "../../../core/apps/effects/judge.ts";
import { type PageOutcome, runSyncPage } from "../../../core/apps/sync/run-page.ts";
import { beginState, type SyncDeps, type SyncState } from "../../../core/apps/sync/state.ts";
import { failed, ok } from "../../../core/base/errors.ts";
import type { SyncKind } from "../../../core/ports/app-catalogue.ts";
import type { AppCatalogueTable } from "../../../core/ports/app-catalogue-table.ts";
import type { BlobPort } from "../../../core/ports/blobs.ts";
import { startTestDatabase } from "../../../scripts/database/test-database.ts";
import { newId } from "../database/rows.ts";
import type { DescribedCatalogue } from "../../fakes/described-catalogue.ts";
import { valueOf } from "../value-of.ts";
import { runAsOwner } from "./owner.ts";

export interface SyncWorld {
  readonly table: AppCatalogueTable;
  readonly blobs: BlobPort & { readonly stored: ReadonlyMap<string, Uint8Array> };
  /** Milliseconds added to the clock. */
  ahead: number;
  asOwner(statement: string): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

export async function openSyncWorld(): Promise<SyncWorld> {
  const server = await startTestDatabase();
  const database = openDatabase(server.url, server.endpoint);
  return {
    table: database.appCatalogue,
    blobs: openBucket(),
    ahead: 0,
    asOwner: async (statement) => await runAsOwner(server, statement),
    close: () => server.close(),
  };
}

function openBucket(): SyncWorld["blobs"] {
  const stored = new Map<string, Uint8Array>();
  return {
    stored,
    put: (key, bytes) => {
      stored.set(key, bytes);
      return Promise.resolve(ok(undefined));
    },
    get: (key) => {
      const bytes = stored.get(key);
      return Promise.resolve(bytes === undefined ? failed("not_found", "There is no such blob.") : ok(bytes));
    },
  };
}

export function depsOf(world: SyncWorld, source: DescribedCatalogue): SyncDeps {
  const { table, blobs } = world;
  const { fetchLogo } = source;
  return { source, table, blobs, judge: judgeAction, fetchLogo, now: () => Date.now() + world.ahead };
}

export async function beginSync(world: SyncWorld, kind: SyncKind): Promise<SyncState> {
  const at = Date.now() + world.ahead;
  return beginState(valueOf(await world.table.begin({ id: newId("sync", at), kind, at })));
}

type Ended = Extract<PageOutcome, { kind: "ended" }>;

/** Runs a sync to its end. A page that is to run later runs again at once. */
export async function runSync(world: SyncWorld, source: DescribedCatalogue, kind: SyncKind): Promise<Ended> {
  let state = await beginSync(world, kind);
  for (;;) {
    const outcome = await runSyncPage(depsOf(world, source), state);
    if (outcome.kind === "ended") return outcome;
    if (outcome.kind === "next") ({ state } = outcome);
  }
}
