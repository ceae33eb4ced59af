/** Stores a tenant's keys and its idempotent requests. */
import {
  getExpiresAt,
  REPLY_LIFETIME_MS,
  type IdempotencyRow,
  type StoredReply,
} from "../../core/tenant/idempotency.ts";
import type { KeyRecord, PersonChange } from "../../core/tenant/rpc.ts";
import type { TenantTables } from "./tables.ts";

/** Maximum keys cached in memory. When full, the cache is cleared. */
const MAX_KEYS = 10_000;

/** Reads and writes rows. Every method is synchronous. */
export class TenantStore {
  private readonly tables: TenantTables;
  /** Cached keys by hash. */
  private readonly keys = new Map<string, KeyRecord>();
  /** When the next request expires, or earlier. Undefined until read. */
  private expiryAt: number | null | undefined;

  constructor(tables: TenantTables) {
    this.tables = tables;
  }

  findKey(hash: string): KeyRecord | null {
    const known = this.keys.get(hash);
    if (known !== undefined) return known;
    const [row] = this.tables.read<{ record: string }>("SELECT record FROM keys WHERE hash = ?", hash);
    if (row === undefined) return null;
    const record = JSON.parse(row.record) as KeyRecord;
    if (this.keys.size >= MAX_KEYS) this.keys.clear();
    this.keys.set(hash, record);
    return record;
  }

  storeKey(hash: string, record: KeyRecord): void {
    this.tables.write("INSERT OR REPLACE INTO keys VALUES (?, ?)", hash, JSON.stringify(record));
    this.keys.delete(hash);
  }

  /** Drops the stored person of the keys that a change concerns; null: of all. */
  forgetPerson(change: PersonChange | null): void {
    const [field, value] =
      change === null ? [null, null] : "key" in change ? ["$.id", change.key] : ["$.person.id", change.person];
    const which = "WHERE ?1 IS NULL OR json_extract(record, ?1) = ?2";
    if (this.tables.read(`SELECT 1 FROM keys ${which} LIMIT 1`, field, value).length === 0) return;
    this.tables.write(`UPDATE keys SET record = json_remove(record, '$.person') ${which}`, field, value);
    this.keys.clear();
  }

  /** True when the object has seen a key with this id. */
  hasKey(id: string): boolean {
    return this.tables.read("SELECT 1 FROM keys WHERE json_extract(record, '$.id') = ?", id).length > 0;
  }

  /** False if revoked or expired. */
  isLive({ id, expiresAt }: KeyRecord, now: number): boolean {
    return !this.isRevoked(id) && (expiresAt === null || expiresAt > now);
  }

  isRevoked(key: string): boolean {
    return this.tables.read("SELECT 1 FROM revoked WHERE key = ?", key).length > 0;
  }

  revoke(key: string, at: number): void {
    this.tables.write("INSERT OR IGNORE INTO revoked VALUES (?, ?)", key, at);
  }

  /** Deletes the revocation of an id that no key has. */
  forgetRevoked(key: string): void {
    this.tables.write("DELETE FROM revoked WHERE key = ?", key);
  }

  findRepeat(ticket: string): IdempotencyRow | null {
    const [row] = this.tables.read<RepeatRow>("SELECT * FROM repeats WHERE ticket = ?", ticket);
    if (row === undefined) return null;
    const { fingerprint, seed, runner } = row;
    return { fingerprint, seed, runner, startedAt: row.started_at, tryAt: row.try_at, doneAt: row.done_at };
  }

  startAttempt(ticket: string, row: IdempotencyRow): void {
    this.tables.write(
      `INSERT OR REPLACE INTO repeats (ticket, fingerprint, seed, started_at, runner, try_at) VALUES (?, ?, ?, ?, ?, ?)`,
      ticket,
      row.fingerprint,
      row.seed,
      row.startedAt,
      row.runner,
      row.tryAt,
    );
    this.tables.deleteParts("replies", ticket);
    this.expiryAt = Math.min(this.nextExpiryAt() ?? Infinity, getExpiresAt(row));
  }

  /** Records that the attempt ended without a reply to store. */
  endAttempt(ticket: string): void {
    this.tables.write("UPDATE repeats SET runner = NULL WHERE ticket = ?", ticket);
  }

  storeReply(ticket: string, reply: StoredReply, at: number): void {
    this.tables.storage.transactionSync(() => {
      const headers = JSON.stringify(reply.headers);
      this.tables.write(
        "UPDATE repeats SET done_at = ?, status = ?, headers = ? WHERE ticket = ?",
        at,
        reply.status,
        headers,
        ticket,
      );
      this.tables.putParts("replies", ticket, reply.sealed);
    });
  }

  readReply(ticket: string): StoredReply | null {
    const [row] = this.tables.read<RepeatRow>("SELECT * FROM repeats WHERE ticket = ?", ticket);
    if (row === undefined || row.status === null) return null;
    const headers = JSON.parse(row.headers ?? "[]") as StoredReply["headers"];
    return { status: row.status, headers, sealed: this.tables.readParts("replies", ticket) };
  }

  /** Deletes requests whose replies have expired. */
  deleteExpired(now: number): void {
    if ((this.nextExpiryAt() ?? now + 1) > now) return;
    this.expiryAt = undefined;
    const old = now - REPLY_LIFETIME_MS;
    this.tables.write(
      "DELETE FROM replies WHERE owner IN (SELECT ticket FROM repeats WHERE COALESCE(done_at, started_at) <= ?)",
      old,
    );
    this.tables.write("DELETE FROM repeats WHERE COALESCE(done_at, started_at) <= ?", old);
  }

  /** Returns when the next request expires, or earlier: a reply moves its request's expiry. */
  nextExpiryAt(): number | null {
    if (this.expiryAt === undefined) this.expiryAt = this.readExpiryAt();
    return this.expiryAt;
  }

  erase(): void {
    this.tables.clear("keys", "revoked", "repeats", "replies");
    this.expiryAt = undefined;
    this.keys.clear();
  }

  private readExpiryAt(): number | null {
    const [row] = this.tables.read<{ started_at: number; done_at: number | null }>(
      "SELECT started_at, done_at FROM repeats ORDER BY COALESCE(done_at, started_at) LIMIT 1",
    );
    return row === undefined ? null : getExpiresAt({ startedAt: row.started_at, doneAt: row.done_at });
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
