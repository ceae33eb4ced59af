/**
 * The tables of a tenant's object. `docs/storage-schema.md` shows a row of each. The first write creates them, so a key
 * that names an unknown tenant leaves nothing behind.
 */

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS tenant (one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL, erased_at INTEGER);
  CREATE TABLE IF NOT EXISTS keys (hash TEXT PRIMARY KEY, record TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS revoked (key TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS repeats (
    ticket TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, seed TEXT NOT NULL, started_at INTEGER NOT NULL, runner TEXT,
    try_at INTEGER NOT NULL, done_at INTEGER, status INTEGER, headers TEXT
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS repeats_by_age ON repeats (COALESCE(done_at, started_at));
  CREATE TABLE IF NOT EXISTS replies (
    owner TEXT NOT NULL, part INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (owner, part)
  );
  CREATE TABLE IF NOT EXISTS outbox (
    task TEXT PRIMARY KEY, version INTEGER NOT NULL, not_before INTEGER NOT NULL, report TEXT
  );
  CREATE INDEX IF NOT EXISTS outbox_postponed ON outbox (not_before) WHERE not_before > 0;
  CREATE TABLE IF NOT EXISTS reports (
    owner TEXT NOT NULL, part INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (owner, part)
  );
  CREATE TABLE IF NOT EXISTS forgotten (task TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS forgotten_by_age ON forgotten (at);
  CREATE TABLE IF NOT EXISTS tasks (
    task TEXT PRIMARY KEY, version INTEGER NOT NULL, key TEXT, agent TEXT NOT NULL, status TEXT NOT NULL,
    holds_place INTEGER NOT NULL, granted_tokens INTEGER, granted_micros INTEGER,
    used_tokens INTEGER NOT NULL, used_micros INTEGER NOT NULL, tell TEXT,
    summary TEXT, unsettled_day TEXT, unsettled_tokens INTEGER, unsettled_micros INTEGER
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS tasks_with_place ON tasks (task) WHERE holds_place = 1;
  CREATE INDEX IF NOT EXISTS tasks_that_may_run ON tasks (task) WHERE status IN ('queued', 'running', 'sleeping');
  CREATE INDEX IF NOT EXISTS tasks_to_tell ON tasks (task) WHERE tell IS NOT NULL;
  CREATE TABLE IF NOT EXISTS accounts (
    account TEXT PRIMARY KEY, max_tokens INTEGER, max_micros INTEGER, period TEXT,
    used_tokens INTEGER NOT NULL, used_micros INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS spent (
    account TEXT NOT NULL, day TEXT NOT NULL, tokens INTEGER NOT NULL, micros INTEGER NOT NULL,
    PRIMARY KEY (account, day)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS stop (
    by_operator INTEGER PRIMARY KEY CHECK (by_operator IN (0, 1)), stopped_by TEXT NOT NULL, reason TEXT,
    at INTEGER NOT NULL
  );
  CREATE TABLE IF NOT EXISTS storage (sandbox TEXT PRIMARY KEY, bytes INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS stored (one INTEGER PRIMARY KEY CHECK (one = 1), bytes INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS sources (name TEXT PRIMARY KEY, version INTEGER NOT NULL, hash TEXT) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS summaries (task TEXT PRIMARY KEY, due_at INTEGER) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS summaries_due ON summaries (due_at) WHERE due_at IS NOT NULL;
  CREATE TABLE IF NOT EXISTS interests (type TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS notices (
    task TEXT NOT NULL, seq INTEGER NOT NULL, kept_at INTEGER NOT NULL, tries INTEGER NOT NULL,
    not_before INTEGER NOT NULL, notice TEXT NOT NULL, UNIQUE (task, seq)
  );
  CREATE INDEX IF NOT EXISTS notices_due ON notices (not_before);
  CREATE TABLE IF NOT EXISTS sessions (
    hash TEXT PRIMARY KEY, id TEXT NOT NULL, key_hash TEXT NOT NULL, tenant_name TEXT NOT NULL,
    begun_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS links (
    hash TEXT PRIMARY KEY, id TEXT NOT NULL, key_hash TEXT NOT NULL, maker TEXT, made_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL, session_until INTEGER
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS visits (
    hash TEXT PRIMARY KEY, user_agent TEXT NOT NULL, seen_at INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS schedules (schedule TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS reindex (one INTEGER PRIMARY KEY CHECK (one = 1), reindex TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS counter (
    one INTEGER PRIMARY KEY CHECK (one = 1), counter INTEGER NOT NULL, compared_at INTEGER NOT NULL, name TEXT,
    inventory TEXT
  );
  CREATE TABLE IF NOT EXISTS kept_summaries (task TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS retention (
    one INTEGER PRIMARY KEY CHECK (one = 1), retention TEXT NOT NULL, progress TEXT
  );
  CREATE INDEX IF NOT EXISTS tasks_with_due_summary ON tasks (task) WHERE summary = 'due';
  CREATE TABLE IF NOT EXISTS connection_waits (
    task TEXT NOT NULL, wait TEXT NOT NULL, app TEXT NOT NULL, owner TEXT NOT NULL, since INTEGER NOT NULL,
    due_at INTEGER, tries INTEGER NOT NULL, PRIMARY KEY (task, wait)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS connection_waits_of_owner ON connection_waits (app, owner);
  CREATE INDEX IF NOT EXISTS connection_waits_due ON connection_waits (due_at) WHERE due_at IS NOT NULL;
`;

/** Changes what an earlier release created: each once. Its other tables stay readable for that release. */
const ADD_SUMMARY = "ALTER TABLE tasks ADD COLUMN summary TEXT";
const ADD_UNSETTLED = `ALTER TABLE tasks ADD COLUMN unsettled_day TEXT;
  ALTER TABLE tasks ADD COLUMN unsettled_tokens INTEGER; ALTER TABLE tasks ADD COLUMN unsettled_micros INTEGER`;
const DROP_INDEX = "DROP INDEX IF EXISTS outbox_by_time";

/** The first table and the last index of the schema. An object of an earlier release lacks the last one. */
const [FIRST_TABLE, LAST_INDEX] = ["tenant", "connection_waits_due"];

/** Rows are limited to 2 MB, so larger values are stored in parts of this size. */
const PART_BYTES = 1_000_000;

/** Tables of values that may exceed a row: a reply by its ticket, a report by its task. */
export type PartsTable = "replies" | "reports";

/** Reads and writes rows. Every method is synchronous. */
export class TenantTables {
  readonly storage: DurableObjectStorage;
  private readonly objectName: string | undefined;
  private tablesExist: boolean | null = null;
  private erased: boolean | null = null;

  /** `objectName` is the tenant's id; an instance that an alarm started may lack it. */
  constructor(storage: DurableObjectStorage, named: string | undefined) {
    this.storage = storage;
    this.objectName = named;
  }

  /** Returns the tenant's id; null when nothing was stored and the object lacks its name. */
  getTenant(): string | null {
    return this.objectName ?? this.read<{ id: string }>("SELECT id FROM tenant")[0]?.id ?? null;
  }

  /** True once the tenant was erased, permanently. */
  isErased(): boolean {
    this.erased ??= this.read("SELECT 1 FROM tenant WHERE erased_at IS NOT NULL").length > 0;
    return this.erased;
  }

  /** Marks the tenant as erased, permanently. */
  markErased(tenant: string, at: number): void {
    this.write(
      "INSERT INTO tenant VALUES (1, ?, ?) ON CONFLICT (one) DO UPDATE SET erased_at = COALESCE(erased_at, excluded.erased_at)",
      tenant,
      at,
    );
    this.erased = null;
  }

  /** Deletes every row of these tables. */
  clear(...tables: readonly string[]): void {
    for (const table of tables) this.write(`DELETE FROM ${table}`);
  }

  read<Row extends Record<string, SqlStorageValue>>(query: string, ...values: SqlStorageValue[]): Row[] {
    return this.haveTables() ? this.storage.sql.exec<Row>(query, ...values).toArray() : [];
  }

  /** Reads row by row: a caller that stops reads no further one. It must not write meanwhile. */
  each<Row extends Record<string, SqlStorageValue>>(query: string, ...values: SqlStorageValue[]): Iterable<Row> {
    return this.haveTables() ? this.storage.sql.exec<Row>(query, ...values) : [];
  }

  /** Returns the rows of a `RETURNING` clause. */
  write<Row extends Record<string, SqlStorageValue>>(query: string, ...values: SqlStorageValue[]): Row[] {
    if (!this.haveTables()) {
      this.create();
      if (this.objectName !== undefined)
        this.storage.sql.exec("INSERT OR IGNORE INTO tenant (one, id) VALUES (1, ?)", this.objectName);
    }
    return this.storage.sql.exec<Row>(query, ...values).toArray();
  }

  /** Replaces the owner's bytes. */
  putParts(table: PartsTable, owner: string, bytes: Uint8Array): void {
    this.deleteParts(table, owner);
    for (let from = 0; from < bytes.length; from += PART_BYTES) {
      const part = bytes.slice(from, from + PART_BYTES);
      this.write(`INSERT INTO ${table} VALUES (?, ?, ?)`, owner, from / PART_BYTES, part.buffer);
    }
  }

  readParts(table: PartsTable, owner: string): Uint8Array {
    const parts = this.read<{ bytes: ArrayBuffer }>(`SELECT bytes FROM ${table} WHERE owner = ? ORDER BY part`, owner);
    const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.bytes.byteLength, 0));
    let at = 0;
    for (const part of parts) {
      bytes.set(new Uint8Array(part.bytes), at);
      at += part.bytes.byteLength;
    }
    return bytes;
  }

  deleteParts(table: PartsTable, owner: string): void {
    this.write(`DELETE FROM ${table} WHERE owner = ?`, owner);
  }

  /** Checks that the tables exist. Brings those of an earlier release to this one. */
  private haveTables(): boolean {
    if (this.tablesExist === null) {
      const query = "SELECT name FROM sqlite_master WHERE name IN (?, ?)";
      const found = this.storage.sql.exec<{ name: string }>(query, FIRST_TABLE, LAST_INDEX).toArray();
      this.tablesExist = found.length > 0;
      if (found.length === 1) this.create();
    }
    return this.tablesExist;
  }

  private create(): void {
    const { sql } = this.storage;
    this.storage.transactionSync(() => {
      if (this.isColumnMissing("tasks", "summary")) sql.exec(ADD_SUMMARY);
      if (this.isColumnMissing("tasks", "unsettled_day")) sql.exec(ADD_UNSETTLED);
      sql.exec(DROP_INDEX);
      sql.exec(SCHEMA);
    });
    this.tablesExist = true;
  }

  /** True for a table that exists without the column. */
  private isColumnMissing(table: string, column: string): boolean {
    const columns = this.storage.sql.exec<{ name: string }>("SELECT name FROM pragma_table_info(?)", table).toArray();
    return columns.length > 0 && columns.every(({ name }) => name !== column);
  }
}
