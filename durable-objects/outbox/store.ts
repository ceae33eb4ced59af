/**
 * Stores an outbox: deliveries, their outcomes, and replies of channels. A partition is a `lane` in rows, a fallback a
 * `stand_in`.
 */
import type {
  DeliveryPlace,
  Delivery,
  DeliveryAttempt,
  DeliveryDetails,
  DeliveryReport,
} from "../../core/channels/outbox/delivery.ts";
import type { OutboxStore } from "../../core/channels/outbox/queue.ts";
import { type Outcome, type QueuedDelivery, toReport } from "../../core/channels/outbox/rules.ts";
import type { JsonState } from "../../core/tool/tool.ts";
import type { OutboxTables, SqlValue } from "./tables.ts";

/** A fallback has to fit a row, together with its own fallbacks. */
const MAX_FALLBACK_CHARACTERS = 600_000;
/** Stored attempts of one delivery: the latest. */
const MAX_ATTEMPTS = 100;

/** A report that Postgres has not received yet, and the version of its row. */
export interface UnsentReport {
  readonly report: DeliveryReport;
  readonly version: number;
}

/** A fallback that is due in its outbox. */
export interface Fallback {
  readonly number: number;
  readonly delivery: Delivery;
}

/** Reads and writes rows. Every method is synchronous. */
export class DeliveryStore implements OutboxStore {
  private readonly tables: OutboxTables;
  private readonly clock: () => number;

  constructor(tables: OutboxTables, clock: () => number) {
    this.tables = tables;
    this.clock = clock;
  }

  row(id: string): QueuedDelivery | null {
    return this.readOne("SELECT queued FROM deliveries WHERE id = ?", id);
  }

  add(row: QueuedDelivery, { otherwise, ...delivery }: Delivery, inPlaceOf: string | null): void {
    const own = { ...delivery, otherwise: [] } satisfies Delivery;
    this.tables.write(
      `INSERT INTO deliveries SELECT ?1, COALESCE((SELECT place FROM deliveries WHERE id = ?2),
        (SELECT COALESCE(MAX(place), 0) + 1 FROM deliveries)), ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 1, ?12, ?13, ?14`,
      row.id,
      inPlaceOf,
      row.lane,
      row.kind,
      row.slot,
      row.about,
      row.notBefore,
      row.dueAt,
      row.state,
      row.mayHaveLeft ? 1 : 0,
      row.endedAt,
      this.clock(),
      JSON.stringify(row),
      JSON.stringify(own),
    );
    for (const other of otherwise) this.addFallback(row.id, other);
  }

  save(row: QueuedDelivery): void {
    this.tables.write(
      `UPDATE deliveries SET due_at = ?2, state = ?3, may_have_left = ?4, ended_at = ?5, version = version + 1,
        tell_at = ?6, queued = ?7, not_before = ?8 WHERE id = ?1`,
      row.id,
      row.dueAt,
      row.state,
      row.mayHaveLeft ? 1 : 0,
      row.endedAt,
      this.clock(),
      JSON.stringify(row),
      row.notBefore,
    );
  }

  findInSlot(lane: string, slot: string): QueuedDelivery | null {
    return this.readOne(
      `SELECT queued FROM deliveries WHERE lane = ? AND slot = ? AND state = 'waiting' AND may_have_left = 0
        ORDER BY place DESC LIMIT 1`,
      lane,
      slot,
    );
  }

  listWaiting(about: string): readonly QueuedDelivery[] {
    return this.readAll("SELECT queued FROM deliveries WHERE about = ? AND state = 'waiting'", about);
  }

  /** Lists the destinations of deliveries about this, except dead and cancelled ones and settlement notices. */
  placesOf(about: string): readonly DeliveryPlace[] {
    const query = `SELECT queued FROM deliveries WHERE about = ? AND kind <> 'settled'
      AND state NOT IN ('dead', 'called_off') ORDER BY place`;
    return this.readAll(query, about).map(({ channel, to, keepAs }) => ({ channel, to, keepAs }));
  }

  listSending(): readonly QueuedDelivery[] {
    return this.readAll("SELECT queued FROM deliveries WHERE state = 'sending'");
  }

