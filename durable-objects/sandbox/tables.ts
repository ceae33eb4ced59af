/** The tables of a sandbox's object. The first write creates them; an empty sandbox has none. */

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS files (
    path TEXT PRIMARY KEY, hash TEXT NOT NULL, size INTEGER NOT NULL, content_type TEXT NOT NULL,
    modified_at INTEGER NOT NULL, version INTEGER NOT NULL, mode INTEGER NOT NULL DEFAULT 420, label INTEGER NOT NULL DEFAULT 3,
    is_uploaded INTEGER NOT NULL DEFAULT 0
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS versions (
    path TEXT NOT NULL, version INTEGER NOT NULL, hash TEXT NOT NULL, size INTEGER NOT NULL, content_type TEXT NOT NULL,
    modified_at INTEGER NOT NULL, mode INTEGER NOT NULL DEFAULT 420, label INTEGER NOT NULL DEFAULT 3,
    is_uploaded INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (path, version)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS writes (key TEXT PRIMARY KEY, entry TEXT NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS writes_by_age ON writes (at);
  CREATE INDEX IF NOT EXISTS files_by_hash ON files (hash);
  CREATE INDEX IF NOT EXISTS versions_by_hash ON versions (hash);
  CREATE TABLE IF NOT EXISTS totals (id INTEGER PRIMARY KEY CHECK (id = 1), files INTEGER NOT NULL, bytes INTEGER NOT NULL);
  INSERT OR IGNORE INTO totals VALUES (1, 0, 0);
  CREATE TABLE IF NOT EXISTS directories (
    path TEXT PRIMARY KEY, made_at INTEGER NOT NULL, label INTEGER NOT NULL DEFAULT 3
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS deleted (path TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS deleted_by_age ON deleted (at);
  CREATE TABLE IF NOT EXISTS held (id INTEGER PRIMARY KEY CHECK (id = 1), bytes INTEGER NOT NULL);
  INSERT OR IGNORE INTO held VALUES (1, 0);
`;

/** Upgrades a sandbox of the release before modes. 420 is 0644. */
const ADD_MODES = `
  ALTER TABLE files ADD COLUMN mode INTEGER NOT NULL DEFAULT 420;
  ALTER TABLE versions ADD COLUMN mode INTEGER NOT NULL DEFAULT 420;
`;

/** The table of directories before labels, for a sandbox without it. */
const DIRECTORIES_BEFORE_LABELS =
  "CREATE TABLE IF NOT EXISTS directories (path TEXT PRIMARY KEY, made_at INTEGER NOT NULL) WITHOUT ROWID;";

/** Adds labels to a sandbox of an earlier release: its files are the tenant's records (3 is `TENANT`). */
const ADD_LABELS = ["files", "versions", "directories"]
  .map((table) => `ALTER TABLE ${table} ADD COLUMN label INTEGER NOT NULL DEFAULT 3;`)
  .join("\n");

/** Upgrades a sandbox of the release before uploads were marked: none of its files is one. */
const ADD_UPLOADS = ["files", "versions"]
  .map((table) => `ALTER TABLE ${table} ADD COLUMN is_uploaded INTEGER NOT NULL DEFAULT 0;`)
  .join("\n");

/** The first and last table of the schema before labels. A sandbox of the release before modes has only the first. */
const [FIRST_TABLE, LAST_TABLE] = ["files", "held"];

/** Reads and writes rows. Every method but `erase` is synchronous. */
export class SandboxTables {
  readonly storage: DurableObjectStorage;
  private knownToExist: boolean | null = null;

  constructor(storage: DurableObjectStorage) {
    this.storage = storage;
  }

  read<Row extends Record<string, SqlStorageValue>>(query: string, ...bindings: SqlStorageValue[]): Row[] {
    if (!this.tablesExist()) return [];
    return this.storage.sql.exec<Row>(query, ...bindings).toArray();
  }

  /** Runs a change atomically, after the tables were created. */
  change<T>(change: () => T): T {
    if (!this.tablesExist()) this.create();
    return this.storage.transactionSync(change);
  }

  /** Allowed only inside a change. */
  write(query: string, ...bindings: SqlStorageValue[]): void {
    this.storage.sql.exec(query, ...bindings);
  }

  async erase(): Promise<void> {
    this.knownToExist = null;
    await this.storage.deleteAll();
  }

  private tablesExist(): boolean {
    this.knownToExist ??= this.checkTables();
    return this.knownToExist;
  }

  /** Checks that the tables exist. Upgrades those of an earlier release. */
  private checkTables(): boolean {
    const rows = this.storage.sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE name IN (?, ?)", FIRST_TABLE, LAST_TABLE)
      .toArray();
    if (rows.length === 0) return false;
    const columns = this.readColumns();
    if (!columns.has("is_uploaded"))
      this.upgrade({ lacksModes: rows.length === 1, lacksLabels: !columns.has("label") });
    return true;
  }

  private readColumns(): ReadonlySet<string> {
    const rows = this.storage.sql.exec<{ name: string }>("SELECT name FROM pragma_table_info('files')").toArray();
    return new Set(rows.map(({ name }) => name));
  }

  /** `lacksModes`: the sandbox is of the release before modes and has only two tables. */
  private upgrade({ lacksModes, lacksLabels }: { readonly lacksModes: boolean; readonly lacksLabels: boolean }): void {
    this.storage.transactionSync(() => {
      if (lacksModes) {
        this.storage.sql.exec(ADD_MODES);
        this.storage.sql.exec(DIRECTORIES_BEFORE_LABELS);
      }
      if (lacksLabels) this.storage.sql.exec(ADD_LABELS);
      this.storage.sql.exec(ADD_UPLOADS);
      this.storage.sql.exec(SCHEMA);
    });
  }

  private create(): void {
    this.storage.sql.exec(SCHEMA);
    this.knownToExist = true;
  }
}
