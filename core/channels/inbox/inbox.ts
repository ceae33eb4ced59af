/** Types of an inbox: received items, which are stored until they are processed, and their outcomes. */
import type { JsonState } from "../../tool/tool.ts";

/**
 * `waiting`: being processed, or due later. `dead`: processing failed for the last time; the item is stored and can be
 * retried.
 */
export const ITEM_STATES = ["waiting", "done", "refused", "dead"] as const;
export type ItemState = (typeof ITEM_STATES)[number];
/** States in the list of received items. `repeat`: a delivery that was dropped because its item had arrived before. */
export const RECEIVED_STATES = [...ITEM_STATES, "repeat"] as const;
export type ReceivedState = (typeof RECEIVED_STATES)[number];

/** A received item. */
export interface InboxItem {
  /** The provider's id, unique in the inbox. A second item with the same id is dropped. */
  readonly id: string;
  /** The queue key: items of one partition are processed in the order of arrival; partitions run concurrently. */
  readonly lane: string;
  /** The form of `body`, such as `event` or `command`. */
  readonly kind: string;
  /** At most `MAX_ITEM_CHARACTERS` as JSON. A larger one is stored in the bucket, and the item names its key. */
  readonly body: JsonState;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  /** The id under which a repeat of the item is listed; repeats are not listed when absent. */
  readonly repeatId?: string;
}

/** Limit of a body's JSON: its row has to stay under 2 MB. */
export const MAX_ITEM_CHARACTERS = 500_000;

/** An item's sender and subject, as the sender wrote them. Both are unverified. */
export interface ItemHead {
  readonly from: string | null;
  readonly subject: string | null;
}

/**
 * The outcome of one attempt at an item. `lane`: the partition's new state, which the next item's handler receives;
 * unchanged when absent. `later`: retry before any later item of the partition; with `afterMs` 0 the inbox backs off
 * from 1 s to 60 s. `isUnexpected`: counts as a failure, because another attempt may not help. `refused`: ended, with
 * the reason. `head` is stored for the list of received items.
 */
export type ItemOutcome =
  | { readonly kind: "done"; readonly note: string; readonly lane?: JsonState; readonly head?: ItemHead }
  | {
      readonly kind: "later";
      readonly afterMs: number;
      readonly why: string;
      readonly isUnexpected?: boolean;
      readonly head?: ItemHead;
    }
  | { readonly kind: "refused"; readonly why: string; readonly lane?: JsonState; readonly head?: ItemHead };

/** An item in the list of received items. */
export interface ReceivedItem {
  readonly id: string;
  readonly kind: string;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly state: ReceivedState;
  /** For a repeat: the id of the first item, whose note the entry has. */
  readonly repeats?: string;
  /** The outcome, or why the item waits. Null before the first attempt. */
  readonly note: string | null;
  /** Ended attempts. */
  readonly attempts: number;
  /** Null when the handler reports none. */
  readonly head: ItemHead | null;
}

/** The reply to `take`. */
export interface TakeResult {
  /** False when the item arrived before, or when `retryAfterMs` rejects it. */
  readonly isNew: boolean;
  /** Set when the item was rejected: the inbox is at its limit of items per minute, or of waiting items. */
  readonly retryAfterMs?: number;
  /** True when the item arrived before and is done or refused: it is not processed again. */
  readonly isOver?: boolean;
}

/** A page of received items. */
export interface ReceivedPage {
  /** The `next` of the page before; null for the first page. */
  readonly after: number | null;
  readonly limit: number;
  /** Milliseconds since the epoch. Earlier items are left out. */
  readonly since: number;
}

/** A page of items. `next`: the position of the last one; null on the last page. */
export interface ReceivedItems {
  readonly items: readonly ReceivedItem[];
  readonly next: number | null;
}

/** What the inbox's entry point needs while Postgres is away. The record with the higher version wins. */
export interface InboxRecord {
  readonly version: number;
  /** When the record was last compared with Postgres, in milliseconds since the epoch. */
  readonly checkedAt: number;
  /** Limit of items per minute. */
  readonly perMinute: number;
  readonly facts: JsonState;
}

/** An inbox, named `slack/{team}`, `webhook/{hook}`, `webhook/{tenant}`, `email/{tenant}`, `ingest/{tenant}`, `codebase/{tenant}` or `sync/catalogue`. */
export interface InboxRpc {
  /** Stores an item durably, then processes it in the background. */
  take(item: InboxItem): Promise<TakeResult>;
  /** Null when no such item arrived at `since` or later. */
  stateOf(id: string, since: number): Promise<ReceivedState | null>;
  /** Retries a dead item before the waiting items of its partition. Other items are unchanged. */
  again(id: string): Promise<void>;
  /** The items of the last 30 days and all waiting ones, the latest first. */
  received(page: ReceivedPage): Promise<ReceivedItems>;
  /** Stores the record unless the stored one has a higher version. */
  keepRecord(record: InboxRecord): Promise<void>;
  record(): Promise<InboxRecord | null>;
  /** Processes due items, in case an alarm was lost. */
  poke(): Promise<void>;
  /** Deletes everything. */
  erase(): Promise<void>;
}
