/**
 * The tables of a tenant's object: what the two stores above them share. `docs/storage-schema.md` shows a row of each.
 * They are made by the first write, so that a key that names a tenant which does not exist leaves nothing behind.
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
    task TEXT PRIMARY KEY, version INTEGER NOT NULL, not_before INTEGER NOT NULL
  );
  CREATE INDEX IF NOT EXISTS outbox_by_time ON outbox (not_before);
  CREATE TABLE IF NOT EXISTS reports (
    owner TEXT NOT NULL, part INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (owner, part)
  );
  CREATE TABLE IF NOT EXISTS forgotten (task TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS forgotten_by_age ON forgotten (at);
`;

/** A row holds at most 2 MB, so what may be larger is kept in parts of this many bytes. */
const PART_BYTES = 1_000_000;

/** The tables that keep what may be larger than a row: a reply by its ticket, a report by its task. */
export type PartsTable = "replies" | "reports";

/** Reads and writes rows. Every method is one synchronous piece of work. */
export class TenantTables {
  readonly storage: DurableObjectStorage;
  private readonly named: string | undefined;
  private exist: boolean | null = null;

  /** `named` is the tenant's id as the object's own name tells it; an alarm's instance may not know it. */
  constructor(storage: DurableObjectStorage, named: string | undefined) {
    this.storage = storage;
    this.named = named;
  }

  /** The tenant's id; null when nothing was ever stored and the object does not know its name. */
  tenant(): string | null {
    const [row] = this.read<{ id: string }>("SELECT id FROM tenant");
    return row?.id ?? this.named ?? null;
  }

  /** True for good once the tenant was erased. */
  isErased(): boolean {
    return this.read("SELECT 1 FROM tenant WHERE erased_at IS NOT NULL").length > 0;
  }

  read<Row extends Record<string, SqlStorageValue>>(query: string, ...values: SqlStorageValue[]): Row[] {
    return this.areMade() ? this.storage.sql.exec<Row>(query, ...values).toArray() : [];
  }

  write(query: string, ...values: SqlStorageValue[]): void {
    if (!this.areMade()) {
      this.storage.sql.exec(SCHEMA);
      if (this.named !== undefined)
        this.storage.sql.exec("INSERT OR IGNORE INTO tenant (one, id) VALUES (1, ?)", this.named);
      this.exist = true;
    }
    this.storage.sql.exec(query, ...values);
  }

  /** Keeps bytes in place of what the owner had. */
  putParts(table: PartsTable, owner: string, bytes: Uint8Array): void {
    this.deleteParts(table, owner);
    for (let from = 0; from < bytes.length; from += PART_BYTES) {
      const part = bytes.slice(from, from + PART_BYTES);
      this.write(`INSERT INTO ${table} VALUES (?, ?, ?)`, owner, from / PART_BYTES, part.buffer);
    }
  }

  parts(table: PartsTable, owner: string): Uint8Array {
    const parts = this.read<{ bytes: ArrayBuffer }>(`SELECT bytes FROM ${table} WHERE owner = ? ORDER BY part`, owner);
    const whole = new Uint8Array(parts.reduce((sum, { bytes }) => sum + bytes.byteLength, 0));
    let at = 0;
    for (const { bytes } of parts) {
      whole.set(new Uint8Array(bytes), at);
      at += bytes.byteLength;
    }
    return whole;
  }

  deleteParts(table: PartsTable, owner: string): void {
    this.write(`DELETE FROM ${table} WHERE owner = ?`, owner);
  }

  private areMade(): boolean {
    this.exist ??= this.storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'forgotten'").toArray().length > 0;
    return this.exist;
  }
}
