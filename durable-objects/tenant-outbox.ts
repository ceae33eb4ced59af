/** What of its tasks a tenant's object has to tell Postgres, and which tasks it told Postgres to forget. */
import { FORGOTTEN_KEPT_MS } from "../core/tenant/index-outbox.ts";
import type { TaskReport } from "../core/objects.ts";
import type { TenantTables } from "./tenant-tables.ts";

/** How much goes to Postgres at once. One report goes whatever its size. */
const BATCH_ROWS = 100;
const BATCH_BYTES = 1_000_000;
/** The version of the row that takes a task out of the index: above every report. */
const FORGET_VERSION = Number.MAX_SAFE_INTEGER;

/** A row of the outbox. `report` null: the task is to be taken out of the index. */
export interface OutboxRow {
  readonly task: string;
  readonly version: number;
  readonly report: TaskReport | null;
}

/** Reads and writes rows. Every method is one synchronous piece of work. */
export class TenantOutbox {
  private readonly tables: TenantTables;

  constructor(tables: TenantTables) {
    this.tables = tables;
  }

  /** True for a task that was erased: what is still heard of it changes nothing. */
  isForgotten(task: string): boolean {
    const query = `SELECT 1 FROM forgotten WHERE task = ?1
      UNION ALL SELECT 1 FROM outbox WHERE task = ?1 AND version = ${FORGET_VERSION}`;
    return this.tables.read(query, task).length > 0;
  }

  /** Takes the latest report of a task that is not forgotten; an older one than what is here changes nothing. */
  putReport(report: TaskReport): void {
    const { task, version } = report;
    this.tables.storage.transactionSync(() => {
      if (!this.put(task, version)) return;
      this.tables.putParts("reports", task, new TextEncoder().encode(JSON.stringify(report)));
    });
  }

  /** The task is to be taken out of the index, whatever was or is reported of it. */
  putForgotten(task: string): void {
    this.tables.storage.transactionSync(() => {
      if (this.put(task, FORGET_VERSION)) this.tables.deleteParts("reports", task);
    });
  }

  /** What can be sent now, as much as goes at once. */
  unsent(now: number): OutboxRow[] {
    const rows: OutboxRow[] = [];
    let bytes = 0;
    const query = "SELECT task, version FROM outbox WHERE not_before <= ? LIMIT ?";
    for (const { task, version } of this.tables.read<{ task: string; version: number }>(query, now, BATCH_ROWS)) {
      const json = version === FORGET_VERSION ? null : this.tables.parts("reports", task);
      bytes += json?.length ?? 0;
      if (rows.length > 0 && bytes > BATCH_BYTES) break;
      rows.push({ task, version, report: json === null ? null : (JSON.parse(TEXT.decode(json)) as TaskReport) });
    }
    return rows;
  }

  /** Postgres has these; a row that was replaced meanwhile stays. A task that was taken out is remembered for a day. */
  markSent(rows: readonly OutboxRow[], now: number): void {
    this.tables.storage.transactionSync(() => {
      for (const { task, version, report } of rows) {
        if (report === null) this.tables.write("INSERT OR REPLACE INTO forgotten VALUES (?, ?)", task, now);
        this.drop(task, version);
      }
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
    this.tables.write("DELETE FROM forgotten WHERE at <= ?", now - FORGOTTEN_KEPT_MS);
  }

  /** When the next forgotten task is to be forgotten altogether. */
  nextForgottenAt(): number | null {
    const [row] = this.tables.read<{ at: number | null }>("SELECT MIN(at) AS at FROM forgotten");
    return row?.at == null ? null : row.at + FORGOTTEN_KEPT_MS;
  }

  /** Drops what was reported and keeps which tasks it was of: Postgres may know nothing of them. */
  erase(): void {
    this.tables.empty("reports", "forgotten");
    this.tables.write("UPDATE outbox SET version = ?, not_before = 0", FORGET_VERSION);
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
    const [row] = this.tables.read("SELECT 1 FROM outbox WHERE task = ? AND version = ?", task, version);
    if (row === undefined) return;
    this.tables.write("DELETE FROM outbox WHERE task = ?", task);
    this.tables.deleteParts("reports", task);
  }

  /** False: a newer row is here. */
  private put(task: string, version: number): boolean {
    const [row] = this.tables.read<{ version: number }>("SELECT version FROM outbox WHERE task = ?", task);
    if (row !== undefined && row.version >= version) return false;
    this.tables.write("INSERT OR REPLACE INTO outbox VALUES (?, ?, 0)", task, version);
    return true;
  }
}

const TEXT = new TextDecoder();