  nextDue(now: number): QueuedDelivery | null {
    // A delivery in a partition of its own waits for no other, and there may be many: take the longest due one. In
    // every other partition without a running attempt, take the first whose time has come; SQLite returns the row of
    // MIN.
    return this.readOne(
      `SELECT queued FROM deliveries WHERE id = (SELECT id FROM (
        SELECT * FROM (
          SELECT place, id FROM deliveries WHERE state = 'waiting' AND lane = id AND due_at <= ?1
            ORDER BY due_at, place LIMIT 1
        ) UNION ALL SELECT place, id FROM (
          SELECT MIN(place) AS place, due_at, id FROM deliveries
            WHERE state = 'waiting' AND lane <> id AND not_before <= ?1 AND (kind <> 'event' OR due_at <= ?1)
              AND lane NOT IN (SELECT lane FROM deliveries WHERE state = 'sending') GROUP BY lane
        ) WHERE due_at <= ?1
      ) ORDER BY place LIMIT 1)`,
      now,
    );
  }

  nextDueAt(now: number): number | null {
    const query = "SELECT MIN(due_at) AS at FROM deliveries WHERE state = 'waiting' AND due_at > ?";
    return this.tables.read<{ at: number | null }>(query, now)[0]?.at ?? null;
  }

  delivery(id: string): Delivery {
    const [row] = this.tables.read<{ delivery: string }>("SELECT delivery FROM deliveries WHERE id = ?", id);
    if (row === undefined) throw new Error(`there is no delivery ${id}`);
    return JSON.parse(row.delivery) as Delivery;
  }

  recordStart(id: string, attempt: number, at: number): void {
    this.tables.write("INSERT OR IGNORE INTO attempts VALUES (?, ?, ?, NULL, NULL, NULL)", id, attempt, at);
    this.tables.write("DELETE FROM attempts WHERE delivery = ? AND number <= ?", id, attempt - MAX_ATTEMPTS);
  }

  recordEnd(id: string, attempt: number, at: number, outcome: Outcome["kind"], why: string | null): void {
    const query = "UPDATE attempts SET ended_at = ?3, outcome = ?4, why = ?5 WHERE delivery = ?1 AND number = ?2";
    this.tables.write(query, id, attempt, at, outcome, why);
  }

  saveRef(name: string, value: JsonState, at: number): void {
    this.tables.write("INSERT OR REPLACE INTO refs VALUES (?, ?, ?)", name, JSON.stringify(value), at);
  }

