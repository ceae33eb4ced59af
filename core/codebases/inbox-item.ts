/** The items of the inbox `codebase/{tenant}`: one for each request to index a codebase, with the codebase as queue key. */
import type { InboxItem } from "../channels/inbox/inbox.ts";
import type { JsonState } from "../tool/tool.ts";

const PREFIX = "codebase/";

export function getCodebaseInbox(tenant: string): string {
  return `${PREFIX}${tenant}`;
}

/** The tenant of an inbox of this kind; null for any other inbox. */
export function findInboxTenant(inbox: string): string | null {
  return inbox.startsWith(PREFIX) ? inbox.slice(PREFIX.length) : null;
}

/** `request` identifies the request, so that repeating it adds nothing. */
export function toIndexItem(codebase: string, request: string, receivedAt: number): InboxItem {
  return { id: `${codebase}/${request}`, lane: codebase, kind: "index", body: { codebase }, receivedAt };
}

/** The codebase of an item; null for a body of another form. */
export function readIndexItem({ codebase }: JsonState): string | null {
  return typeof codebase === "string" ? codebase : null;
}
