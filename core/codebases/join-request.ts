/** Requests to index that nobody waits for: all that come before the next attempt begins are one. */
import type { InboxRpc, TakeResult } from "../channels/inbox/inbox.ts";
import { toIndexItem, toJoinedItem } from "./inbox-item.ts";

/**
 * Adds a request after the attempt `builds`, unless one waits. One that has ended did not begin a later attempt as far as the row
 * says: the database was restored from a backup, or every attempt failed before it began. Then the request is one of its own,
 * and `unique` is its id.
 */
export async function takeJoined(
  inbox: Pick<InboxRpc, "take" | "stateOf">,
  { codebase, builds }: { readonly codebase: string; readonly builds: number },
  { now, unique }: { readonly now: number; readonly unique: string },
): Promise<TakeResult> {
  const joined = toJoinedItem(codebase, builds, now);
  const taken = await inbox.take(joined);
  if (taken.isNew || taken.retryAfterMs !== undefined) return taken;
  if ((await inbox.stateOf(joined.id, 0)) === "waiting") return taken;
  return await inbox.take(toIndexItem({ codebase, after: builds }, `after/${builds}/${unique}`, now));
}
