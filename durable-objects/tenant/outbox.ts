/** What of its tasks a tenant's object has to tell Postgres, and which tasks it told Postgres to forget. */
import { FORGOTTEN_RETENTION_MS } from "../../core/tenant/index-outbox.ts";
import type { TaskReport } from "../../core/task/rpc.ts";
import type { TenantTables } from "./tables.ts";

/** How much goes to Postgres at once. One report goes whatever its size. */
const BATCH_ROWS = 100;
const BATCH_BYTES = 1_000_000;
/** The version of the row that takes a task out of the index: above every report. */
const FORGET_VERSION = Number.MAX_SAFE_INTEGER;

const MAX_BYTES_PER_CHARACTER = 3;
/** Characters of a report that stands in its own row; a longer one is kept in parts. */
const MAX_INLINE = 100_000;

/** A row of the outbox. `report` null: the task is to be taken out of the index. */
export interface OutboxRow {
  readonly task: string;
  readonly version: number;
  readonly report: TaskReport | null;
  /** Of a task that is taken out: its summary stays in memory. */
  readonly keepsMemory: boolean;
}

/** Reads and writes rows. Every method is one synchronous piece of work. */
export class TenantOutbox {
  private readonly tables: TenantTables;
  /** The forgotten tasks; null: they are to be read. */
  private forgotten: Set<string> | null = null;

  constructor(tables: TenantTables) {
    this.tables = tables;
  }

  /** True for a task that was erased: what is still heard of it changes nothing. */
  isForgotten(task: string): boolean {
    this.forgotten ??= new Set(this.tables.read<{ task: string }>(FORGOTTEN).map((row) => row.task));
    return this.forgotten.has(task);
  }

  /** Takes the latest report of a task that is not forgotten; an older one than what is here changes nothing. */
  putReport(report: TaskReport): void {
    const { task, version } = report;
    const json = JSON.stringify(report);
    if (json.length <= MAX_INLINE) {
      this.put(task, version, json);
      return;
    }
    this.tables.storage.transactionSync(() => {
      if (this.put(task, version, null)) this.tables.putParts("reports", task, new TextEncoder().encode(json));
    });
  }

  /**
   * The task is to be taken out of the index, whatever was or is reported of it. With `keepsMemory`, its summary stays, unless the
   * task was forgotten without it before.
   */
  putForgotten(task: string, keepsMemory = false): void {
    const isForgotten = this.isForgotten(task);
    this.tables.storage.transactionSync(() => {
      if (!keepsMemory) this.tables.write("DELETE FROM kept_summaries WHERE task = ?", task);
      else if (!isForgotten) this.tables.write("INSERT OR IGNORE INTO kept_summaries VALUES (?)", task);
      if (this.put(task, FORGET_VERSION, null)) this.tables.deleteParts("reports", task);
    });
    this.forgotten?.add(task);
  }

  /** True for a task that was forgotten and whose summary stays. */
  keepsMemory(task: string): boolean {
    return this.tables.read("SELECT 1 FROM kept_summaries WHERE task = ?", task).length > 0;
  }

  /** What can be sent now, as much as goes at once. */
  unsent(now: number): OutboxRow[] {
    const rows: OutboxRow[] = [];
    let bytes = 0;
    const query = "SELECT task, version, report FROM outbox WHERE not_before <= ? LIMIT ?";
    for (const { task, version, report } of this.tables.read<StoredRow>(query, now, BATCH_ROWS)) {
      const isForgotten = version === FORGET_VERSION;
      const parts = isForgotten || report !== null ? null : this.tables.parts("reports", task);
      bytes += parts?.length ?? (report?.length ?? 0) * MAX_BYTES_PER_CHARACTER;
      if (rows.length > 0 && bytes > BATCH_BYTES) break;
      const json = parts === null ? report : TEXT.decode(parts);
      const keepsMemory = isForgotten && this.keepsMemory(task);
      rows.push({ task, version, report: json === null ? null : (JSON.parse(json) as TaskReport), keepsMemory });
    }
    return rows;
  }

