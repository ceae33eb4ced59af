/** The sessions of a tenant's people, and their sign-in links. Each acts as the key that created it. */
import { failed, ok, type Result } from "../../core/base/errors.ts";
import type { KeyRecord, BegunSession } from "../../core/tenant/rpc.ts";
import { cutPage } from "../../core/base/page-cursor.ts";
import {
  type EndedSession,
  shouldUpdateSeen,
  MAX_LINKS,
  MAX_SESSIONS,
  type Session,
  computeSessionEnd,
  type SessionPage,
  type SessionQuery,
  type SessionFilter,
  type SessionsToEnd,
  type LinkMaker,
  type NewSession,
  type NewSignInLink,
  type SessionMaker,
} from "../../core/tenant/session.ts";
import type { TenantFeed } from "./feed.ts";
import type { TenantStore } from "./store.ts";
import type { TenantTables } from "./tables.ts";

/** Every method is synchronous, so a link can be opened only once. */
export class TenantSessions {
  private readonly tables: TenantTables;
  private readonly store: TenantStore;
  private readonly watchers: Pick<TenantFeed, "closeRevoked" | "hasWatcher">;

  constructor(tables: TenantTables, store: TenantStore, watchers: Pick<TenantFeed, "closeRevoked" | "hasWatcher">) {
    this.tables = tables;
    this.store = store;
    this.watchers = watchers;
  }

  /** Finds a valid session and its key. */
  find(hash: string, now: number): { readonly session: Session; readonly key: KeyRecord } | null {
    const [row] = this.tables.read<SessionRow>("SELECT * FROM sessions WHERE hash = ? AND expires_at > ?", hash, now);
    const key = row === undefined ? null : this.findLiveKey(row.key_hash, now);
    if (row === undefined || key === null) return null;
    const { id, key_hash: keyHash, tenant_name: tenantName, begun_at: begunAt, expires_at: expiresAt } = row;
    return { session: { id, hash, keyHash, tenantName, begunAt, expiresAt }, key };
  }

  /** Finds a valid session and records that it was used. */
  visit(hash: string, now: number): ReturnType<TenantSessions["find"]> {
    const found = this.find(hash, now);
    if (found === null) return null;
    const [visit] = this.tables.read<{ seen_at: number }>("SELECT seen_at FROM visits WHERE hash = ?", hash);
    if (visit === undefined) this.tables.write("INSERT INTO visits VALUES (?, '', ?)", hash, now);
    else if (shouldUpdateSeen(visit.seen_at, now))
      this.tables.write("UPDATE visits SET seen_at = ? WHERE hash = ?", now, hash);
    return found;
  }

  listPage({ keyId, page: { after, limit } }: SessionQuery, now: number): SessionPage {
    const { at, id } = after ?? { at: Number.MAX_SAFE_INTEGER, id: "" };
    const position =
      "(sessions.begun_at, sessions.id) < (?, ?) ORDER BY sessions.begun_at DESC, sessions.id DESC LIMIT ?";
    const rows = this.listLive({ keyId }, now, position, [at, id, limit + 1]);
    const { items, next } = cutPage(rows, limit, (row) => ({ at: row.begun_at, id: row.id }));
    return {
      items: items.map((row) => toSessionLine(row, this.watchers.hasWatcher(row.hash) ? now : row.seen_at)),
      next,
    };
  }

  begin(
    { id, hash, tenantName, userAgent = "" }: NewSession,
    by: SessionMaker,
    now: number,
  ): Result<BegunSession & { readonly keyHash: string }> {
    if (this.tables.isErased()) return "linkHash" in by ? LINK_EXPIRED : KEY_INVALID;
    const link = "linkHash" in by ? this.takeLink(by.linkHash, now) : { keyHash: by.keyHash, sessionUntil: null };
    if (link === null) return LINK_EXPIRED;
    const key = this.findLiveKey(link.keyHash, now);
    if (key === null) return "linkHash" in by ? LINK_EXPIRED : KEY_INVALID;
    const expiresAt = computeSessionEnd(now, key, link.sessionUntil);
    this.makeRoom("sessions", { age: "begun_at", max: MAX_SESSIONS }, link.keyHash, now);
    const values = [hash, id, link.keyHash, tenantName, now, expiresAt];
    this.tables.write("INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?)", ...values);
    this.tables.write("INSERT INTO visits VALUES (?, ?, ?)", hash, userAgent, now);
    // An older session may have been deleted to make room.
    this.watchers.closeRevoked();
    return ok({ keyHash: link.keyHash, key, expiresAt });
  }

  /** Ends the valid sessions of a selection, with the links that they created. */
  end(which: SessionsToEnd, now: number): readonly EndedSession[] {
    const rows =
      "hash" in which
        ? this.listLive({ keyId: null }, now, "sessions.hash = ?", [which.hash])
        : "id" in which
          ? this.listLive(which, now, "sessions.id = ?", [which.id])
          : this.listLive(which, now, "sessions.hash <> ?", [which.allBut ?? ""]);
    for (const { hash } of rows) {
      this.tables.write("DELETE FROM sessions WHERE hash = ?", hash);
      this.tables.write("DELETE FROM visits WHERE hash = ?", hash);
      this.tables.write("DELETE FROM links WHERE maker = ?", hash);
    }
    if (rows.length > 0) this.watchers.closeRevoked();
    return rows.map(({ id, key_id: keyId }) => ({ id, keyId }));
  }

