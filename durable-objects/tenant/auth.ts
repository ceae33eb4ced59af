/** Authenticates requests to a tenant by key or session, enforces the key's rate limit, and replays repeated requests. */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import type { StoredReply } from "../../core/tenant/idempotency.ts";
import type {
  Admission,
  KeyRecord,
  SessionFacts,
  TenantFacts,
  AdmissionRequest,
  KeyAdmissionRequest,
  SessionAdmissionRequest,
} from "../../core/tenant/rpc.ts";
import type { TenantFeed } from "./feed.ts";
import type { TenantKeyPersons } from "./key-persons.ts";
import type { TenantRates } from "./rates.ts";
import type { TenantRepeats } from "./repeats.ts";
import type { TenantRowCheck } from "./row.ts";
import type { TenantSessions } from "./sessions.ts";
import type { TenantSlots } from "./slots.ts";
import type { TenantStore } from "./store.ts";
import type { TenantTables } from "./tables.ts";

interface Parts {
  readonly tables: Pick<TenantTables, "getTenant" | "isErased">;
  readonly store: TenantStore;
  readonly persons: Pick<TenantKeyPersons, "getStamp" | "merge" | "complete">;
  readonly repeats: Pick<TenantRepeats, "judge" | "settle">;
  readonly rates: Pick<TenantRates, "count" | "peek">;
  readonly sessions: Pick<TenantSessions, "find" | "visit">;
  readonly feed: Pick<TenantFeed, "closeRevoked">;
  readonly row: Pick<TenantRowCheck, "compareIfOld">;
  readonly facts: { read(): TenantFacts };
  readonly slots: Pick<TenantSlots, "permitNew">;
}

export class TenantAuth {
  private readonly env: Env;
  private readonly parts: Parts;

  constructor(env: Env, parts: Parts) {
    this.env = env;
    this.parts = parts;
  }

  async admit({ keyHash, keyRecord, personsStamp, ...request }: KeyAdmissionRequest): Promise<Admission> {
    const { tables, store, persons } = this.parts;
    if (tables.isErased()) return { kind: "dead_key" };
    const now = Date.now();
    const stored = store.findKey(keyHash);
    const key = keyRecord === null ? stored : persons.merge(stored, keyRecord, personsStamp, now);
    if (key === null) return { kind: "unknown_key", personsStamp: persons.getStamp() };
    if (!store.isLive(key, now)) return { kind: "dead_key" };
    if (keyRecord !== null) store.storeKey(keyHash, key);
    const whole = await this.completeKey(keyHash, key, null);
    return whole === null ? { kind: "dead_key" } : await this.admitKey(whole, null, request);
  }

  async admitSession({ sessionHash, ...request }: SessionAdmissionRequest): Promise<Admission> {
    const { tables, sessions } = this.parts;
    const found = tables.isErased() ? null : sessions.visit(sessionHash, Date.now());
    if (found === null) return { kind: "dead_key" };
    const whole = await this.completeKey(found.session.keyHash, found.key, sessionHash);
    return whole === null ? { kind: "dead_key" } : await this.admitKey(whole, found.session, request);
  }

  /** Ends a first attempt. Returns the reply of another attempt that finished earlier. */
  settle(ticket: string, reply: StoredReply | null): StoredReply | null {
    return this.parts.repeats.settle(ticket, reply);
  }

  /** Revokes a key, also one that the object has not seen. An id that no key has is not stored. */
  async revoke(keyId: string): Promise<void> {
    const { tables, store, feed } = this.parts;
    if (tables.isErased()) return;
    store.revoke(keyId, Date.now());
    feed.closeRevoked();
    const tenant = tables.getTenant();
    if (tenant === null || store.hasKey(keyId)) return;
    const found = await databaseFromEnv(this.env).keys.get(tenant, keyId);
    if (!found.ok && found.error.code === "not_found") store.forgetRevoked(keyId);
  }

  /** True for a revoked key, an ended session and an erased tenant. */
  isRevoked(key: string, session: string | null): boolean {
    const { tables, store, sessions } = this.parts;
    if (tables.isErased() || store.isRevoked(key)) return true;
    return session !== null && sessions.find(session, Date.now()) === null;
  }

  /** Adds the person to a key's record. Null if the key or its session ended while it was read. */
  private async completeKey(keyHash: string, key: KeyRecord, session: string | null): Promise<KeyRecord | null> {
    if (key.person !== undefined) return key;
    const whole = await this.parts.persons.complete(keyHash, key);
    return this.isRevoked(key.id, session) ? null : whole;
  }

  private async admitKey(
    key: KeyRecord,
    session: SessionFacts | null,
    { idempotency, isCounted = false, reads, wakesTask = false }: AdmissionRequest,
  ): Promise<Admission> {
    const { rates, repeats, row, facts, slots } = this.parts;
    const counted = isCounted
      ? { ...rates.peek(key, Date.now()), readAllowance: 0 }
      : rates.count(key, Date.now(), reads);
    const { rate, retryAfterMs, readAllowance } = counted;
    if (retryAfterMs !== null) return { kind: "limited", rate, retryAfterMs };
    const repeat = idempotency === null ? null : await repeats.judge(`${key.id} ${idempotency.key}`, idempotency);
    row.compareIfOld();
    const tenant = facts.read();
    const runs = tenant.stopped === null && (repeat === null || repeat.kind === "fresh");
    // A request that is refused must not reserve a slot.
    const permit = wakesTask && runs && key.scopes.includes("tasks:write") ? slots.permitNew(key.id, 1) : null;
    const admitted = { key, rate, ...tenant, idempotency: repeat, session, readAllowance };
    return { kind: "admitted", ...admitted, ...(permit === null ? {} : { permit }) };
  }
}
