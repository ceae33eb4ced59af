/** When a sync begins without a person, and when one under way has to be woken. Pure. */
import type { SyncJob, SyncKind } from "../../ports/app-catalogue.ts";
import type { CataloguePointer, OpenSync } from "../../ports/app-catalogue-table.ts";

const MINUTE_MS = 60_000;
/** After a failed sync: without a catalogue, and with one. */
const RETRY_FIRST_MS = 10 * MINUTE_MS;
const RETRY_MS = 60 * MINUTE_MS;
/** A page takes a minute at most. Later, an alarm may be lost. */
const SILENT_MS = 2 * MINUTE_MS;

export interface CatalogueAge {
  readonly pointer: CataloguePointer | null;
  readonly latest: Pick<SyncJob, "status" | "completedAt"> | null;
  readonly ttlMs: number;
}

/** The sync to begin: a full one for the first catalogue, then incremental ones by its age; null: none is due. */
export function chooseDueSync({ pointer, latest, ttlMs }: CatalogueAge, now: number): SyncKind | null {
  const retryMs = pointer === null ? RETRY_FIRST_MS : RETRY_MS;
  if (latest?.status === "failed" && now - (latest.completedAt ?? 0) < retryMs) return null;
  if (pointer === null) return "full";
  return now - pointer.syncedAt >= ttlMs ? "incremental" : null;
}

/** True of a sync whose page may be lost. */
export function isSilent({ updatedAt }: OpenSync, now: number): boolean {
  return now - updatedAt >= SILENT_MS;
}
