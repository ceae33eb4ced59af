/** The tables of a sandbox: which file is where. They are made by the first write; an empty sandbox has none. */
import { contentTypeOf } from "../core/sandbox/content-type.ts";
import type { SandboxWrite } from "../core/objects.ts";
import type { DirectoryEntry, FileEntry } from "../core/ports.ts";

/** Earlier versions of a file that are remembered. */
const KEPT_VERSIONS = 5;
/** How long a write's key is remembered: far longer than any call is repeated after a crash. */
const KEY_LIFETIME_MS = 30 * 86_400_000;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS files (
    path TEXT PRIMARY KEY, hash TEXT NOT NULL, size INTEGER NOT NULL, content_type TEXT NOT NULL,
    modified_at INTEGER NOT NULL, version INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS versions (
    path TEXT NOT NULL, version INTEGER NOT NULL, hash TEXT NOT NULL, size INTEGER NOT NULL, content_type TEXT NOT NULL,
    modified_at INTEGER NOT NULL, PRIMARY KEY (path, version)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS writes (key TEXT PRIMARY KEY, entry TEXT NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS writes_by_age ON writes (at);
  CREATE INDEX IF NOT EXISTS files_by_hash ON files (hash);
  CREATE INDEX IF NOT EXISTS versions_by_hash ON versions (hash);
  CREATE TABLE IF NOT EXISTS totals (id INTEGER PRIMARY KEY CHECK (id = 1), files INTEGER NOT NULL, bytes INTEGER NOT NULL);
  INSERT OR IGNORE INTO totals VALUES (1, 0, 0);
`;

interface FileRow extends Record<string, SqlStorageValue> {
  readonly path: string;
  readonly hash: string;
  readonly size: number;
  readonly content_type: string;
  readonly modified_at: number;
  readonly version: number;
}

/** What a sandbox holds, against its quota. */
export interface Totals {
  readonly files: number;
  readonly bytes: number;
}

/** Reads and writes the index. Every method is one synchronous piece of work. */
export class SandboxStore {
  private readonly storage: DurableObjectStorage;
  private hasTables: boolean | null = null;

  constructor(storage: DurableObjectStorage) {
    this.storage = storage;
  }

  file(path: string): FileEntry | null {
    const [row] = this.read<FileRow>("SELECT * FROM files WHERE path = ?", path);
    return row === undefined ? null : toEntry(row);
  }

  /** The entry that the write with this key made; null: no such write, or one too long ago. */
  applied(key: string): FileEntry | null {
    const [row] = this.read<{ entry: string }>("SELECT entry FROM writes WHERE key = ?", key);
    return row === undefined ? null : (JSON.parse(row.entry) as FileEntry);
  }

  /** Whether a file, or an earlier version that is remembered, has these bytes. */
  hasBlob(hash: string): boolean {
    const query = "SELECT 1 FROM files WHERE hash = ?1 UNION ALL SELECT 1 FROM versions WHERE hash = ?1 LIMIT 1";
    return this.read(query, hash).length > 0;
  }

  totals(): Totals {
    return this.read<{ files: number; bytes: number }>("SELECT files, bytes FROM totals")[0] ?? { files: 0, bytes: 0 };
  }

  /** The first of these paths that is a file. */
  firstFile(paths: readonly string[]): string | null {
    const query = "SELECT path FROM files WHERE path IN (SELECT value FROM json_each(?)) LIMIT 1";
    return this.read<{ path: string }>(query, JSON.stringify(paths))[0]?.path ?? null;
  }

  isDirectory(path: string): boolean {
    return this.read("SELECT 1 FROM files WHERE path > ? AND path < ? LIMIT 1", ...insideOf(path)).length > 0;
  }

  /** The entries directly inside, by the code points of their names. A directory's size is that of all files in it. */
  children(directory: string): readonly DirectoryEntry[] {
    const prefix = directory === "" ? "" : `${directory}/`;
    const rows = this.read<{ name: string; is_file: number; size: number; modified_at: number }>(
      `SELECT iif(slash = 0, rest, substr(rest, 1, slash - 1)) AS name, max(slash = 0) AS is_file, sum(size) AS size,
              max(modified_at) AS modified_at
       FROM (SELECT rest, instr(rest, '/') AS slash, size, modified_at
             FROM (SELECT substr(path, length(?1) + 1) AS rest, size, modified_at FROM files
                   WHERE ?1 = '' OR (path > ?1 AND path < ?2)))
       GROUP BY name ORDER BY name`,
      ...insideOf(directory),
    );
    return rows.map(({ name, is_file, size, modified_at }) => {
      const kind = is_file === 1 ? "file" : "directory";
      return { name, path: prefix + name, kind, size, modifiedAt: modified_at };
    });
  }

  /** Points the path at the blob, all or nothing, and remembers the write by its key. */
  put(write: SandboxWrite, now: number): FileEntry {
    return this.storage.transactionSync(() => {
      this.makeTables();
      const before = this.file(write.path);
      const entry: FileEntry = {
        path: write.path,
        size: write.size,
        hash: write.hash,
        contentType: write.contentType ?? contentTypeOf(write.path),
        modifiedAt: now,
        version: (before?.version ?? 0) + 1,
      };
      this.replace(before, entry);
      this.remember(write.key, entry, now);
      return entry;
    });
  }

  /** Forgets everything. */
  async erase(): Promise<void> {
    this.hasTables = null;
    await this.storage.deleteAll();
  }

  private replace(before: FileEntry | null, entry: FileEntry): void {
    const { sql } = this.storage;
    const { path, hash, size, contentType, modifiedAt, version } = entry;
    if (before !== null) {
      sql.exec(
        "INSERT INTO versions SELECT path, version, hash, size, content_type, modified_at FROM files WHERE path = ?",
        path,
      );
      sql.exec("DELETE FROM versions WHERE path = ? AND version < ?", path, version - KEPT_VERSIONS);
    }
    sql.exec(
      "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?)",
      path,
      hash,
      size,
      contentType,
      modifiedAt,
      version,
    );
    const added = before === null ? 1 : 0;
    sql.exec("UPDATE totals SET files = files + ?, bytes = bytes + ?", added, size - (before?.size ?? 0));
  }

  private remember(key: string, entry: FileEntry, now: number): void {
    this.storage.sql.exec("INSERT INTO writes VALUES (?, ?, ?)", key, JSON.stringify(entry), now);
    this.storage.sql.exec("DELETE FROM writes WHERE at < ?", now - KEY_LIFETIME_MS);
  }

  private read<Row extends Record<string, SqlStorageValue>>(query: string, ...bindings: SqlStorageValue[]): Row[] {
    if (!this.tablesExist()) return [];
    return this.storage.sql.exec<Row>(query, ...bindings).toArray();
  }

  private tablesExist(): boolean {
    this.hasTables ??= this.storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'totals'").toArray().length > 0;
    return this.hasTables;
  }

  private makeTables(): void {
    if (this.tablesExist()) return;
    this.storage.sql.exec(SCHEMA);
    this.hasTables = true;
  }
}

/** The bounds of the paths below a directory: `0` is the character after `/`. */
function insideOf(directory: string): [after: string, before: string] {
  return directory === "" ? ["", ""] : [`${directory}/`, `${directory}0`];
}

function toEntry({ path, size, hash, content_type, modified_at, version }: FileRow): FileEntry {
  return { path, size, hash, contentType: content_type, modifiedAt: modified_at, version };
}
