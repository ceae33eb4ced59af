/**
 * The tables of a tenant's object. The only file that knows them; `docs/storage-schema.md` shows a row of each. They are
 * made by the first write, so that a key that names a tenant which does not exist leaves nothing behind.
 */
import { forgottenAt, REPLY_KEPT_MS, type IdempotencyRow, type StoredReply } from "../core/idempotency.ts";
import type { KeyRecord, TaskReport } from "../core/objects.ts";

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS tenant (one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS keys (hash TEXT PRIMARY KEY, record TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS revoked (key TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS repeats (
    ticket TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, seed TEXT NOT NULL, started_at INTEGER NOT NULL, runner TEXT,
    try_at INTEGER NOT NULL, done_at INTEGER, status INTEGER, headers TEXT
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS repeats_by_age ON repeats (COALESCE(done_at, started_at));
  CREATE TABLE IF NOT EXISTS replies (
    ticket TEXT NOT NULL, part INTEGER NOT NULL, sealed BLOB NOT NULL, PRIMARY KEY (ticket, part)
  );
  CREATE TABLE IF NOT EXISTS outbox (
    task TEXT PRIMARY KEY, version INTEGER NOT NULL, report TEXT, not_before INTEGER NOT NULL
  );
`;

/** A row holds at most 2 MB, so a reply is kept in parts of this many bytes. */
const PART_BYTES = 1_000_000;
/** How much goes to Postgres at once. */
const BATCH_ROWS = 100;
const BATCH_CHARACTERS = 1_000_000;
/** The version of the row that takes a task out of the index: above every report. */
const FORGET_VERSION = Number.MAX_SAFE_INTEGER;

/** A row of the outbox. `report` null: the task is to be taken out of the index. */
export interface OutboxRow {
  readonly task: string;
  readonly version: number;
  readonly report: TaskReport | null;
}

/** Reads and writes the tables. Every method is one synchronous piece of work. */
export class TenantStore {
  private readonly storage: DurableObjectStorage;
  private readonly named: string | undefined;
  private hasTables: boolean | null = null;

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

  key(hash: string): KeyRecord | null {
    const [row] = this.read<{ record: string }>("SELECT record FROM keys WHERE hash = ?", hash);
    return row === undefined ? null : (JSON.parse(row.record) as KeyRecord);
  }

  keepKey(hash: string, record: KeyRecord): void {
    this.write("INSERT OR REPLACE INTO keys VALUES (?, ?)", hash, JSON.stringify(record));
  }

  isRevoked(key: string): boolean {
    return this.read("SELECT 1 FROM revoked WHERE key = ?", key).length > 0;
  }

  revoke(key: string, at: number): void {
    this.write("INSERT OR IGNORE INTO revoked VALUES (?, ?)", key, at);
  }

  repeat(ticket: string): IdempotencyRow | null {
    const [row] = this.read<RepeatRow>("SELECT * FROM repeats WHERE ticket = ?", ticket);
    if (row === undefined) return null;
    const { fingerprint, seed, runner } = row;
    return { fingerprint, seed, runner, startedAt: row.started_at, tryAt: row.try_at, doneAt: row.done_at };
  }

  begin(ticket: string, row: IdempotencyRow): void {
    this.write(
      `INSERT OR REPLACE INTO repeats (ticket, fingerprint, seed, started_at, runner, try_at) VALUES (?, ?, ?, ?, ?, ?)`,
      ticket,
      row.fingerprint,
      row.seed,
      row.startedAt,
      row.runner,
      row.tryAt,
    );
    this.write("DELETE FROM replies WHERE ticket = ?", ticket);
  }

  /** The try ended with nothing to keep. */
  cutOff(ticket: string): void {
    this.write("UPDATE repeats SET runner = NULL WHERE ticket = ?", ticket);
  }

  finish(ticket: string, reply: StoredReply, at: number): void {
    this.storage.transactionSync(() => {
      const headers = JSON.stringify(reply.headers);
      this.write(
        "UPDATE repeats SET done_at = ?, status = ?, headers = ? WHERE ticket = ?",
        at,
        reply.status,
        headers,
        ticket,
      );
      for (let from = 0; from < reply.sealed.length; from += PART_BYTES) {
        const part = reply.sealed.slice(from, from + PART_BYTES);
        this.write("INSERT INTO replies VALUES (?, ?, ?)", ticket, from / PART_BYTES, part.buffer);
      }
    });
  }

  reply(ticket: string): StoredReply | null {
    const [row] = this.read<RepeatRow>("SELECT * FROM repeats WHERE ticket = ?", ticket);
    if (row === undefined || row.status === null) return null;
    const parts = this.read<{ sealed: ArrayBuffer }>(
      "SELECT sealed FROM replies WHERE ticket = ? ORDER BY part",
      ticket,
    );
    const sealed = new Uint8Array(parts.reduce((sum, part) => sum + part.sealed.byteLength, 0));
    let at = 0;
    for (const part of parts) {
      sealed.set(new Uint8Array(part.sealed), at);
      at += part.sealed.byteLength;
    }
    return { status: row.status, headers: JSON.parse(row.headers ?? "[]") as StoredReply["headers"], sealed };
  }

  /** Forgets requests whose day is over. */
  forgetOld(now: number): void {
    if (!this.exists()) return;
    const old = now - REPLY_KEPT_MS;
    this.write(
      "DELETE FROM replies WHERE ticket IN (SELECT ticket FROM repeats WHERE COALESCE(done_at, started_at) <= ?)",
      old,
    );
    this.write("DELETE FROM repeats WHERE COALESCE(done_at, started_at) <= ?", old);
  }

  /** When the next request is to be forgotten. */
  nextForgottenAt(): number | null {
    const [row] = this.read<{ started_at: number; done_at: number | null }>(
      "SELECT started_at, done_at FROM repeats ORDER BY COALESCE(done_at, started_at) LIMIT 1",
    );
    return row === undefined ? null : forgottenAt({ startedAt: row.started_at, doneAt: row.done_at });
  }

  /** Takes the latest report of a task; an older one than what is here changes nothing. */
  putReport(report: TaskReport): void {
    this.putOutbox(report.task, report.version, JSON.stringify(report));
  }

  putForgotten(task: string): void {
    this.putOutbox(task, FORGET_VERSION, null);
  }

  /** What can be sent now, as much as goes at once. */
  unsent(now: number): OutboxRow[] {
    const rows: OutboxRow[] = [];
    let characters = 0;
    for (const row of this.read<OutboxRecord>("SELECT * FROM outbox WHERE not_before <= ? LIMIT ?", now, BATCH_ROWS)) {
      characters += row.report?.length ?? 0;
      if (rows.length > 0 && characters > BATCH_CHARACTERS) break;
      const report = row.report === null ? null : (JSON.parse(row.report) as TaskReport);
      rows.push({ task: row.task, version: row.version, report });
    }
    return rows;
  }

  /** Postgres has these; a row that was replaced meanwhile stays. */
  markSent(rows: readonly OutboxRow[]): void {
    for (const { task, version } of rows)
      this.write("DELETE FROM outbox WHERE task = ? AND version = ?", task, version);
  }

  /** Postgres refused this one; it waits while the others go on. */
  setAside(row: OutboxRow, until: number): void {
    this.write("UPDATE outbox SET not_before = ? WHERE task = ? AND version = ?", until, row.task, row.version);
  }

  /** From when on something can be sent; null: nothing is left. */
  nextUnsentAt(): number | null {
    const [row] = this.read<{ at: number | null }>("SELECT MIN(not_before) AS at FROM outbox");
    return row?.at ?? null;
  }

  async erase(): Promise<void> {
    this.hasTables = null;
    await this.storage.deleteAlarm();
    await this.storage.deleteAll();
  }

  private putOutbox(task: string, version: number, report: string | null): void {
    this.write(
      `INSERT INTO outbox VALUES (?, ?, ?, 0) ON CONFLICT (task) DO UPDATE SET version = excluded.version,
        report = excluded.report, not_before = 0 WHERE excluded.version > outbox.version`,
      task,
      version,
      report,
    );
  }

  private read<Row extends Record<string, SqlStorageValue>>(query: string, ...values: SqlStorageValue[]): Row[] {
    return this.exists() ? this.storage.sql.exec<Row>(query, ...values).toArray() : [];
  }

  private write(query: string, ...values: SqlStorageValue[]): void {
    if (!this.exists()) {
      this.storage.sql.exec(SCHEMA);
      if (this.named !== undefined) this.storage.sql.exec("INSERT OR IGNORE INTO tenant VALUES (1, ?)", this.named);
      this.hasTables = true;
    }
    this.storage.sql.exec(query, ...values);
  }

  private exists(): boolean {
    this.hasTables ??= this.storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'outbox'").toArray().length > 0;
    return this.hasTables;
  }
}

interface RepeatRow extends Record<string, SqlStorageValue> {
  readonly fingerprint: string;
  readonly seed: string;
  readonly started_at: number;
  readonly runner: string | null;
  readonly try_at: number;
  readonly done_at: number | null;
  readonly status: number | null;
  readonly headers: string | null;
}

interface OutboxRecord extends Record<string, SqlStorageValue> {
  readonly task: string;
  readonly version: number;
  readonly report: string | null;
}
