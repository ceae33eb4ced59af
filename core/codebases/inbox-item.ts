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

/** A request to index: `after` is the last attempt when it was made; null: always to be done. */
export interface IndexOrder {
  readonly codebase: string;
  readonly after: number | null;
}

/** `request` identifies the request, so that repeating it adds nothing. */
export function toIndexItem({ codebase, after }: IndexOrder, request: string, receivedAt: number): InboxItem {
  return { id: `${codebase}/${request}`, lane: codebase, kind: "index", body: { codebase, after }, receivedAt };
}

/** A request of `takeJoined`: all after the same attempt have one id. */
export function toJoinedItem(codebase: string, after: number, receivedAt: number): InboxItem {
  return toIndexItem({ codebase, after }, `after/${after}`, receivedAt);
}

/** The order of an item, also one of an earlier release; null for a body of another form. */
export function readIndexItem({ codebase, after }: JsonState): IndexOrder | null {
  if (typeof codebase !== "string") return null;
  return { codebase, after: typeof after === "number" ? after : null };
}
