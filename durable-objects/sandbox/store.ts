/** Stores a sandbox's index: its files, their earlier versions, and empty directories. */
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

/** How long a change's key is stored: far longer than any call is repeated after a crash. */
const KEY_LIFETIME_MS = 30 * 86_400_000;

/** Reads and writes the index. Every method is synchronous and atomic. */
export class SandboxStore {
  private readonly tables: SandboxTables;

  constructor(tables: SandboxTables) {
    this.tables = tables;
  }

  file(path: string): FileEntry | null {
    const [row] = this.tables.read<FileRow>(`SELECT ${FILE} FROM files WHERE path = ?`, path);
    return row === undefined ? null : toEntry(row);
  }

  /** Returns the result of the change with this key; null if it is unknown or too old. */
  findApplied<T>(key: string): T | null {
    const [row] = this.tables.read<{ entry: string }>("SELECT entry FROM writes WHERE key = ?", key);
    return row === undefined ? null : (JSON.parse(row.entry) as T);
  }

  /** True if a file or a stored earlier version has these bytes. */
  hasBlob(hash: string): boolean {
    const query = "SELECT 1 FROM files WHERE hash = ?1 UNION ALL SELECT 1 FROM versions WHERE hash = ?1 LIMIT 1";
    return this.tables.read(query, hash).length > 0;
  }

  totals(): Totals {
    const [row] = this.tables.read<{ files: number; bytes: number }>("SELECT files, bytes FROM totals");
    return row ?? { files: 0, bytes: 0 };
  }

  /** Counts directories that were created, or that a removed file left behind. */
  madeDirectories(): number {
    return this.tables.read<{ made: number }>("SELECT count(*) AS made FROM directories")[0]?.made ?? 0;
  }

  /** Returns the first of these paths that is a file. */
  firstFile(paths: readonly string[]): string | null {
    const query = "SELECT path FROM files WHERE path IN (SELECT value FROM json_each(?)) LIMIT 1";
    return this.tables.read<{ path: string }>(query, JSON.stringify(paths))[0]?.path ?? null;
  }

  isDirectory(path: string): boolean {
    return !this.isEmpty(path) || this.tables.read("SELECT 1 FROM directories WHERE path = ?", path).length > 0;
  }

  /** True if nothing is inside, also for a path that is no directory. */
  isEmpty(path: string): boolean {
    const [after, before] = toPathBounds(path);
    const inside = (table: string) =>
      this.tables.read(`SELECT 1 FROM ${table} WHERE path > ? AND path < ? LIMIT 1`, after, before).length > 0;
    return !inside("files") && !inside("directories");
  }