  /** Postgres has these; a row that was replaced meanwhile stays. A task that was taken out is remembered for a day. */
  markSent(rows: readonly OutboxRow[], now: number): void {
    const sent = JSON.stringify(rows.map(({ task, version }) => [task, version]));
    this.tables.storage.transactionSync(() => {
      for (const { task, report } of rows)
        if (report === null) this.tables.write("INSERT OR REPLACE INTO forgotten VALUES (?, ?)", task, now);
      const ofOutbox = `DELETE FROM outbox WHERE (task, version) IN
        (SELECT value ->> 0, value ->> 1 FROM json_each(?)) RETURNING task`;
      const dropped = this.tables.write<{ task: string }>(ofOutbox, sent).map(({ task }) => task);
      const ofReports = "DELETE FROM reports WHERE owner IN (SELECT value FROM json_each(?))";
      this.tables.write(ofReports, JSON.stringify(dropped));
    });
  }

  /** Postgres refused this one; it waits while the others go on. */
  setAside(row: OutboxRow, until: number): void {
    this.tables.write("UPDATE outbox SET not_before = ? WHERE task = ? AND version = ?", until, row.task, row.version);
  }

  /** From when on something can be sent; null: nothing is left. */
  nextUnsentAt(): number | null {
    const [row] = this.tables.read<{ at: number | null }>("SELECT MIN(not_before) AS at FROM outbox");
    return row?.at ?? null;
  }

  /** Forgets that a task was forgotten, once its day is over. */
  forgetOld(now: number): void {
    if ((this.nextForgottenAt() ?? now + 1) > now) return;
    const before = now - FORGOTTEN_RETENTION_MS;
    this.tables.storage.transactionSync(() => {
      this.tables.write(KEPT_OF_FORGOTTEN, before, FORGET_VERSION);
      this.tables.write("DELETE FROM forgotten WHERE at <= ?", before);
    });
    this.forgotten = null;
  }

  /** When the next forgotten task is to be forgotten altogether. */
  nextForgottenAt(): number | null {
    const [row] = this.tables.read<{ at: number | null }>("SELECT MIN(at) AS at FROM forgotten");
    return row?.at == null ? null : row.at + FORGOTTEN_RETENTION_MS;
  }

  /** Drops what was reported and keeps which tasks it was of: Postgres may know nothing of them. */
  erase(): void {
    this.tables.empty("reports", "forgotten", "kept_summaries");
    this.tables.write("UPDATE outbox SET version = ?, not_before = 0, report = NULL", FORGET_VERSION);
    this.forgotten = null;
  }

  /** The tasks of an erased tenant that are still to be erased, at most `limit`. */
  toErase(limit: number): string[] {
    return this.tables.read<{ task: string }>("SELECT task FROM outbox LIMIT ?", limit).map(({ task }) => task);
  }

  /** A task of an erased tenant is gone. */
  markErased(task: string): void {
    this.drop(task, FORGET_VERSION);
  }

  private drop(task: string, version: number): void {
    const [row] = this.tables.write("DELETE FROM outbox WHERE task = ? AND version = ? RETURNING task", task, version);
    if (row !== undefined) this.tables.deleteParts("reports", task);
  }

  /** False: a newer row is here. */
  private put(task: string, version: number, report: string | null): boolean {
    const [row] = this.tables.write(
      `INSERT INTO outbox VALUES (?, ?, 0, ?) ON CONFLICT (task) DO UPDATE SET
        version = excluded.version, not_before = 0, report = excluded.report
        WHERE excluded.version > outbox.version RETURNING task`,
      task,
      version,
      report,
    );
    return row !== undefined;
  }
}

interface StoredRow extends Record<string, SqlStorageValue> {
  readonly task: string;
  readonly version: number;
  readonly report: string | null;
}

/** The tasks that are remembered as forgotten, and those that Postgres has still to forget. */
const FORGOTTEN = `SELECT task FROM forgotten UNION SELECT task FROM outbox WHERE version = ${FORGET_VERSION}`;
/** The summaries that stay of tasks whose day has ended. */
const KEPT_OF_FORGOTTEN = `DELETE FROM kept_summaries WHERE task IN (SELECT task FROM forgotten WHERE at <= ?)
  AND task NOT IN (SELECT task FROM outbox WHERE version = ?)`;
const TEXT = new TextDecoder();
