/** What a sandbox stores: which file is where, its earlier versions, and the directories that hold nothing. */
import type { DirectoryEntry, FileEntry, FileVersion, WrittenFile } from "../../core/ports/files.ts";
import { type Label, OUTSIDE } from "../../core/provenance/label.ts";
import type { ChangeSet } from "../../core/sandbox/change-set.ts";
import {
  listParents,
  getParent,
  createEntry,
  MAX_DELETED_FILES,
  MAX_STORED_VERSIONS,
  SANDBOX_MAX_DIRECTORIES,
  type Totals,
  type SandboxWrite,
} from "../../core/sandbox/write.ts";
import { toCopy, FILE, type FileRow, toPathBounds, toEntry } from "./rows.ts";
import type { SandboxTables } from "./tables.ts";

/** How long a change's key is remembered: far longer than any call is repeated after a crash. */
const KEY_LIFETIME_MS = 30 * 86_400_000;

/** Reads and writes the index. Every method is one synchronous piece of work, and a change happens whole or not at all. */
export class SandboxStore {
  private readonly tables: SandboxTables;

  constructor(tables: SandboxTables) {
    this.tables = tables;
  }

  file(path: string): FileEntry | null {
    const [row] = this.tables.read<FileRow>(`SELECT ${FILE} FROM files WHERE path = ?`, path);
    return row === undefined ? null : toEntry(row);
  }

  /** What the change with this key gave; null: there was no such change, or too long ago. */
  applied<T>(key: string): T | null {
    const [row] = this.tables.read<{ entry: string }>("SELECT entry FROM writes WHERE key = ?", key);
    return row === undefined ? null : (JSON.parse(row.entry) as T);
  }

  /** Whether a file, or an earlier version that is remembered, has these bytes. */
  hasBlob(hash: string): boolean {
    const query = "SELECT 1 FROM files WHERE hash = ?1 UNION ALL SELECT 1 FROM versions WHERE hash = ?1 LIMIT 1";
    return this.tables.read(query, hash).length > 0;
  }

  totals(): Totals {
    const [row] = this.tables.read<{ files: number; bytes: number }>("SELECT files, bytes FROM totals");
    return row ?? { files: 0, bytes: 0 };
  }

  /** Directories that were made, or that a file left behind. */
  madeDirectories(): number {
    return this.tables.read<{ made: number }>("SELECT count(*) AS made FROM directories")[0]?.made ?? 0;
  }

  /** The first of these paths that is a file. */
  firstFile(paths: readonly string[]): string | null {
    const query = "SELECT path FROM files WHERE path IN (SELECT value FROM json_each(?)) LIMIT 1";
    return this.tables.read<{ path: string }>(query, JSON.stringify(paths))[0]?.path ?? null;
  }

  isDirectory(path: string): boolean {
    return !this.isEmpty(path) || this.tables.read("SELECT 1 FROM directories WHERE path = ?", path).length > 0;
  }

  /** Whether nothing is inside. True of what is no directory. */
  isEmpty(path: string): boolean {
    const [after, before] = toPathBounds(path);
    const inside = (table: string) =>
      this.tables.read(`SELECT 1 FROM ${table} WHERE path > ? AND path < ? LIMIT 1`, after, before).length > 0;
    return !inside("files") && !inside("directories");
  }

  /** The entries directly inside, by the code points of their names. A directory's size and label are those of everything in it. */
  children(directory: string): readonly DirectoryEntry[] {
    const prefix = directory === "" ? "" : `${directory}/`;
    const rows = this.tables.read<{ name: string; is_file: number; size: number; modified_at: number; label: Label }>(
      `SELECT iif(slash = 0, rest, substr(rest, 1, slash - 1)) AS name, max(slash = 0 AND is_file) AS is_file,
              sum(size) AS size, max(modified_at) AS modified_at, max(label) AS label
       FROM (SELECT rest, instr(rest, '/') AS slash, size, modified_at, is_file, label
             FROM (SELECT substr(path, length(?1) + 1) AS rest, size, modified_at, 1 AS is_file, label FROM files
                   WHERE ?1 = '' OR (path > ?1 AND path < ?2)
                   UNION ALL
                   SELECT substr(path, length(?1) + 1), 0, made_at, 0, label FROM directories
                   WHERE ?1 = '' OR (path > ?1 AND path < ?2)))
       GROUP BY name ORDER BY name`,
      ...toPathBounds(directory),
    );
    return rows.map(({ name, is_file, size, modified_at, label }) => {
      const kind = is_file === 1 ? "file" : "directory";
      return { name, path: prefix + name, kind, size, modifiedAt: modified_at, label };
    });
  }