  refs(names: readonly string[]): Readonly<Record<string, JsonState>> {
    if (names.length === 0) return {};
    const query = "SELECT name, value FROM refs WHERE name IN (SELECT value FROM json_each(?))";
    const rows = this.tables.read<{ name: string; value: string }>(query, JSON.stringify(names));
    return Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value) as JsonState]));
  }

  recordCancellation(about: string, at: number): void {
    this.tables.write("INSERT OR REPLACE INTO called_off VALUES (?, ?)", about, at);
  }

  cancelledAt(about: string): number | null {
    const [row] = this.tables.read<{ at: number }>("SELECT at FROM called_off WHERE about = ?", about);
    return row?.at ?? null;
  }

  pausedUntil(): number {
    return this.tables.read<{ until: number }>("SELECT until FROM pause")[0]?.until ?? 0;
  }

  pause(until: number): void {
    this.tables.write("INSERT OR REPLACE INTO pause VALUES (1, ?)", until);
  }

  sendFallbacks(id: string): void {
    this.tables.write("UPDATE stand_ins SET handed_at = ? WHERE owner = ?", this.clock(), id);
  }

  /** Lists the fallbacks that are due in their outboxes, in order. */
  listFallbacks(limit: number): readonly Fallback[] {
    const query = "SELECT number, delivery FROM stand_ins WHERE handed_at IS NOT NULL ORDER BY number LIMIT ?";
    return this.tables
      .read<{ number: number; delivery: string }>(query, limit)
      .map(({ number, delivery }) => ({ number, delivery: JSON.parse(delivery) as Delivery }));
  }

  /** Deletes a fallback that its outbox has stored. */
  deleteFallback(number: number): void {
    this.tables.write("DELETE FROM stand_ins WHERE number = ?", number);
  }

  /** Reads the reports that Postgres has not received yet. */
  readUnsent(now: number, limit: number): readonly UnsentReport[] {
    const query = "SELECT queued, version FROM deliveries WHERE tell_at <= ? ORDER BY tell_at LIMIT ?";
    return this.tables
      .read<{ queued: string; version: number }>(query, now, limit)
      .map(({ queued, version }) => ({ report: toReport(JSON.parse(queued) as QueuedDelivery, version), version }));
  }

  /** Returns when the next report can be sent; null when all are sent. */
  nextUnsentAt(): number | null {
    return this.tables.read<{ at: number | null }>("SELECT MIN(tell_at) AS at FROM deliveries")[0]?.at ?? null;
  }

  /** Marks reports as sent; one that changed meanwhile stays. */
  markSent(reports: readonly UnsentReport[]): void {
    const rows = JSON.stringify(reports.map(({ report, version }) => [report.id, version]));
    const query = `UPDATE deliveries SET tell_at = NULL
      WHERE (id, version) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?))`;
    this.tables.write(query, rows);
  }

  /** Postpones a report that Postgres refused. The others are sent. */
  postpone({ report, version }: UnsentReport, until: number): void {
    this.tables.write("UPDATE deliveries SET tell_at = ? WHERE id = ? AND version = ?", until, report.id, version);
  }

  /** Returns a delivery with its attempts; null if it is unknown. */
  look(id: string): DeliveryDetails | null {
    const query = "SELECT queued, version FROM deliveries WHERE id = ?";
    const [row] = this.tables.read<{ queued: string; version: number }>(query, id);
    if (row === undefined) return null;
    const report = toReport(JSON.parse(row.queued) as QueuedDelivery, row.version);
    return { report, content: this.delivery(id).content, attempts: this.readAttempts(id) };
  }

  private readAttempts(id: string): readonly DeliveryAttempt[] {
    return this.tables
      .read<StoredAttempt>("SELECT * FROM attempts WHERE delivery = ? ORDER BY number", id)
      .map(({ number, at, ended_at: endedAt, outcome, why }) => ({
        number,
        at,
        endedAt,
        why,
        outcome: outcome as Outcome["kind"] | null,
      }));
  }

  private addFallback(owner: string, delivery: Delivery): void {
    const json = JSON.stringify(delivery);
    if (json.length > MAX_FALLBACK_CHARACTERS) console.error("a fallback is too large to be stored", owner);
    else this.tables.write("INSERT INTO stand_ins (owner, handed_at, delivery) VALUES (?, NULL, ?)", owner, json);
  }

  private readOne(query: string, ...values: SqlValue[]): QueuedDelivery | null {
    return this.readAll(query, ...values)[0] ?? null;
  }

  private readAll(query: string, ...values: SqlValue[]): QueuedDelivery[] {
    return this.tables
      .read<{ queued: string }>(query, ...values)
      .map(({ queued }) => JSON.parse(queued) as QueuedDelivery);
  }
}

interface StoredAttempt extends Record<string, SqlValue> {
  readonly number: number;
  readonly at: number;
  readonly ended_at: number | null;
  readonly outcome: string | null;
  readonly why: string | null;
}

/**
 * Lists dead and unknown deliveries that can be sent and were created at `since` or later, in order, and counts those
 * beyond `limit`.
 */
export function listFailedSince(
  tables: OutboxTables,
  since: number,
  limit: number,
): { readonly ids: readonly string[]; readonly left: number } {
  const failed = `FROM deliveries WHERE state IN ('dead', 'unknown') AND json_extract(queued, '$.createdAt') >= ?
    AND json_extract(delivery, '$.refused') IS NULL`;
  const rows = tables.read<{ id: string }>(`SELECT id ${failed} ORDER BY place LIMIT ?`, since, limit);
  const [all] = tables.read<{ count: number }>(`SELECT COUNT(*) AS count ${failed}`, since);
  return { ids: rows.map(({ id }) => id), left: (all?.count ?? 0) - rows.length };
}