  storeLink({ id, hash, expiresAt }: NewSignInLink, by: LinkMaker, now: number): Result<void> {
    if (this.tables.isErased()) return KEY_INVALID;
    const maker = "sessionHash" in by ? (this.find(by.sessionHash, now)?.session ?? null) : null;
    const keyHash = "keyHash" in by ? by.keyHash : maker?.keyHash;
    if (keyHash === undefined || this.findLiveKey(keyHash, now) === null) return KEY_INVALID;
    this.makeRoom("links", { age: "made_at", max: MAX_LINKS }, keyHash, now);
    this.tables.write(
      "INSERT OR IGNORE INTO links VALUES (?, ?, ?, ?, ?, ?, ?)",
      hash,
      id,
      keyHash,
      maker?.hash ?? null,
      now,
      expiresAt,
      maker?.expiresAt ?? null,
    );
    return ok(undefined);
  }

  erase(): void {
    this.tables.clear("sessions", "links", "visits");
  }

  /** Deletes and returns a link; null if it was used, has expired or is unknown. */
  private takeLink(
    hash: string,
    now: number,
  ): { readonly keyHash: string; readonly sessionUntil: number | null } | null {
    // Unauthenticated input causes no write.
    if (this.tables.read("SELECT 1 FROM links WHERE hash = ?", hash).length === 0) return null;
    const [row] = this.tables.write<LinkRow>("DELETE FROM links WHERE hash = ? RETURNING *", hash);
    if (row === undefined || row.expires_at <= now) return null;
    if (row.session_until !== null && row.session_until <= now) return null;
    return { keyHash: row.key_hash, sessionUntil: row.session_until };
  }

  /** Lists the valid sessions of a filter that match `condition`. */
  private listLive(
    { keyId }: SessionFilter,
    now: number,
    condition: string,
    values: readonly SqlStorageValue[],
  ): readonly LiveRow[] {
    return this.tables.read<LiveRow>(
      `SELECT sessions.*, json_extract(keys.record, '$.id') AS key_id, json_extract(keys.record, '$.name') AS key_name,
          COALESCE(visits.user_agent, '') AS user_agent, COALESCE(visits.seen_at, sessions.begun_at) AS seen_at
        FROM sessions JOIN keys ON keys.hash = sessions.key_hash LEFT JOIN visits ON visits.hash = sessions.hash
        WHERE sessions.expires_at > ? AND key_id NOT IN (SELECT key FROM revoked) AND (? IS NULL OR key_id = ?)
          AND ${condition}`,
      now,
      keyId,
      keyId,
      ...values,
    );
  }

  private findLiveKey(hash: string, now: number): KeyRecord | null {
    const key = this.store.findKey(hash);
    return key !== null && this.store.isLive(key, now) ? key : null;
  }

  /**
   * Deletes expired rows, and the oldest of this key when it is at its limit. A key never ends the sessions of another.
   */
  private makeRoom(
    table: "sessions" | "links",
    { age, max }: { readonly age: string; readonly max: number },
    keyHash: string,
    now: number,
  ): void {
    this.tables.write(`DELETE FROM ${table} WHERE expires_at <= ?`, now);
    this.tables.write(
      `DELETE FROM ${table} WHERE hash IN
        (SELECT hash FROM ${table} WHERE key_hash = ? ORDER BY ${age} DESC, hash LIMIT -1 OFFSET ?)`,
      keyHash,
      max - 1,
    );
    if (table === "sessions") this.tables.write("DELETE FROM visits WHERE hash NOT IN (SELECT hash FROM sessions)");
  }
}

const KEY_INVALID = failed("unauthenticated", "This key is no longer valid.");
const LINK_EXPIRED = failed("gone", "This link was already used or has expired. Create a new one.");

function toSessionLine(row: LiveRow, seenAt: number): SessionPage["items"][number] {
  const { id, key_id, key_name, user_agent: userAgent, begun_at: begunAt, expires_at: expiresAt } = row;
  return { id, key: { id: key_id, name: key_name }, userAgent, seenAt, begunAt, expiresAt };
}

interface SessionRow extends Record<string, SqlStorageValue> {
  readonly id: string;
  readonly key_hash: string;
  readonly tenant_name: string;
  readonly begun_at: number;
  readonly expires_at: number;
}

interface LiveRow extends SessionRow {
  readonly hash: string;
  readonly key_id: string;
  readonly key_name: string;
  readonly user_agent: string;
  readonly seen_at: number;
}

interface LinkRow extends Record<string, SqlStorageValue> {
  readonly key_hash: string;
  readonly expires_at: number;
  readonly session_until: number | null;
}