  /** The files below a directory that follow a path, by the code points of their paths. */
  below(directory: string, after: string | null, limit: number): readonly FileEntry[] {
    const query = `SELECT ${FILE} FROM files WHERE path > max(?1, ?2) AND (?3 = '' OR path < ?3) ORDER BY path LIMIT ?4`;
    return this.tables.read<FileRow>(query, after ?? "", ...toPathBounds(directory), limit).map(toEntry);
  }

  /** How many files are below a path, at any depth. */
  filesBelow(path: string): number {
    const query = "SELECT count(*) AS files FROM files WHERE path > ? AND path < ?";
    return this.tables.read<{ files: number }>(query, ...toPathBounds(path))[0]?.files ?? 0;
  }

  /** The versions that are remembered, the newest first. */
  versions(path: string): readonly FileVersion[] {
    const rows = this.tables.read<FileRow>(`SELECT ${FILE} FROM versions WHERE path = ? ORDER BY version DESC`, path);
    const present = this.file(path);
    const earlier = rows.map((row) => ({ ...toEntry(row), isCurrent: false }));
    return present === null ? earlier : [{ ...present, isCurrent: true }, ...earlier];
  }

  /** Points the path at the blob, with the file that stood there kept under the write's backup path, and remembers the write. */
  put(write: SandboxWrite, totals: Totals, now: number): WrittenFile {
    return this.tables.atOnce(() => {
      const present = this.file(write.path);
      const { backupPath } = write;
      const isBackedUp = present !== null && backupPath !== undefined;
      if (isBackedUp) this.place({ ...write, ...toCopy(present, write), path: backupPath }, now);
      const entry = this.place(write, now);
      const written = { ...entry, isNew: present === null, backup: isBackedUp ? backupPath : null };
      this.setTotals(totals);
      this.remember(write.key, written, now);
      return written;
    });
  }

  makeDirectory(path: string, key: string, label: Label, now: number): { readonly made: boolean } {
    return this.tables.atOnce(() => {
      this.keepDirectory(path, label, now);
      this.remember(key, { made: true }, now);
      return { made: true };
    });
  }

  /** Takes a file away, its last version into the earlier ones, or an empty directory; the directory above stays. */
  remove(path: string, kind: "file" | "directory", key: string, now: number): { readonly kind: "file" | "directory" } {
    return this.tables.atOnce(() => {
      const label = this.labelAt(path);
      if (kind === "directory") this.tables.write("DELETE FROM directories WHERE path = ?", path);
      else this.removeFile(path, now);
      this.forgetDeleted();
      const above = getParent(path);
      if (above !== null) this.keepDirectory(above, label, now);
      this.remember(key, { kind }, now);
      return { kind };
    });
  }

  /** Makes all changes of a set that was judged, and remembers what it made under this key. */
  putAll({ writes, removals, label = OUTSIDE }: ChangeSet, totals: Totals, key: string, now: number): void {
    this.tables.atOnce(() => {
      const removed = removals.map(({ path }) => ({ path, label: this.labelAt(path) }));
      for (const { path } of removals) this.removeFile(path, now);
      const made = writes.map((write): [string, number] => {
        this.dropDirectories(write.path);
        return [write.path, this.place({ ...write, key, label }, now).version];
      });
      for (const { path, label: its } of removed) this.keepDirectoryOf(path, its, now);
      this.forgetDeleted();
      this.setTotals(totals);
      this.remember(key, { made }, now);
    });
  }

  /** Puts back what a set replaced, where its own change still stands, and forgets the set. */
  takeBackAll({ writes, removals }: ChangeSet, key: string, now: number): void {
    const made = new Map(this.applied<{ made: [string, number][] }>(key)?.made);
    this.tables.atOnce(() => {
      for (const { path, ifVersion } of writes) {
        if (this.file(path)?.version !== made.get(path)) continue;
        if (ifVersion === 0) this.removeFile(path, now);
        else this.bringBack(path, ifVersion, now);
      }
      for (const { path, ifVersion } of removals) {
        if (this.file(path) === null && this.filesBelow(path) === 0) this.bringBack(path, ifVersion, now);
      }
      this.tables.write("DELETE FROM writes WHERE key = ?", key);
    });
  }