  /**
   * Lists the entries directly inside, by the code points of their names. A directory has the size and label of
   * everything in it.
   */
  listChildren(directory: string): readonly DirectoryEntry[] {
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

  /** Lists the files below a directory that follow a path, by the code points of their paths. */
  listBelow(directory: string, after: string | null, limit: number): readonly FileEntry[] {
    const query = `SELECT ${FILE} FROM files WHERE path > max(?1, ?2) AND (?3 = '' OR path < ?3) ORDER BY path LIMIT ?4`;
    return this.tables.read<FileRow>(query, after ?? "", ...toPathBounds(directory), limit).map(toEntry);
  }

  /** Counts the files below a path, at any depth. */
  filesBelow(path: string): number {
    const query = "SELECT count(*) AS files FROM files WHERE path > ? AND path < ?";
    return this.tables.read<{ files: number }>(query, ...toPathBounds(path))[0]?.files ?? 0;
  }

  /** Lists the stored versions, the newest first. */
  versions(path: string): readonly FileVersion[] {
    const rows = this.tables.read<FileRow>(`SELECT ${FILE} FROM versions WHERE path = ? ORDER BY version DESC`, path);
    const present = this.file(path);
    const earlier = rows.map((row) => ({ ...toEntry(row), isCurrent: false }));
    return present === null ? earlier : [{ ...present, isCurrent: true }, ...earlier];
  }

  /** Points the path at the blob, copies the replaced file to the write's backup path, and records the write. */
  put(write: SandboxWrite, totals: Totals, now: number): WrittenFile {
    return this.tables.change(() => {
      const present = this.file(write.path);
      const { backupPath } = write;
      const isBackedUp = present !== null && backupPath !== undefined;
      if (isBackedUp) this.putFile({ ...write, ...toCopy(present, write), path: backupPath }, now);
      const entry = this.putFile(write, now);
      const written = { ...entry, isNew: present === null, backup: isBackedUp ? backupPath : null };
      this.setTotals(totals);
      this.recordChange(write.key, written, now);
      return written;
    });
  }

  makeDirectory(path: string, key: string, label: Label, now: number): { readonly made: boolean } {
    return this.tables.change(() => {
      this.storeDirectory(path, label, now);
      this.recordChange(key, { made: true }, now);
      return { made: true };
    });
  }

  /** Removes a file, whose last version becomes an earlier one, or an empty directory. The parent directory stays. */
  removeEntry(
    path: string,
    kind: "file" | "directory",
    key: string,
    now: number,
  ): { readonly kind: "file" | "directory" } {
    return this.tables.change(() => {
      const label = this.readLabel(path);
      if (kind === "directory") this.tables.write("DELETE FROM directories WHERE path = ?", path);
      else this.removeFile(path, now);
      this.deleteOldest();
      const above = getParent(path);
      if (above !== null) this.storeDirectory(above, label, now);
      this.recordChange(key, { kind }, now);
      return { kind };
    });
  }

  /** Applies all changes of a validated set, and records the result under this key. */
  putAll({ writes, removals, label = OUTSIDE }: ChangeSet, totals: Totals, key: string, now: number): void {
    this.tables.change(() => {
      const removed = removals.map(({ path }) => ({ path, label: this.readLabel(path) }));
      for (const { path } of removals) this.removeFile(path, now);
      const made = writes.map((write): [string, number] => {
        this.deleteDirectories(write.path);
        return [write.path, this.putFile({ ...write, key, label }, now).version];
      });
      for (const { path, label: its } of removed) this.storeDirectoryOf(path, its, now);
      this.deleteOldest();
      this.setTotals(totals);
      this.recordChange(key, { made }, now);
    });
  }

  /** Restores what a set replaced where its change is still current, and deletes the set's record. */
  revertAll({ writes, removals }: ChangeSet, key: string, now: number): void {
    const made = new Map(this.findApplied<{ made: [string, number][] }>(key)?.made);
    this.tables.change(() => {
      for (const { path, ifVersion } of writes) {
        if (this.file(path)?.version !== made.get(path)) continue;
        if (ifVersion === 0) this.removeFile(path, now);
        else this.restoreVersion(path, ifVersion, now);
      }
      for (const { path, ifVersion } of removals) {
        if (this.file(path) === null && this.filesBelow(path) === 0) this.restoreVersion(path, ifVersion, now);
      }
      this.tables.write("DELETE FROM writes WHERE key = ?", key);
    });
  }

  /** Stores a file as a new version. */
  private putFile(write: SandboxWrite, now: number): FileEntry {
    const present = this.file(write.path);
    const entry = createEntry(write, { present, lastVersion: this.readLastVersion(write.path), now });
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

  /** Restores an earlier version and updates the totals. */
  private restoreVersion(path: string, version: number, now: number): void {
    const earlier = this.versions(path).find((one) => one.version === version);
    if (earlier === undefined) return;
    const present = this.file(path);
    this.putFile({ ...toCopy(earlier, {}), path, key: "" }, now);
    const [files, bytes] = [present === null ? 1 : 0, earlier.size - (present?.size ?? 0)];
    this.tables.write("UPDATE totals SET files = files + ?, bytes = bytes + ?", files, bytes);
  }

  /** Makes the current version an earlier one, and deletes the oldest. */
  private archive(path: string): void {
    this.tables.write(`INSERT INTO versions (${FILE}) SELECT ${FILE} FROM files WHERE path = ?`, path);
    this.tables.write(
      `DELETE FROM versions WHERE path = ?1 AND version NOT IN
         (SELECT version FROM versions WHERE path = ?1 ORDER BY version DESC LIMIT ${MAX_STORED_VERSIONS})`,
      path,
    );
  }

  private readLastVersion(path: string): number {
    const query =
      "SELECT max(version) AS last FROM (SELECT version FROM files WHERE path = ?1 UNION ALL SELECT version FROM versions WHERE path = ?1)";
    return this.tables.read<{ last: number | null }>(query, path)[0]?.last ?? 0;
  }

  /** Deletes the files that were removed longest ago, with their versions. */
  private deleteOldest(): void {
    const old = this.tables.read<{ path: string }>(
      `SELECT path FROM deleted ORDER BY at DESC LIMIT -1 OFFSET ${MAX_DELETED_FILES}`,
    );
    for (const { path } of old) {
      this.tables.write("DELETE FROM versions WHERE path = ?", path);
      this.tables.write("DELETE FROM deleted WHERE path = ?", path);
    }
  }

  /** Stores an empty directory, unless the sandbox is at its limit. */
  private storeDirectory(path: string, label: Label, now: number): void {
    const query = `INSERT OR IGNORE INTO directories (path, made_at, label)
      SELECT ?, ?, ? WHERE (SELECT count(*) FROM directories) < ?`;
    this.tables.write(query, path, now, label, SANDBOX_MAX_DIRECTORIES);
  }

  /**
   * The label of the file or the empty directory at a path. Its directory takes this label when the removal leaves it
   * empty.
   */
  private readLabel(path: string): Label {
    const query = "SELECT label FROM files WHERE path = ?1 UNION ALL SELECT label FROM directories WHERE path = ?1";
    return this.tables.read<{ label: Label }>(query, path)[0]?.label ?? OUTSIDE;
  }

  /** Stores the directory of a removed file, unless a path above it is a file now. */
  private storeDirectoryOf(path: string, label: Label, now: number): void {
    const above = getParent(path);
    if (above !== null && this.firstFile(listParents(path)) === null) this.storeDirectory(above, label, now);
  }

  /** Deletes empty directories that a file replaces. */
  private deleteDirectories(path: string): void {
    const [after, before] = toPathBounds(path);
    this.tables.write("DELETE FROM directories WHERE path = ? OR (path > ? AND path < ?)", path, after, before);
  }

  private setTotals({ files, bytes }: Totals): void {
    this.tables.write("UPDATE totals SET files = ?, bytes = ?", files, bytes);
  }

  private recordChange(key: string, outcome: object, now: number): void {
    this.tables.write("INSERT INTO writes VALUES (?, ?, ?)", key, JSON.stringify(outcome), now);
    this.tables.write("DELETE FROM writes WHERE at < ?", now - KEY_LIFETIME_MS);
  }
}
