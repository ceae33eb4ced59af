/** The items of the inbox `sync/catalogue`: one for each page of a sync, all with one queue key. */
import type { InboxItem } from "../../channels/inbox/inbox.ts";
import type { JsonState } from "../../tool/tool.ts";

export const SYNC_INBOX = "sync/catalogue";

/** The item of a page. Its id names the page, so sending it again changes nothing. */
export function toSyncItem(job: string, page: number, receivedAt: number): InboxItem {
  return { id: `${job}/${page}`, lane: "catalogue", kind: "page", body: { job, page }, receivedAt };
}

/** Null for a body of another form. */
export function readSyncItem(body: JsonState): { readonly job: string; readonly page: number } | null {
  const { job, page } = body;
  return typeof job === "string" && typeof page === "number" ? { job, page } : null;
}
