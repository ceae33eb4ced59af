import type { PendingEntry } from "../api/types.ts";

/** What an entry is called in lists and drafts: unique in the tenant. */
export function pendingKey(entry: PendingEntry): string {
  return entry.kind === "unknown" ? entry.call_id : entry.id;
}
