/** The tables of an outbox's object. The first write creates them; an empty outbox has none. */

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS deliveries (
    id TEXT PRIMARY KEY, place INTEGER NOT NULL, lane TEXT NOT NULL, kind TEXT NOT NULL, slot TEXT, about TEXT,
    not_before INTEGER NOT NULL, due_at INTEGER NOT NULL, state TEXT NOT NULL, may_have_left INTEGER NOT NULL,
    ended_at INTEGER, version INTEGER NOT NULL, tell_at INTEGER, queued TEXT NOT NULL, delivery TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS deliveries_by_place ON deliveries (place);
  CREATE INDEX IF NOT EXISTS deliveries_by_lane ON deliveries (lane, place, not_before, due_at, kind)
    WHERE state = 'waiting' AND lane <> id;
  CREATE INDEX IF NOT EXISTS deliveries_alone ON deliveries (due_at, place) WHERE state = 'waiting' AND lane = id;
  CREATE INDEX IF NOT EXISTS deliveries_due ON deliveries (due_at) WHERE state = 'waiting';
  CREATE INDEX IF NOT EXISTS deliveries_sending ON deliveries (lane) WHERE state = 'sending';
  CREATE INDEX IF NOT EXISTS deliveries_by_about ON deliveries (about) WHERE about IS NOT NULL;
  CREATE INDEX IF NOT EXISTS deliveries_to_tell ON deliveries (tell_at) WHERE tell_at IS NOT NULL;
  CREATE INDEX IF NOT EXISTS deliveries_by_end ON deliveries (ended_at) WHERE ended_at IS NOT NULL;
  CREATE INDEX IF NOT EXISTS progress_by_end ON deliveries (ended_at) WHERE ended_at IS NOT NULL AND kind = 'progress';
  CREATE INDEX IF NOT EXISTS bodies_to_empty ON deliveries (ended_at)
    WHERE kind = 'event' AND state = 'sent' AND instr(delivery, '"content":{}') = 0;
  CREATE TABLE IF NOT EXISTS attempts (
    delivery TEXT NOT NULL, number INTEGER NOT NULL, at INTEGER NOT NULL, ended_at INTEGER, outcome TEXT, why TEXT,
    PRIMARY KEY (delivery, number)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS stand_ins (
    number INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL, handed_at INTEGER, delivery TEXT NOT NULL
  );
  CREATE INDEX IF NOT EXISTS stand_ins_of ON stand_ins (owner);
  CREATE INDEX IF NOT EXISTS stand_ins_handed ON stand_ins (number) WHERE handed_at IS NOT NULL;
  CREATE TABLE IF NOT EXISTS refs (name TEXT PRIMARY KEY, value TEXT NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS questions_by_channel ON refs (value ->> 'channel', at) WHERE substr(name, 1, 4) = 'qst_';
  CREATE TABLE IF NOT EXISTS called_off (about TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS pause (one INTEGER PRIMARY KEY CHECK (one = 1), until INTEGER NOT NULL);
`;

/** The first part of the schema and the latest one. An outbox of an earlier release has only the first. */
const [FIRST_PART, LATEST_PART] = ["deliveries", "questions_by_channel"];
const TABLES = ["deliveries", "attempts", "stand_ins", "refs", "called_off", "pause"];

/** The values that SQLite stores. */
export type SqlValue = string | number | null | ArrayBuffer;

/** The part of an object's storage that is used. */
export interface OutboxStorage {
  readonly sql: {
    exec<Row extends Record<string, SqlValue>>(query: string, ...values: SqlValue[]): { toArray(): Row[] };
  };
  transactionSync<T>(work: () => T): T;
}

/** Reads and writes rows. Every method is synchronous. */
export class OutboxTables {
  private readonly storage: OutboxStorage;
  private knownToExist: boolean | null = null;

  constructor(storage: OutboxStorage) {
    this.storage = storage;
  }

  read<Row extends Record<string, SqlValue>>(query: string, ...values: SqlValue[]): Row[] {
    return this.haveTables() ? this.storage.sql.exec<Row>(query, ...values).toArray() : [];
  }

  /** Returns the rows of a `RETURNING` clause. */
  write<Row extends Record<string, SqlValue>>(query: string, ...values: SqlValue[]): Row[] {
    if (!this.haveTables()) {
      this.storage.sql.exec(SCHEMA);
      this.knownToExist = true;
    }
    return this.storage.sql.exec<Row>(query, ...values).toArray();
  }

  /** Runs changes atomically. */
  change<T>(work: () => T): T {
    return this.storage.transactionSync(work);
  }

  clear(): void {
    if (this.haveTables()) for (const table of TABLES) this.write(`DELETE FROM ${table}`);
  }

  /** Forgets that tables exist after the storage was emptied; the next write creates them. */
  invalidate(): void {
    this.knownToExist = null;
  }

  private haveTables(): boolean {
    this.knownToExist ??= this.checkTables();
    return this.knownToExist;
  }

  /** Checks that the tables exist. Upgrades those of an earlier release. */
  private checkTables(): boolean {
    const query = "SELECT 1 AS one FROM sqlite_master WHERE name IN (?, ?)";
    const parts = this.storage.sql.exec(query, FIRST_PART, LATEST_PART).toArray().length;
    if (parts === 1) this.storage.sql.exec(SCHEMA);
    return parts > 0;
  }
}
