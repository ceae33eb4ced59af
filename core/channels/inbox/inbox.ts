/** What came in from outside and is kept until it was worked: the types of an inbox and of what its items come to. */
import type { JsonState } from "../../tool/tool.ts";

/** `waiting`: it is worked, or will be. `dead`: nobody could work it; what it said is kept, and it can be tried again. */
export const ITEM_STATES = ["waiting", "done", "refused", "dead"] as const;
export type ItemState = (typeof ITEM_STATES)[number];
/** States in the list of received items. `repeat`: a delivery that was dropped because its item had arrived before. */
export const RECEIVED_STATES = [...ITEM_STATES, "repeat"] as const;
export type ReceivedState = (typeof RECEIVED_STATES)[number];

/** One thing that came in. */
export interface InboxItem {
  /** Unique in its inbox: the provider's own id of what happened. Taken again, it changes nothing. */
  readonly id: string;
  /** Items of one lane are worked one after the other, in the order in which they came; lanes side by side. */
  readonly lane: string;
  /** What its receiver reads it as, such as `event` or `command`. */
  readonly kind: string;
  /** At most `MAX_ITEM_CHARACTERS` as JSON. What is larger stands in the bucket, and the item names its key. */
  readonly body: JsonState;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  /** The id under which a repeat of the item is listed; repeats are not listed when absent. */
  readonly repeatId?: string;
}

/** Of the JSON of an item's body: its row has to stay under 2 MB. */
export const MAX_ITEM_CHARACTERS = 500_000;

/** Who sent an item and what it is about, in a stranger's words: nothing of it is proven. */
export interface ItemHead {
  readonly from: string | null;
  readonly subject: string | null;
}

/**
 * What an item came to. `lane`: what the lane knows from now on, given to the receiver with its next item (absent: as
 * before). `later`: it is tried again, before any later item of its lane; `afterMs` 0 leaves the moment to the inbox, which
 * backs off from 1 s to 60 s. `isUnexpected`: nothing says that another try will help, so that tries are counted. `refused`:
 * it is over, and says why. `head` is kept to be shown.
 */
export type Handled =
  | { readonly kind: "done"; readonly note: string; readonly lane?: JsonState; readonly head?: ItemHead }
  | {
      readonly kind: "later";
      readonly afterMs: number;
      readonly why: string;
      readonly isUnexpected?: boolean;
      readonly head?: ItemHead;
    }
  | { readonly kind: "refused"; readonly why: string; readonly lane?: JsonState; readonly head?: ItemHead };

/** What an inbox shows of an item. */
export interface ReceivedItem {
  readonly id: string;
  readonly kind: string;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly state: ReceivedState;
  /** For a repeat: the id of the first item, whose note the entry has. */
  readonly repeats?: string;
  /** What it came to, or why it waits; null: nobody tried it yet. */
  readonly note: string | null;
  /** Tries that have ended. */
  readonly attempts: number;
  /** Null: its receiver tells nothing of it. */
  readonly head: ItemHead | null;
}

/** What became of an item that was brought. */
export interface Taken {
  /** False: it was taken before, or `retryAfterMs` says that it was not taken. */
  readonly isNew: boolean;
  /** It was not taken: the inbox has taken what it may in a minute, or holds all that may wait. */
  readonly retryAfterMs?: number;
  /** True for one that was taken before and is done or refused: nobody works it any more. */
  readonly isOver?: boolean;
}

/** What of an inbox is listed. */
export interface ReceivedPage {
  /** The `next` of the page before; null: the first page. */
  readonly after: number | null;
  readonly limit: number;
  /** Milliseconds since the epoch: what came before it is not shown. */
  readonly since: number;
}

/** A page of items. `next`: the place of the last one; null: this was the last page. */
export interface ReceivedItems {
  readonly items: readonly ReceivedItem[];
  readonly next: number | null;
}

/** What an inbox's door has to know while Postgres is away. Of two, the one with the higher version stands. */
export interface InboxRecord {
  readonly version: number;
  /** Milliseconds since the epoch: when it was last compared with what Postgres has. */
  readonly checkedAt: number;
  /** Items that it takes in a minute. */
  readonly perMinute: number;
  readonly facts: JsonState;
}

/** An inbox, named `slack/{team}`, `webhook/{hook}`, `webhook/{tenant}` or `email/{tenant}`. */
export interface InboxRpc {
  /** Keeps an item durably, then works it in the background. */
  take(item: InboxItem): Promise<Taken>;
  /** Null: there is no such item that came at `since` or later. */
  stateOf(id: string, since: number): Promise<ReceivedState | null>;
  /** Has a dead item worked again, before what waits in its lane. Any other is left as it is. */
  again(id: string): Promise<void>;
  /** The items of the last 30 days and those that wait, the latest first. */
  received(page: ReceivedPage): Promise<ReceivedItems>;
  /** Keeps what the door has to know, unless what it knows is of a higher version. */
  keepRecord(record: InboxRecord): Promise<void>;
  record(): Promise<InboxRecord | null>;
  /** Works what is due again, should an alarm have been lost. */
  poke(): Promise<void>;
  /** Forgets everything. */
  erase(): Promise<void>;
}
