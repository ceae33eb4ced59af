/** What works the items of an inbox. */
import type { Env } from "../../../adapters/env/bindings.ts";
import type { Handled, InboxItem } from "../../../core/channels/inbox/inbox.ts";
import type { JsonState } from "../../../core/tool/tool.ts";

/** Works an item. What it does is named by the item's id, so that to do it again changes nothing. */
export type Receiver = (env: Env, inbox: string, item: InboxItem, lane: JsonState | null) => Promise<Handled>;
