/** The tables of an inbox's object. The first write creates them; an inbox without items has none. */

/**
 * `items` stores the order of arrival in `seq`; the body of an ended item is dropped, except of a dead letter. A
 * partition's (`lane`'s) `due_at` is when its first waiting item is tried; null without one. `used_at` is negative
 * while the first item is a retry. A partition without state is stored only while an item waits. `lanes` must not get
 * another column: an earlier release may continue with these rows, and names no columns when it inserts.
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

/** Upgrades an inbox of the release before failures were counted. */
const ADD_FAILURES = `
  ALTER TABLE items ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE items ADD COLUMN head TEXT;
`;

/** The first and the last part of the schema. An inbox of an earlier release has only the first. */
const [FIRST_PART, LAST_PART] = ["items", "items_dead"];

/** Reads and writes rows. Every method but `erase` is synchronous. */
export class InboxTables {
  private readonly storage: DurableObjectStorage;
  private readonly objectName: string | undefined;
  private knownToExist: boolean | null = null;

  /** `objectName` is the inbox's name; an instance that an alarm started may lack it. */
  constructor(storage: DurableObjectStorage, objectName: string | undefined) {
    this.storage = storage;
    this.objectName = objectName;
  }

  /** Null when nothing was stored and the object lacks its name. */
  getName(): string | null {
    return this.objectName ?? this.read<{ name: string }>("SELECT name FROM inbox")[0]?.name ?? null;
  }

  read<Row extends Record<string, SqlStorageValue>>(query: string, ...values: SqlStorageValue[]): Row[] {
    return this.haveTables() ? this.storage.sql.exec<Row>(query, ...values).toArray() : [];
  }

  /** Runs a change atomically, after the tables were created. */
  change(change: () => void): void {
    this.storage.transactionSync(() => {
      if (!this.haveTables()) this.create();
      change();
    });
  }

  /** Allowed only inside a change. Returns the rows of a `RETURNING` clause. */
  write<Row extends Record<string, SqlStorageValue>>(query: string, ...values: SqlStorageValue[]): Row[] {
    return this.storage.sql.exec<Row>(query, ...values).toArray();
  }

  async erase(): Promise<void> {
    this.knownToExist = null;
    await this.storage.deleteAll();
  }

  private haveTables(): boolean {
    this.knownToExist ??= this.checkTables();
    return this.knownToExist;
  }

  /** Checks that the tables exist. Upgrades those of an earlier release. */
  private checkTables(): boolean {
    const parts = this.storage.sql
      .exec("SELECT 1 FROM sqlite_master WHERE name IN (?, ?)", FIRST_PART, LAST_PART)
      .toArray().length;
    if (parts === 1) this.storage.transactionSync(() => this.storage.sql.exec(ADD_FAILURES + SCHEMA));
    return parts > 0;
  }

  private create(): void {
    if (this.objectName === undefined) throw new Error("an inbox needs a name");
    this.storage.sql.exec(SCHEMA);
    this.storage.sql.exec("INSERT INTO inbox VALUES (1, ?, NULL)", this.objectName);
    this.knownToExist = true;
  }
}
