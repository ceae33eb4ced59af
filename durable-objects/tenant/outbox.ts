/**
 * The outbox of the task index: task reports and deletions that Postgres has not received yet, and the deleted tasks.
 */
import { FORGOTTEN_RETENTION_MS } from "../../core/tenant/index-outbox.ts";
import type { TaskReport } from "../../core/task/rpc.ts";
import type { TenantTables } from "./tables.ts";

/**
 * Limits of one batch to Postgres. A single report may exceed them. Each batch waits for its reply, and on a busy process for its
 * turn, so thousands of rows leave in few batches.
 */
const BATCH_ROWS = 1000;
const BATCH_CHARACTERS = 2_000_000;
/** The version of a row that deletes a task from the index: above every report. */
const FORGET_VERSION = Number.MAX_SAFE_INTEGER;

/** Maximum characters of a report in its own row. A longer one is stored in parts. */
const MAX_INLINE = 100_000;

/** A row of the outbox. `report` null: delete the task from the index. */
export interface OutboxRow {
  readonly task: string;
  readonly version: number;
  readonly report: TaskReport | null;
  /** For a deletion: the task's summary stays in memory. */
  readonly retainsSummary: boolean;
}

/** Reads and writes rows. Every method is synchronous. */
export class TenantOutbox {
  private readonly tables: TenantTables;
  /** The deleted tasks. Null until read. */
  private forgotten: Set<string> | null = null;
  /** When the next row can be sent, and when the next record of a deleted task expires. Undefined until read. */
  private unsentAt: number | null | undefined;
  private expiryAt: number | null | undefined;
  /** False when no report is stored in parts. Undefined until read. */
  private hasParts: boolean | undefined;

  constructor(tables: TenantTables) {
    this.tables = tables;
  }

  /** True for a deleted task: later reports of it are ignored. */
  isForgotten(task: string): boolean {
    this.forgotten ??= new Set(this.tables.read<{ task: string }>(FORGOTTEN).map((row) => row.task));
    return this.forgotten.has(task);
  }

  /** Stores the latest report of a task that is not deleted. An older report changes nothing. */
  putReport(report: TaskReport): void {
    const { task, version } = report;
    const json = JSON.stringify(report);
    if (json.length <= MAX_INLINE) {
      this.put(task, version, json);
      return;
    }
    this.hasParts = true;
    this.tables.storage.transactionSync(() => {
      if (this.put(task, version, null)) this.tables.putParts("reports", task, new TextEncoder().encode(json));
    });
  }

  /**
   * Deletes the task from the index, regardless of its reports. With `retainsSummary` its summary stays, unless an
   * earlier deletion removed it.
   */
  putForgotten(task: string, retainsSummary = false): void {
    const isForgotten = this.isForgotten(task);
    this.tables.storage.transactionSync(() => {
      if (!retainsSummary) this.tables.write("DELETE FROM kept_summaries WHERE task = ?", task);
      else if (!isForgotten) this.tables.write("INSERT OR IGNORE INTO kept_summaries VALUES (?)", task);
      if (this.put(task, FORGET_VERSION, null)) this.tables.deleteParts("reports", task);
    });
    this.forgotten?.add(task);
  }

  /** True for a deleted task whose summary stays. */
  retainsSummary(task: string): boolean {
    return this.tables.read("SELECT 1 FROM kept_summaries WHERE task = ?", task).length > 0;
  }

  /** Reads the next batch of rows that can be sent. */
  readUnsent(now: number): OutboxRow[] {
    const rows: OutboxRow[] = [];
    let characters = 0;
    const query = "SELECT task, version, report FROM outbox WHERE not_before <= ? LIMIT ?";
    for (const { task, version, report } of this.tables.each<StoredRow>(query, now, BATCH_ROWS)) {
      const isForgotten = version === FORGET_VERSION;
      const parts = isForgotten || report !== null ? null : this.tables.readParts("reports", task);
      characters += parts?.length ?? report?.length ?? 0;
      if (rows.length > 0 && characters > BATCH_CHARACTERS) break;
      const json = parts === null ? report : TEXT.decode(parts);
      const retainsSummary = isForgotten && this.retainsSummary(task);
      rows.push({
        task,
        version,
        report: json === null ? null : (JSON.parse(json) as TaskReport),
        retainsSummary,
      });
    }
    return rows;
  }

  /** Returns the position of the row that was stored last; null when every row is sent. Rows are sent in this order. */
  getLastPosition(): number | null {
    const [row] = this.tables.read<{ at: number | null }>("SELECT MAX(rowid) AS at FROM outbox");
    return row?.at ?? null;
  }

  /** `all`: every row up to the position was sent. `due`: some can be sent. `postponed`: the others wait for a later attempt. */
  getProgress(position: number, now: number): "all" | "due" | "postponed" {
    if (this.tables.read(`${UP_TO} AND not_before <= ? LIMIT 1`, position, now).length > 0) return "due";
    return this.tables.read(`${UP_TO} LIMIT 1`, position).length > 0 ? "postponed" : "all";
  }

