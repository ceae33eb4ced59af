/** Lists the received deliveries of an inbox: its items, and deliveries dropped as repeats of one. */
import { MAX_REPEATS } from "../../core/channels/inbox/queue.ts";
import type { ItemHead, ReceivedItem, ReceivedPage, ReceivedState } from "../../core/channels/inbox/inbox.ts";
import type { InboxTables } from "./tables.ts";

/** A repeated delivery of an item. */
export interface DroppedRepeat {
  readonly id: string;
  /** The item's id. */
  readonly of: string;
  readonly kind: string;
  readonly receivedAt: number;
}

/** An entry of the list with its position. */
export type ListedItem = ReceivedItem & { readonly seq: number };

/**
 * Stores a dropped delivery: a row in a partition of its own, ended from the start, whose `note` is the id of its item.
 */
export function putRepeat(tables: InboxTables, { id, of, kind, receivedAt }: DroppedRepeat, now: number): void {
  tables.change(() => {
    tables.write(
      `INSERT INTO items (id, lane, kind, received_at, taken_at, attempts, state, note, ended_at)
       VALUES (?1, ?1, ?2, ?3, ?4, 0, 'repeat', ?5, ?4) ON CONFLICT (id) DO NOTHING`,
      id,
      kind,
      receivedAt,
      now,
      of,
    );
    tables.write("CREATE INDEX IF NOT EXISTS items_repeats ON items (seq) WHERE state = 'repeat'");
    tables.write(
      `DELETE FROM items WHERE state = 'repeat' AND seq <=
         (SELECT seq FROM items WHERE state = 'repeat' ORDER BY seq DESC LIMIT 1 OFFSET ?)`,
      MAX_REPEATS,
    );
  });
}

/**
 * Reads the latest entries before `after` (null: the latest of all) received at `since` or later. A repeat has its
 * item's note.
 */
export function readReceived(tables: InboxTables, { after, limit, since }: ReceivedPage): ListedItem[] {
  return tables
    .read<ReceivedRow>(
      `SELECT items.seq, items.id, items.kind, items.received_at, items.state, items.attempts, items.head,
         CASE WHEN items.state = 'repeat' THEN items.note END AS repeats,
         CASE WHEN items.state = 'repeat' THEN first.note ELSE items.note END AS note
       FROM items LEFT JOIN items AS first ON items.state = 'repeat' AND first.id = items.note
       WHERE items.seq < ? AND items.received_at >= ? ORDER BY items.seq DESC LIMIT ?`,
      after ?? Number.MAX_SAFE_INTEGER,
      since,
      limit,
    )
    .map(({ received_at, head, repeats, ...row }) => ({
      ...row,
      ...(repeats === null ? {} : { repeats }),
      receivedAt: received_at,
      head: head === null ? null : (JSON.parse(head) as ItemHead),
    }));
}

interface ReceivedRow extends Record<string, SqlStorageValue> {
  readonly seq: number;
  readonly id: string;
  readonly kind: string;
  readonly received_at: number;
  readonly state: ReceivedState;
  readonly repeats: string | null;
  readonly note: string | null;
  readonly attempts: number;
  readonly head: string | null;
}
