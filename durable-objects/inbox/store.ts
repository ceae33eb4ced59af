/**
 * Stores an inbox: its items, the state of its partitions, and the record of its source. A partition is a `lane` in
 * rows and items.
 */
import {
  ID_RETENTION_MS,
  type NextStep,
  PARTITION_RETENTION_MS,
  MAX_DEAD,
  MAX_ENDED,
  truncateHead,
} from "../../core/channels/inbox/queue.ts";
import type { InboxItem, InboxRecord, ItemHead, ReceivedPage, ReceivedState } from "../../core/channels/inbox/inbox.ts";
import type { JsonState } from "../../core/tool/tool.ts";
import { type DroppedRepeat, type ListedItem, putRepeat, readReceived } from "./received.ts";
import { InboxTables } from "./tables.ts";

/** Old items are trimmed after this many new ones. */
const TRIM_EVERY = 1_000;

/** The item that a partition processes next. */
export interface DueItem {
  readonly item: InboxItem;
  readonly seq: number;
  /** The partition's state. */
  readonly knows: JsonState | null;
  /** Attempts without an end, and those of them that failed unexpectedly. */
  readonly attempts: number;
  readonly failures: number;
  readonly takenAt: number;
}

/** The result of processing an item. */
export interface ItemResult {
  readonly end: NextStep;
  /** The partition's new state; null: unchanged. */
  readonly knows: JsonState | null;
  /** Null: unchanged. */
  readonly head: ItemHead | null;
}

/** Reads and writes rows. Every method but `erase` is synchronous, and every change is atomic. */
export class InboxStore {
  private readonly tables: InboxTables;
  /** The number of waiting items. Null until counted. */
  private waitingCount: number | null = null;

  constructor(storage: DurableObjectStorage, objectName: string | undefined) {
    this.tables = new InboxTables(storage, objectName);
  }

  getName(): string | null {
    return this.tables.getName();
  }

  /** Null if no item with this id was received at `since` or later. */
  findState(id: string, since: number): ReceivedState | null {
    const query = "SELECT state FROM items WHERE id = ? AND received_at >= ?";
    return this.tables.read<{ state: ReceivedState }>(query, id, since)[0]?.state ?? null;
  }

  countWaiting(): number {
    this.waitingCount ??=
      this.tables.read<{ n: number }>("SELECT COUNT(*) AS n FROM items WHERE state = 'waiting'")[0]?.n ?? 0;
    return this.waitingCount;
  }

  put({ id, lane, kind, body, receivedAt }: InboxItem, now: number): void {
    this.tables.change(() => {
      const [added] = this.tables.write<{ seq: number }>(
        `INSERT INTO items (id, lane, kind, body, received_at, taken_at, attempts, state)
         VALUES (?, ?, ?, ?, ?, ?, 0, 'waiting') RETURNING seq`,
        id,
        lane,
        kind,
        JSON.stringify(body),
        receivedAt,
        now,
      );
      this.tables.write(
        `INSERT INTO lanes (lane, due_at, used_at) VALUES (?, ?, ?)
         ON CONFLICT (lane) DO UPDATE SET due_at = COALESCE(due_at, excluded.due_at)`,
        lane,
        now,
        now,
      );
      if (added !== undefined && added.seq % TRIM_EVERY === 0) this.trim();
    });
    this.adjustWaiting(1);
  }

  putRepeat(repeat: DroppedRepeat, now: number): void {
    putRepeat(this.tables, repeat, now);
  }

  /**
   * Deletes the oldest done or refused items; a dead letter that can be retried stays. Counts these items rather than
   * sequence numbers: repeats have numbers too, and must not push out the items that they repeat.
   */
  private trim(): void {
    this.tables.write(
      `DELETE FROM items WHERE state IN ('done', 'refused') AND seq <=
         (SELECT seq FROM items WHERE state IN ('done', 'refused') ORDER BY seq DESC LIMIT 1 OFFSET ?)`,
      MAX_ENDED,
    );
  }

  /** Queues a dead letter again. */
  requeue(id: string, now: number): void {
    this.waitingCount = null;
    this.tables.change(() => {
      const [item] = this.tables.write<{ lane: string }>(
        `UPDATE items SET state = 'waiting', attempts = 0, failures = 0, taken_at = ?, ended_at = NULL
         WHERE id = ? AND state = 'dead' RETURNING lane`,
        now,
        id,
      );
      if (item === undefined) return;
      this.tables.write(
        `INSERT INTO lanes (lane, due_at, used_at) VALUES (?1, ?2, ?2)
         ON CONFLICT (lane) DO UPDATE SET due_at = ?2, used_at = ?2`,
        item.lane,
        now,
      );
    });
  }

  /** Reads the due items, one per partition, the longest waiting first: new items, or retries. */
  readDue(now: number, limit: number, isNew: boolean): DueItem[] {
    return this.tables
      .read<DueRow>(
        `SELECT items.*, lanes.knows FROM
           (SELECT lane, knows, due_at FROM lanes WHERE due_at <= ? AND used_at ${isNew ? ">=" : "<"} 0 ORDER BY due_at LIMIT ?)
           AS lanes
         JOIN items ON items.seq = (SELECT MIN(seq) FROM items WHERE lane = lanes.lane AND state = 'waiting')
         ORDER BY lanes.due_at`,
        now,
        limit,
      )
      .map(toDue);
  }

