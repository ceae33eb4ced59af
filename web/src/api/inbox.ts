/** What waits for a person, whole or in the short form, by what is asked for. */
import { answered, api } from "./client.ts";
import type { Inbox, paths, ShortInbox } from "./types.generated.ts";

type InboxQuery = NonNullable<paths["/v1/inbox"]["get"]["parameters"]["query"]>;

/** A page of whole entries. */
export async function readInbox(query: Omit<InboxQuery, "view">): Promise<Inbox> {
  return (await answered(api.GET("/v1/inbox", { params: { query } }))) as Inbox;
}

/** A page of what kinds of things wait, where and since when. */
export async function readShortInbox(query: Omit<InboxQuery, "view">): Promise<ShortInbox> {
  return (await answered(api.GET("/v1/inbox", { params: { query: { ...query, view: "short" } } }))) as ShortInbox;
}
