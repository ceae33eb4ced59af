/** The tables of an inbox's object. They are made by the first write; an inbox that took nothing has none. */

/**
 * `items` keeps the order of arrival by `seq`; the body of one that is over is dropped, but for a dead one. A lane's `due_at`
 * is when the first of its waiting items is tried; null: none waits. `used_at` of a lane whose first item came to nothing
 * before is negative. A lane that knows nothing is kept only while an item of it waits. `lanes` gets no further column: an
 * earlier release, which may go on with what this one wrote, names none when it adds a row.
 */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS items (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, lane TEXT NOT NULL, kind TEXT NOT NULL, body TEXT,
    received_at INTEGER NOT NULL, taken_at INTEGER NOT NULL, attempts INTEGER NOT NULL, state TEXT NOT NULL, note TEXT,
    ended_at INTEGER, failures INTEGER NOT NULL DEFAULT 0, head TEXT
  );
  CREATE INDEX IF NOT EXISTS items_waiting ON items (lane, seq) WHERE state = 'waiting';
  CREATE INDEX IF NOT EXISTS items_by_end ON items (ended_at) WHERE ended_at IS NOT NULL;
  CREATE TABLE IF NOT EXISTS lanes (
    lane TEXT PRIMARY KEY, knows TEXT, due_at INTEGER, used_at INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS lanes_due ON lanes (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX IF NOT EXISTS lanes_by_use ON lanes (used_at) WHERE due_at IS NULL;
  CREATE TABLE IF NOT EXISTS inbox (one INTEGER PRIMARY KEY CHECK (one = 1), name TEXT NOT NULL, record TEXT);
  CREATE INDEX IF NOT EXISTS lanes_new ON lanes (due_at) WHERE due_at IS NOT NULL AND used_at >= 0;
  CREATE INDEX IF NOT EXISTS lanes_tried ON lanes (due_at) WHERE due_at IS NOT NULL AND used_at < 0;
  CREATE INDEX IF NOT EXISTS items_dead ON items (seq) WHERE state = 'dead';
`;

/** What an inbox of the release before failures were counted has to be given. */
const ADD_FAILURES = `
  ALTER TABLE items ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE items ADD COLUMN head TEXT;
`;

/** The first part of the schema and the last one. An inbox of an earlier release has the first alone. */
const [FIRST_PART, LAST_PART] = ["items", "items_dead"];

/** Reads and writes rows. Every method but `erase` is one synchronous piece of work. */
export class InboxTables {
  private readonly storage: DurableObjectStorage;
  private readonly named: string | undefined;
  private exist: boolean | null = null;

  /** `named` is the inbox's name as the object's own tells it; an alarm's instance may not know it. */
  constructor(storage: DurableObjectStorage, named: string | undefined) {
    this.storage = storage;
    this.named = named;
  }

  /** Null: nothing was ever stored, and the object does not know its name. */
  name(): string | null {
    return this.named ?? this.read<{ name: string }>("SELECT name FROM inbox")[0]?.name ?? null;
  }

  read<Row extends Record<string, SqlStorageValue>>(query: string, ...values: SqlStorageValue[]): Row[] {
    return this.areMade() ? this.storage.sql.exec<Row>(query, ...values).toArray() : [];
  }

  /** Runs a change, whole or not at all; there are tables when it begins. */
  atOnce(change: () => void): void {
    this.storage.transactionSync(() => {
      if (!this.areMade()) this.make();
      change();
    });
  }

  /** Only inside a change. Gives the rows of a `RETURNING`. */
  write<Row extends Record<string, SqlStorageValue>>(query: string, ...values: SqlStorageValue[]): Row[] {
    return this.storage.sql.exec<Row>(query, ...values).toArray();
  }

  async erase(): Promise<void> {
    this.exist = null;
    await this.storage.deleteAll();
  }

  private areMade(): boolean {
    this.exist ??= this.look();
    return this.exist;
  }

  /** Whether there are tables. Those of an earlier release become those of this one. */
  private look(): boolean {
    const parts = this.storage.sql
      .exec("SELECT 1 FROM sqlite_master WHERE name IN (?, ?)", FIRST_PART, LAST_PART)
      .toArray().length;
    if (parts === 1) this.storage.transactionSync(() => this.storage.sql.exec(ADD_FAILURES + SCHEMA));
    return parts > 0;
  }

  private make(): void {
    if (this.named === undefined) throw new Error("an inbox is asked by its name");
    this.storage.sql.exec(SCHEMA);
    this.storage.sql.exec("INSERT INTO inbox VALUES (1, ?, NULL)", this.named);
    this.exist = true;
  }
}
