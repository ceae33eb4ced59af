/** What an inbox stores: its items, what its lanes know, and what its door has to know. */
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
import { type DroppedRepeat, type PlacedItem, putRepeat, readReceived } from "./received.ts";
import { InboxTables } from "./tables.ts";

/** Every so many items, those that are too many are forgotten. */
const TRIM_EVERY = 1_000;

/** The item that a lane works now. */
export interface DueItem {
  readonly item: InboxItem;
  readonly seq: number;
  /** What the lane knows. */
  readonly knows: JsonState | null;
  /** Tries that came to nothing, and of these the ones that ended unexpectedly. */
  readonly attempts: number;
  readonly failures: number;
  readonly takenAt: number;
}

/** What became of a lane's item, and what is known by it. */
export interface ItemSettled {
  readonly end: NextStep;
  /** What the lane knows from now on; null: as before. */
  readonly knows: JsonState | null;
  /** Null: as before. */
  readonly head: ItemHead | null;
}

/** Reads and writes rows. Every method but `erase` is one synchronous piece of work, and a change happens whole or not at all. */
export class InboxStore {
  private readonly tables: InboxTables;
  /** Items that wait; null: they are to be counted. */
  private waitingCount: number | null = null;

  constructor(storage: DurableObjectStorage, named: string | undefined) {
    this.tables = new InboxTables(storage, named);
  }

  name(): string | null {
    return this.tables.name();
  }

  /** Null: there is no such item of this moment or later. */
  stateOf(id: string, since: number): ReceivedState | null {
    const query = "SELECT state FROM items WHERE id = ? AND received_at >= ?";
    return this.tables.read<{ state: ReceivedState }>(query, id, since)[0]?.state ?? null;
  }

  waiting(): number {
    this.waitingCount ??=
      this.tables.read<{ n: number }>("SELECT COUNT(*) AS n FROM items WHERE state = 'waiting'")[0]?.n ?? 0;
    return this.waitingCount;
  }

  put({ id, lane, kind, body, receivedAt }: InboxItem, now: number): void {
    this.tables.atOnce(() => {
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
    this.countWaiting(1);
  }

  putRepeat(repeat: DroppedRepeat, now: number): void {
    putRepeat(this.tables, repeat, now);
  }

  /**
   * Forgets the oldest items that are done or refused; a dead one that waits to be tried again stays. The bound counts these
   * items, not places in the table: repeats have places too, and must not push out the items that they repeat.
   */
  private trim(): void {
    this.tables.write(
      `DELETE FROM items WHERE state IN ('done', 'refused') AND seq <=
         (SELECT seq FROM items WHERE state IN ('done', 'refused') ORDER BY seq DESC LIMIT 1 OFFSET ?)`,
      MAX_ENDED,
    );
  }

  /** A dead item waits again. */
  again(id: string, now: number): void {
    this.waitingCount = null;
    this.tables.atOnce(() => {
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

  /** The items that are due, one a lane, at most `limit`, those that wait longest first: those that are new, or the others. */
  due(now: number, limit: number, isNew: boolean): DueItem[] {
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

  /** When the first lane is due; null: nothing waits. */
  nextDueAt(): number | null {
    return this.moment("SELECT MIN(due_at) AS at FROM lanes WHERE due_at IS NOT NULL");
  }

  /** Keeps what became of a lane's item. */
  settle({ seq, item: { lane } }: DueItem, { end, knows, head }: ItemSettled, now: number): void {
    const shown = head === null ? null : JSON.stringify(truncateHead(head));
    this.tables.atOnce(() => {
      if (end.kind === "retry") {
        this.tables.write(
          "UPDATE items SET attempts = attempts + 1, failures = ?, note = ?, head = COALESCE(?, head) WHERE seq = ?",
          end.failures,
          end.note,
          shown,
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
        shown,
      );
      this.tables.write(
        `UPDATE lanes SET used_at = ?1, knows = COALESCE(?2, knows), due_at =
           (SELECT ?1 FROM items WHERE lane = ?3 AND state = 'waiting' LIMIT 1) WHERE lane = ?3`,
        now,
        knows === null ? null : JSON.stringify(knows),
        lane,
      );
      this.tables.write("DELETE FROM lanes WHERE lane = ? AND due_at IS NULL AND knows IS NULL", lane);
      if (end.state === "dead") this.buryOldest();
    });
    if (end.kind === "ended") this.countWaiting(-1);
  }

  /** Those that are too many are as if they had been refused. */
  private buryOldest(): void {
    this.tables.write(
      `UPDATE items SET state = 'refused', body = NULL WHERE state = 'dead' AND seq <=
         (SELECT seq FROM items WHERE state = 'dead' ORDER BY seq DESC LIMIT 1 OFFSET ?)`,
      MAX_DEAD,
    );
  }

  received(page: ReceivedPage): PlacedItem[] {
    return readReceived(this.tables, page);
  }

  record(): InboxRecord | null {
    const [row] = this.tables.read<{ record: string | null }>("SELECT record FROM inbox");
    return row?.record == null ? null : (JSON.parse(row.record) as InboxRecord);
  }

  keepRecord(record: InboxRecord): void {
    this.tables.atOnce(() => this.tables.write("UPDATE inbox SET record = ?", JSON.stringify(record)));
  }

  /** Forgets the ids and the lanes whose time is over. */
  forgetOld(now: number): void {
    if ((this.nextForgottenAt() ?? Infinity) > now) return;
    this.tables.atOnce(() => {
      this.tables.write("DELETE FROM items WHERE ended_at <= ?", now - ID_RETENTION_MS);
      this.tables.write("DELETE FROM lanes WHERE due_at IS NULL AND used_at <= ?", now - PARTITION_RETENTION_MS);
    });
  }

  /** When the next id or lane is to be forgotten; null: there is none. */
  nextForgottenAt(): number | null {
    const endedAt = this.moment("SELECT MIN(ended_at) AS at FROM items WHERE ended_at IS NOT NULL");
    const usedAt = this.moment("SELECT MIN(used_at) AS at FROM lanes WHERE due_at IS NULL");
    const at = Math.min((endedAt ?? Infinity) + ID_RETENTION_MS, (usedAt ?? Infinity) + PARTITION_RETENTION_MS);
    return at === Infinity ? null : at;
  }

  async erase(): Promise<void> {
    this.waitingCount = null;
    await this.tables.erase();
  }

  private countWaiting(change: number): void {
    if (this.waitingCount !== null) this.waitingCount += change;
  }

  private moment(query: string): number | null {
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
