/** Stores a schedule and the ledger of its occurrences. `docs/storage-schema.md` shows rows. */
import type { AuditEntry } from "../../core/ports/audit.ts";
import { isOpen, type Occurrence } from "../../core/schedules/occurrence.ts";
import type { OccurrencePage } from "../../core/schedules/rpc.ts";
import type { ScheduleState } from "../../core/schedules/schedule.ts";
import type { ScheduleNotification } from "../../core/schedules/notifications.ts";
import { Alarm } from "../base/alarm.ts";

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS schedule (
    one INTEGER PRIMARY KEY CHECK (one = 1), state TEXT NOT NULL, report INTEGER NOT NULL, reported INTEGER NOT NULL
  );
  CREATE TABLE IF NOT EXISTS occurrences (
    key TEXT PRIMARY KEY, due INTEGER NOT NULL, is_open INTEGER NOT NULL, task TEXT, occurrence TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS tells (
    id TEXT PRIMARY KEY, tell TEXT NOT NULL, try_at INTEGER NOT NULL, failures INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS acts (id TEXT PRIMARY KEY, act TEXT NOT NULL) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS occurrences_by_due ON occurrences (due, key);
  CREATE INDEX IF NOT EXISTS open_occurrences ON occurrences (due, key) WHERE is_open = 1;
`;

/** The record of a deletion. */
const REMOVAL = "CREATE TABLE removal (one INTEGER PRIMARY KEY CHECK (one = 1), removal TEXT NOT NULL)";
const TABLES = ["schedule", "occurrences", "tells", "acts"];
/** The caller of a deletion deletes the row; after this the object does. */
const REMOVE_ROW_AFTER_MS = 60_000;

/** Limits of the stored ended occurrences. */
const MAX_OCCURRENCES = 1_000;
const RETENTION_MS = 90 * 86_400_000;

interface ScheduleRow extends Record<string, SqlStorageValue> {
  readonly state: string;
  readonly report: number;
  readonly reported: number;
}

/** The schedule, and how much of it Postgres has. */
export interface StoredSchedule {
  readonly state: ScheduleState;
  /** Grows with each change. */
  readonly report: number;
  /** The last report that Postgres accepted. */
  readonly reported: number;
}

/** A deletion: its row, time and audit entry. `act` is null if an earlier release did not store it. */
interface Removal {
  readonly tenant: string;
  readonly id: string;
  readonly at: number;
  readonly act: AuditEntry | null;
}

/** A notification that the channel runner has not accepted yet. */
export interface PendingNotification {
  readonly tell: ScheduleNotification;
  readonly tryAt: number;
  readonly failures: number;
}

/** Reads and writes rows. Every method but `erase` is synchronous. Only `create` creates the tables. */
export class ScheduleStore {
  private readonly storage: DurableObjectStorage;
  private cached: StoredSchedule | null | undefined;
  readonly alarm: Alarm;

  constructor(storage: DurableObjectStorage) {
    this.storage = storage;
    this.alarm = new Alarm(storage);
  }

  load(): StoredSchedule | null {
    if (this.cached === undefined) {
      const [row] = this.hasTable("schedule")
        ? this.readRows<ScheduleRow>("SELECT state, report, reported FROM schedule")
        : [];
      this.cached = row === undefined ? null : { ...row, state: JSON.parse(row.state) as ScheduleState };
    }
    return this.cached;
  }

  create(state: ScheduleState, { report, reported }: Omit<StoredSchedule, "state">): void {
    this.storage.transactionSync(() => {
      this.storage.sql.exec(SCHEMA);
      this.storage.sql.exec(
        "INSERT OR IGNORE INTO schedule VALUES (1, ?, ?, ?)",
        JSON.stringify(state),
        report,
        reported,
      );
    });
    this.cached = undefined;
  }

  /** Stores a decision, its notifications and its audit entry atomically. */
  save(
    { state, occurrences }: { readonly state: ScheduleState; readonly occurrences: readonly Occurrence[] },
    { tells, act = null }: { readonly tells: readonly ScheduleNotification[]; readonly act?: AuditEntry | null },
    now: number,
  ): void {
    this.storage.transactionSync(() => {
      if (act !== null) this.storage.sql.exec("INSERT OR IGNORE INTO acts VALUES (?, ?)", act.id, JSON.stringify(act));
      for (const occurrence of occurrences) this.put(occurrence);
      for (const tell of tells)
        this.storage.sql.exec("INSERT OR IGNORE INTO tells VALUES (?, ?, ?, 0)", tell.id, JSON.stringify(tell), now);
      if (JSON.stringify(this.load()?.state) !== JSON.stringify(state))
        this.storage.sql.exec("UPDATE schedule SET state = ?, report = report + 1", JSON.stringify(state));
    });
    this.cached = undefined;
  }

  put(occurrence: Occurrence): void {
    const { key, due, task } = occurrence;
    const row = [key, due, isOpen(occurrence) ? 1 : 0, task, JSON.stringify(occurrence)];
    this.storage.sql.exec("INSERT OR REPLACE INTO occurrences VALUES (?, ?, ?, ?, ?)", ...row);
  }

  findOccurrence(key: string): Occurrence | null {
    return this.readOccurrences("WHERE key = ?", key)[0] ?? null;
  }

  /** Returns the open occurrence of a task. */
  findOpen(task: string): Occurrence | null {
    return this.readOccurrences("WHERE is_open = 1 AND task = ?", task)[0] ?? null;
  }

  /** Lists the open occurrences in the order in which they are due. */
  listOpen(): readonly Occurrence[] {
    return this.readOccurrences("WHERE is_open = 1 ORDER BY due, key");
  }

  listPage(after: OccurrencePage["next"], limit: number): OccurrencePage {
    const query = "WHERE (due, key) < (?, ?) ORDER BY due DESC, key DESC LIMIT ?";
    const found = this.readOccurrences(query, after?.due ?? Number.MAX_SAFE_INTEGER, after?.key ?? "", limit + 1);
    const occurrences = found.slice(0, limit);
    const last = occurrences.at(-1);
    return { occurrences, next: found.length > limit && last !== undefined ? { due: last.due, key: last.key } : null };
  }

  /** Lists the pending notifications, the next due first. */
  listNotifications(): readonly PendingNotification[] {
    return this.readRows<{ tell: string; tryAt: number; failures: number }>(
      "SELECT tell, try_at AS tryAt, failures FROM tells ORDER BY try_at, id",
    ).map(({ tell, tryAt, failures }) => ({ tell: JSON.parse(tell) as ScheduleNotification, tryAt, failures }));
  }

  postponeNotification(id: string, tryAt: number): void {
    this.storage.sql.exec("UPDATE tells SET try_at = ?, failures = failures + 1 WHERE id = ?", tryAt, id);
  }

  deleteNotification(id: string): void {
    this.storage.sql.exec("DELETE FROM tells WHERE id = ?", id);
  }

  /** Lists the audit entries that the audit log has not accepted yet, in order. */
  listActs(): readonly AuditEntry[] {
    return this.readRows<{ act: string }>("SELECT act FROM acts ORDER BY id").map(
      ({ act }) => JSON.parse(act) as AuditEntry,
    );
  }

  deleteAct(id: string): void {
    this.storage.sql.exec("DELETE FROM acts WHERE id = ?", id);
  }

  /** Deletes the oldest ended occurrences. */
  prune(now: number): void {
    const kept = `SELECT key FROM occurrences WHERE is_open = 0 AND due >= ? ORDER BY due DESC, key DESC LIMIT ?`;
    const query = `DELETE FROM occurrences WHERE is_open = 0 AND key NOT IN (${kept})`;
    this.storage.sql.exec(query, now - RETENTION_MS, MAX_OCCURRENCES);
  }

  /** Requires another report, even if the current version was reported. */
  requireReport(): void {
    this.storage.sql.exec("UPDATE schedule SET report = report + 1");
    this.cached = undefined;
  }

  markReported(report: number): void {
    this.storage.sql.exec("UPDATE schedule SET reported = max(reported, ?)", report);
    this.cached = undefined;
  }

  /** Null unless the schedule was deleted. */
  findRemoval(): Removal | null {
    const [row] = this.hasTable("removal") ? this.readRows<{ removal: string }>("SELECT removal FROM removal") : [];
    return row === undefined ? null : (JSON.parse(row.removal) as Removal);
  }

  /** Deletes everything but the record of the deletion, atomically. */
  remove(removal: Removal): void {
    this.storage.transactionSync(() => {
      for (const table of TABLES) this.storage.sql.exec(`DROP TABLE ${table}`);
      this.storage.sql.exec(REMOVAL);
      this.storage.sql.exec("INSERT INTO removal VALUES (1, ?)", JSON.stringify(removal));
    });
    this.cached = null;
    this.armForRemoval(removal.at + REMOVE_ROW_AFTER_MS);
  }

  armForRemoval(at: number): void {
    this.alarm.set(at);
  }

  async erase(): Promise<void> {
    this.cached = null;
    this.alarm.set(null);
    await this.storage.deleteAll();
  }

  private readOccurrences(rest: string, ...values: SqlStorageValue[]): Occurrence[] {
    const rows = this.readRows<{ occurrence: string }>(`SELECT occurrence FROM occurrences ${rest}`, ...values);
    return rows.map(({ occurrence }) => JSON.parse(occurrence) as Occurrence);
  }

  private readRows<Row extends Record<string, SqlStorageValue>>(query: string, ...values: SqlStorageValue[]): Row[] {
    return this.storage.sql.exec<Row>(query, ...values).toArray();
  }

  private hasTable(name: string): boolean {
    return this.readRows("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", name).length > 0;
  }
}
