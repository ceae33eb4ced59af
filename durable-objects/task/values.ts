/**
 * The named values of a task in the table `task`: JSON or text. A value that exceeds a row is stored in parts, each in
 * a row named after it, and its own row holds their number. Earlier releases could not store such a value.
 */
import { splitText } from "../../core/base/text-parts.ts";

/** Prefix of the row of a value in parts. A text that starts with it is stored in parts too. */
const IN_PARTS = "\u0001parts ";

export class TaskValues {
  private readonly sql: SqlStorage;
  /** The number of parts of each value read or written; 0 for a value in its own row. */
  private readonly parts = new Map<string, number>();

  constructor(sql: SqlStorage) {
    this.sql = sql;
  }

  /** False before the first write: the table is created with the task. */
  hasTable(): boolean {
    const query = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'task'";
    return this.sql.exec(query).toArray().length > 0;
  }

  /** Null when the task has no such value. */
  read(name: string): string | null {
    const value = this.readRow(name);
    const count = countParts(value);
    this.parts.set(name, count);
    if (count === 0) return value;
    return Array.from({ length: count }, (_, index) => this.readRow(getPartName(name, index)) ?? "").join("");
  }

  /** Replaces the value. Its rows are committed together: the platform commits the writes of one event at once. */
  write(name: string, value: string): void {
    const before = this.parts.get(name) ?? countParts(this.readRow(name));
    const parts = splitText(value);
    const count = parts.length === 1 && !value.startsWith(IN_PARTS) ? 0 : parts.length;
    this.put(name, count === 0 ? value : `${IN_PARTS}${count}`);
    for (const [index, part] of count === 0 ? [] : parts.entries()) this.put(getPartName(name, index), part);
    for (let index = count; index < before; index += 1) {
      this.sql.exec("DELETE FROM task WHERE name = ?", getPartName(name, index));
    }
    this.parts.set(name, count);
  }

  /** Deletes the value with its parts. */
  delete(name: string): void {
    const count = countParts(this.readRow(name));
    this.sql.exec("DELETE FROM task WHERE name = ?", name);
    for (let index = 0; index < count; index += 1) {
      this.sql.exec("DELETE FROM task WHERE name = ?", getPartName(name, index));
    }
    this.parts.delete(name);
  }

  private readRow(name: string): string | null {
    const [row] = this.sql.exec<{ value: string }>("SELECT value FROM task WHERE name = ?", name).toArray();
    return row?.value ?? null;
  }

  private put(name: string, value: string): void {
    this.sql.exec("INSERT OR REPLACE INTO task VALUES (?, ?)", name, value);
  }
}

/** Returns 0 for a value in its own row and for a missing row. */
function countParts(row: string | null): number {
  return row?.startsWith(IN_PARTS) === true ? Number(row.slice(IN_PARTS.length)) : 0;
}

function getPartName(name: string, index: number): string {
  return `${name} part ${index}`;
}