  /** Deletes the rows that Postgres received; a row replaced meanwhile stays. Records a deleted task for a day. */
  markSent(rows: readonly OutboxRow[], now: number): void {
    const sent = JSON.stringify(rows.map(({ task, version }) => [task, version]));
    this.tables.storage.transactionSync(() => {
      for (const { task, report } of rows)
        if (report === null) this.tables.write("INSERT OR REPLACE INTO forgotten VALUES (?, ?)", task, now);
      const ofOutbox = `DELETE FROM outbox WHERE (task, version) IN
        (SELECT value ->> 0, value ->> 1 FROM json_each(?)) RETURNING task`;
      const dropped = this.tables.write<{ task: string }>(ofOutbox, sent).map(({ task }) => task);
      if (this.mayHaveParts()) this.deleteParts(dropped);
    });
    this.unsentAt = undefined;
    if (rows.some(({ report }) => report === null)) this.expiryAt = undefined;
  }

  /** Postpones a row that Postgres refused. The others are sent. */
  postpone(row: OutboxRow, until: number): void {
    this.tables.write("UPDATE outbox SET not_before = ? WHERE task = ? AND version = ?", until, row.task, row.version);
    this.unsentAt = undefined;
  }

  /** Returns when the next row can be sent, 0 for a row that is not postponed; null when every row is sent. */
  nextUnsentAt(): number | null {
    if (this.unsentAt === undefined) this.unsentAt = this.readUnsentAt();
    return this.unsentAt;
  }

  /** Deletes the records of deleted tasks that are older than a day. */
  deleteExpired(now: number): void {
    if ((this.nextExpiryAt() ?? now + 1) > now) return;
    const before = now - FORGOTTEN_RETENTION_MS;
    this.tables.storage.transactionSync(() => {
      this.tables.write(DELETE_EXPIRED_SUMMARIES, before, FORGET_VERSION);
      this.tables.write("DELETE FROM forgotten WHERE at <= ?", before);
    });
    this.forgotten = null;
    this.expiryAt = undefined;
  }

  /** Returns when the next record of a deleted task expires. */
  nextExpiryAt(): number | null {
    if (this.expiryAt === undefined) this.expiryAt = this.readExpiryAt();
    return this.expiryAt;
  }

  /** Drops the reports and keeps the task ids, which Postgres may not know. */
  erase(): void {
    this.tables.clear("reports", "forgotten", "kept_summaries");
    this.tables.write("UPDATE outbox SET version = ?, not_before = 0, report = NULL", FORGET_VERSION);
    this.forgotten = null;
    this.unsentAt = undefined;
    this.expiryAt = undefined;
    this.hasParts = undefined;
  }

  /** Lists at most `limit` tasks of an erased tenant that are still to be erased. */
  listUnerased(limit: number): string[] {
    return this.tables.read<{ task: string }>("SELECT task FROM outbox LIMIT ?", limit).map(({ task }) => task);
  }

  /** Records that a task of an erased tenant is erased. */
  markErased(task: string): void {
    this.drop(task, FORGET_VERSION);
  }

  private drop(task: string, version: number): void {
    const [row] = this.tables.write("DELETE FROM outbox WHERE task = ? AND version = ? RETURNING task", task, version);
    if (row !== undefined) this.tables.deleteParts("reports", task);
    this.unsentAt = undefined;
  }

  /** Rows that are not postponed come first: few are, and the index of those has the earliest. */
  private readUnsentAt(): number | null {
    if (this.tables.read("SELECT 1 FROM outbox WHERE not_before = 0 LIMIT 1").length > 0) return 0;
    const query = "SELECT not_before AS at FROM outbox WHERE not_before > 0 ORDER BY not_before LIMIT 1";
    return this.tables.read<{ at: number }>(query)[0]?.at ?? null;
  }

  private readExpiryAt(): number | null {
    const [row] = this.tables.read<{ at: number }>("SELECT at FROM forgotten ORDER BY at LIMIT 1");
    return row === undefined ? null : row.at + FORGOTTEN_RETENTION_MS;
  }

  private mayHaveParts(): boolean {
    this.hasParts ??= this.tables.read("SELECT 1 FROM reports LIMIT 1").length > 0;
    return this.hasParts;
  }

  private deleteParts(tasks: readonly string[]): void {
    const query = "DELETE FROM reports WHERE owner IN (SELECT value FROM json_each(?))";
    this.tables.write(query, JSON.stringify(tasks));
    this.hasParts = undefined;
  }

  /** Returns false if a newer row is stored. */
  private put(task: string, version: number, report: string | null): boolean {
    const [row] = this.tables.write(
      `INSERT INTO outbox VALUES (?, ?, 0, ?) ON CONFLICT (task) DO UPDATE SET
        version = excluded.version, not_before = 0, report = excluded.report
        WHERE excluded.version > outbox.version RETURNING task`,
      task,
      version,
      report,
    );
    this.unsentAt = 0;
    return row !== undefined;
  }
}

interface StoredRow extends Record<string, SqlStorageValue> {
  readonly task: string;
  readonly version: number;
  readonly report: string | null;
}

const UP_TO = "SELECT 1 FROM outbox WHERE rowid <= ?";
/** Every deleted task: recorded, or not yet deleted in Postgres. */
const FORGOTTEN = `SELECT task FROM forgotten UNION SELECT task FROM outbox WHERE version = ${FORGET_VERSION}`;
/** Deletes the marks of retained summaries whose record expires. */
const DELETE_EXPIRED_SUMMARIES = `DELETE FROM kept_summaries WHERE task IN (SELECT task FROM forgotten WHERE at <= ?)
  AND task NOT IN (SELECT task FROM outbox WHERE version = ?)`;
const TEXT = new TextDecoder();