  /** One file in the place of what was there, as a new version. */
  private place(write: SandboxWrite, now: number): FileEntry {
    const present = this.file(write.path);
    const entry = createEntry(write, { present, lastVersion: this.lastVersion(write.path), now });
    const { path, hash, size, contentType, modifiedAt, version, mode, label, isUploaded } = entry;
    this.archive(path);
    this.tables.write("DELETE FROM deleted WHERE path = ?", path);
    this.tables.write(
      `INSERT OR REPLACE INTO files (${FILE}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      path,
      hash,
      size,
      contentType,
      modifiedAt,
      version,
      mode,
      label,
      isUploaded ? 1 : 0,
    );
    return entry;
  }

  private removeFile(path: string, now: number): void {
    const size = this.file(path)?.size ?? 0;
    this.archive(path);
    this.tables.write("DELETE FROM files WHERE path = ?", path);
    this.tables.write("UPDATE totals SET files = files - 1, bytes = bytes - ?", size);
    this.tables.write("INSERT OR REPLACE INTO deleted VALUES (?, ?)", path, now);
  }

  /** Places an earlier version again, and counts it. */
  private bringBack(path: string, version: number, now: number): void {
    const earlier = this.versions(path).find((one) => one.version === version);
    if (earlier === undefined) return;
    const present = this.file(path);
    this.place({ ...toCopy(earlier, {}), path, key: "" }, now);
    const [files, bytes] = [present === null ? 1 : 0, earlier.size - (present?.size ?? 0)];
    this.tables.write("UPDATE totals SET files = files + ?, bytes = bytes + ?", files, bytes);
  }

  /** Makes the current version an earlier one, and forgets the oldest. */
  private archive(path: string): void {
    this.tables.write(`INSERT INTO versions (${FILE}) SELECT ${FILE} FROM files WHERE path = ?`, path);
    this.tables.write(
      `DELETE FROM versions WHERE path = ?1 AND version NOT IN
         (SELECT version FROM versions WHERE path = ?1 ORDER BY version DESC LIMIT ${MAX_STORED_VERSIONS})`,
      path,
    );
  }

  private lastVersion(path: string): number {
    const query =
      "SELECT max(version) AS last FROM (SELECT version FROM files WHERE path = ?1 UNION ALL SELECT version FROM versions WHERE path = ?1)";
    return this.tables.read<{ last: number | null }>(query, path)[0]?.last ?? 0;
  }

  /** Forgets what was deleted longest ago, versions and all. */
  private forgetDeleted(): void {
    const old = this.tables.read<{ path: string }>(
      `SELECT path FROM deleted ORDER BY at DESC LIMIT -1 OFFSET ${MAX_DELETED_FILES}`,
    );
    for (const { path } of old) {
      this.tables.write("DELETE FROM versions WHERE path = ?", path);
      this.tables.write("DELETE FROM deleted WHERE path = ?", path);
    }
  }

  /** Unless there are as many as fit: then one that holds nothing is none. */
  private keepDirectory(path: string, label: Label, now: number): void {
    const query = `INSERT OR IGNORE INTO directories (path, made_at, label)
      SELECT ?, ?, ? WHERE (SELECT count(*) FROM directories) < ?`;
    this.tables.write(query, path, now, label, SANDBOX_MAX_DIRECTORIES);
  }

  /**
   * The label of the file or the empty directory at a path. Its directory takes this label when the removal leaves it
   * empty.
   */
  private labelAt(path: string): Label {
    const query = "SELECT label FROM files WHERE path = ?1 UNION ALL SELECT label FROM directories WHERE path = ?1";
    return this.tables.read<{ label: Label }>(query, path)[0]?.label ?? OUTSIDE;
  }

  /** The directory that a file was in stays, unless a file stands on the way to it now. */
  private keepDirectoryOf(path: string, label: Label, now: number): void {
    const above = getParent(path);
    if (above !== null && this.firstFile(listParents(path)) === null) this.keepDirectory(above, label, now);
  }

  /** Directories that hold no file give way to one. */
  private dropDirectories(path: string): void {
    const [after, before] = toPathBounds(path);
    this.tables.write("DELETE FROM directories WHERE path = ? OR (path > ? AND path < ?)", path, after, before);
  }

  private setTotals({ files, bytes }: Totals): void {
    this.tables.write("UPDATE totals SET files = ?, bytes = ?", files, bytes);
  }

  private remember(key: string, outcome: object, now: number): void {
    this.tables.write("INSERT INTO writes VALUES (?, ?, ?)", key, JSON.stringify(outcome), now);
    this.tables.write("DELETE FROM writes WHERE at < ?", now - KEY_LIFETIME_MS);
  }
}