  /** Returns when the next partition is due; null when no item waits. */
  nextDueAt(): number | null {
    return this.readTime("SELECT MIN(due_at) AS at FROM lanes WHERE due_at IS NOT NULL");
  }

  /** Stores the result of a partition's item. */
  settle({ seq, item: { lane } }: DueItem, { end, knows, head }: ItemResult, now: number): void {
    const storedHead = head === null ? null : JSON.stringify(truncateHead(head));
    this.tables.change(() => {
      if (end.kind === "retry") {
        this.tables.write(
          "UPDATE items SET attempts = attempts + 1, failures = ?, note = ?, head = COALESCE(?, head) WHERE seq = ?",
          end.failures,
          end.note,
          storedHead,
          seq,
        );
        this.tables.write("UPDATE lanes SET due_at = ?, used_at = ? WHERE lane = ?", end.at, -now, lane);
        return;
      }
      this.tables.write(
        `UPDATE items SET attempts = attempts + 1, state = ?1, note = ?2, ended_at = ?3, head = COALESCE(?5, head),
           body = CASE WHEN ?1 = 'dead' THEN body END WHERE seq = ?4`,
        end.state,
        end.note,
        now,
        seq,
        storedHead,
      );
      this.tables.write(
        `UPDATE lanes SET used_at = ?1, knows = COALESCE(?2, knows), due_at =
           (SELECT ?1 FROM items WHERE lane = ?3 AND state = 'waiting' LIMIT 1) WHERE lane = ?3`,
        now,
        knows === null ? null : JSON.stringify(knows),
        lane,
      );
      this.tables.write("DELETE FROM lanes WHERE lane = ? AND due_at IS NULL AND knows IS NULL", lane);
      if (end.state === "dead") this.refuseOldestDead();
    });
    if (end.kind === "ended") this.adjustWaiting(-1);
  }

  /** Refuses the oldest dead letters beyond the maximum. */
  private refuseOldestDead(): void {
    this.tables.write(
      `UPDATE items SET state = 'refused', body = NULL WHERE state = 'dead' AND seq <=
         (SELECT seq FROM items WHERE state = 'dead' ORDER BY seq DESC LIMIT 1 OFFSET ?)`,
      MAX_DEAD,
    );
  }

  readReceived(page: ReceivedPage): ListedItem[] {
    return readReceived(this.tables, page);
  }

  readRecord(): InboxRecord | null {
    const [row] = this.tables.read<{ record: string | null }>("SELECT record FROM inbox");
    return row?.record == null ? null : (JSON.parse(row.record) as InboxRecord);
  }

  storeRecord(record: InboxRecord): void {
    this.tables.change(() => this.tables.write("UPDATE inbox SET record = ?", JSON.stringify(record)));
  }

  /** Deletes expired ids and partitions. */
  deleteExpired(now: number): void {
    if ((this.nextExpiryAt() ?? Infinity) > now) return;
    this.tables.change(() => {
      this.tables.write("DELETE FROM items WHERE ended_at <= ?", now - ID_RETENTION_MS);
      this.tables.write("DELETE FROM lanes WHERE due_at IS NULL AND used_at <= ?", now - PARTITION_RETENTION_MS);
    });
  }

  /** Returns when the next id or partition expires; null if none does. */
  nextExpiryAt(): number | null {
    const endedAt = this.readTime("SELECT MIN(ended_at) AS at FROM items WHERE ended_at IS NOT NULL");
    const usedAt = this.readTime("SELECT MIN(used_at) AS at FROM lanes WHERE due_at IS NULL");
    const at = Math.min((endedAt ?? Infinity) + ID_RETENTION_MS, (usedAt ?? Infinity) + PARTITION_RETENTION_MS);
    return at === Infinity ? null : at;
  }

  async erase(): Promise<void> {
    this.waitingCount = null;
    await this.tables.erase();
  }

  private adjustWaiting(change: number): void {
    if (this.waitingCount !== null) this.waitingCount += change;
  }

  private readTime(query: string): number | null {
    return this.tables.read<{ at: number | null }>(query)[0]?.at ?? null;
  }
}

interface DueRow extends Record<string, SqlStorageValue> {
  readonly seq: number;
  readonly id: string;
  readonly lane: string;
  readonly kind: string;
  readonly body: string;
  readonly received_at: number;
  readonly taken_at: number;
  readonly attempts: number;
  readonly failures: number;
  readonly knows: string | null;
}

function toDue({ seq, id, lane, kind, body, received_at, taken_at, attempts, failures, knows }: DueRow): DueItem {
  const item = { id, lane, kind, body: JSON.parse(body) as JsonState, receivedAt: received_at };
  return {
    item,
    seq,
    attempts,
    failures,
    takenAt: taken_at,
    knows: knows === null ? null : (JSON.parse(knows) as JsonState),
  };
}
