/** What a schedule's object keeps: the schedule, and the ledger of its occurrences. `docs/storage-schema.md` shows rows. */
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

/** What is left of one that was deleted. */
const REMOVAL = "CREATE TABLE removal (one INTEGER PRIMARY KEY CHECK (one = 1), removal TEXT NOT NULL)";
const TABLES = ["schedule", "occurrences", "tells", "acts"];
/** The caller of a deletion removes the row; after this the object does. */
const REMOVE_ROW_AFTER_MS = 60_000;

/** The ledger keeps so many occurrences that are over, for so long. */
const KEPT_OCCURRENCES = 1_000;
const KEPT_MS = 90 * 86_400_000;

interface ScheduleRow extends Record<string, SqlStorageValue> {
  readonly state: string;
  readonly report: number;
  readonly reported: number;
}

/** The schedule, and how much of it Postgres knows. */
export interface StoredSchedule {
  readonly state: ScheduleState;
  /** Grows with each change. */
  readonly report: number;
  /** What Postgres took last. */
  readonly reported: number;
}

/** A deletion: of which row, when, and by whom; `act` is null where an earlier release did not say. */
interface Removal {
  readonly tenant: string;
  readonly id: string;
  readonly at: number;
  readonly act: AuditEntry | null;
}

/** A message that the runner of channels did not take yet. */
export interface WaitingTell {
  readonly tell: ScheduleNotification;
  readonly tryAt: number;
  readonly failures: number;
}

/** Reads and writes rows. Every method but `erase` is one synchronous piece of work. Only `create` makes the tables. */
export class ScheduleStore {
  private readonly storage: DurableObjectStorage;
  private cached: StoredSchedule | null | undefined;
  /** The object's one alarm. */
  readonly alarm: Alarm;

  constructor(storage: DurableObjectStorage) {
    this.storage = storage;
    this.alarm = new Alarm(storage);
  }

  load(): StoredSchedule | null {
    if (this.cached === undefined) {
      const [row] = this.hasTable("schedule")
        ? this.rows<ScheduleRow>("SELECT state, report, reported FROM schedule")
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

  /** Keeps what was decided, what people are to be told of it and who did it, all or nothing. */
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

  occurrence(key: string): Occurrence | null {
    return this.occurrences("WHERE key = ?", key)[0] ?? null;
  }

  /** The open one whose task this is. */
  openOf(task: string): Occurrence | null {
    return this.occurrences("WHERE is_open = 1 AND task = ?", task)[0] ?? null;
  }

  /** Those that are not over, in the order in which they were due. */
  open(): readonly Occurrence[] {
    return this.occurrences("WHERE is_open = 1 ORDER BY due, key");
  }

  page(after: OccurrencePage["next"], limit: number): OccurrencePage {
    const query = "WHERE (due, key) < (?, ?) ORDER BY due DESC, key DESC LIMIT ?";
    const found = this.occurrences(query, after?.due ?? Number.MAX_SAFE_INTEGER, after?.key ?? "", limit + 1);
    const occurrences = found.slice(0, limit);
    const last = occurrences.at(-1);
    return { occurrences, next: found.length > limit && last !== undefined ? { due: last.due, key: last.key } : null };
  }

  /** What is still to be told, the first to be tried first. */
  tells(): readonly WaitingTell[] {
    return this.rows<{ tell: string; tryAt: number; failures: number }>(
      "SELECT tell, try_at AS tryAt, failures FROM tells ORDER BY try_at, id",
    ).map(({ tell, tryAt, failures }) => ({ tell: JSON.parse(tell) as ScheduleNotification, tryAt, failures }));
  }

  tellLater(id: string, tryAt: number): void {
    this.storage.sql.exec("UPDATE tells SET try_at = ?, failures = failures + 1 WHERE id = ?", tryAt, id);
  }

  dropTell(id: string): void {
    this.storage.sql.exec("DELETE FROM tells WHERE id = ?", id);
  }

  /** What administrators did that the audit log did not take yet, the first first. */
  acts(): readonly AuditEntry[] {
    return this.rows<{ act: string }>("SELECT act FROM acts ORDER BY id").map(
      ({ act }) => JSON.parse(act) as AuditEntry,
    );
  }

  dropAct(id: string): void {
    this.storage.sql.exec("DELETE FROM acts WHERE id = ?", id);
  }

  /** Forgets the oldest occurrences that are over. */
  prune(now: number): void {
    const kept = `SELECT key FROM occurrences WHERE is_open = 0 AND due >= ? ORDER BY due DESC, key DESC LIMIT ?`;
    const query = `DELETE FROM occurrences WHERE is_open = 0 AND key NOT IN (${kept})`;
    this.storage.sql.exec(query, now - KEPT_MS, KEPT_OCCURRENCES);
  }

  /** Postgres is to be told anew, whatever it was told. */
  doubtReport(): void {
    this.storage.sql.exec("UPDATE schedule SET report = report + 1");
    this.cached = undefined;
  }

  markReported(report: number): void {
    this.storage.sql.exec("UPDATE schedule SET reported = max(reported, ?)", report);
    this.cached = undefined;
  }

  /** Null for one that was not deleted. */
  removal(): Removal | null {
    const [row] = this.hasTable("removal") ? this.rows<{ removal: string }>("SELECT removal FROM removal") : [];
    return row === undefined ? null : (JSON.parse(row.removal) as Removal);
  }

  /** Forgets everything but the deletion, all or nothing. */
  remove(removal: Removal): void {
    this.storage.transactionSync(() => {
      for (const table of TABLES) this.storage.sql.exec(`DROP TABLE ${table}`);
      this.storage.sql.exec(REMOVAL);
      this.storage.sql.exec("INSERT INTO removal VALUES (1, ?)", JSON.stringify(removal));
    });
    this.cached = null;
    this.wakeRemoved(removal.at + REMOVE_ROW_AFTER_MS);
  }

  wakeRemoved(at: number): void {
    this.alarm.set(at);
  }

  async erase(): Promise<void> {
    this.cached = null;
    this.alarm.set(null);
    await this.storage.deleteAll();
  }

  private occurrences(rest: string, ...values: SqlStorageValue[]): Occurrence[] {
    const rows = this.rows<{ occurrence: string }>(`SELECT occurrence FROM occurrences ${rest}`, ...values);
    return rows.map(({ occurrence }) => JSON.parse(occurrence) as Occurrence);
  }

  private rows<Row extends Record<string, SqlStorageValue>>(query: string, ...values: SqlStorageValue[]): Row[] {
    return this.storage.sql.exec<Row>(query, ...values).toArray();
  }

  private hasTable(name: string): boolean {
    return this.rows("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", name).length > 0;
  }
}
