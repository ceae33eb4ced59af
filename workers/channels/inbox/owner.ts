/** The tenant that an inbox belongs to, as far as its name and its item say. */
import type { InboxItem } from "../../../core/channels/inbox/inbox.ts";
import { fromBody } from "../webhooks/hook-item.ts";

/** Null for an inbox of Slack: the installation of its workspace says whose it is (`slack/workspace.ts`). */
export function findOwner(inbox: string, item: Pick<InboxItem, "body">): string | null {
  const [channel, rest = ""] = inbox.split("/");
  if (channel === "email") return rest;
  return channel === "webhook" ? fromBody(item.body).tenant : null;
}
