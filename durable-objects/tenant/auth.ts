/** Who comes in to a tenant: by a key or by a session that acts as one, within the key's request limit, and a repeat once. */
import type {
  Admission,
  KeyRecord,
  SessionFacts,
  TenantFacts,
  AdmissionRequest,
  KeyAdmissionRequest,
  SessionAdmissionRequest,
} from "../../core/tenant/rpc.ts";
import type { TenantRates } from "./rates.ts";
import type { TenantRepeats } from "./repeats.ts";
import type { TenantSessions } from "./sessions.ts";
import type { TenantStore } from "./store.ts";
import type { TenantTables } from "./tables.ts";

interface Parts {
  readonly tables: TenantTables;
  readonly store: TenantStore;
  readonly repeats: TenantRepeats;
  readonly rates: TenantRates;
  readonly sessions: TenantSessions;
}

export class TenantDoor {
  private readonly parts: Parts;
  private readonly standing: () => TenantFacts;

  constructor(parts: Parts, standing: () => TenantFacts) {
    this.parts = parts;
    this.standing = standing;
  }

  async admit({ keyHash, keyRecord, ...request }: KeyAdmissionRequest): Promise<Admission> {
    const { tables, store } = this.parts;
    if (tables.isErased()) return { kind: "dead_key" };
    const key = store.key(keyHash) ?? keyRecord;
    if (key === null) return { kind: "unknown_key" };
    if (!store.isLive(key, Date.now())) return { kind: "dead_key" };
    if (keyRecord !== null) store.keepKey(keyHash, keyRecord);
    return await this.letIn(key, null, request);
  }

  async admitSession({ sessionHash, ...request }: SessionAdmissionRequest): Promise<Admission> {
    const found = this.parts.tables.isErased() ? null : this.parts.sessions.visit(sessionHash, Date.now());
    return found === null ? { kind: "dead_key" } : await this.letIn(found.key, found.session, request);
  }

  private async letIn(
    key: KeyRecord,
    session: SessionFacts | null,
    { idempotency, isCounted = false }: AdmissionRequest,
  ): Promise<Admission> {
    const { rates } = this.parts;
    const { rate, retryAfterMs } = isCounted ? rates.look(key, Date.now()) : rates.count(key, Date.now());
    if (retryAfterMs !== null) return { kind: "limited", rate, retryAfterMs };
    const repeat =
      idempotency === null ? null : await this.parts.repeats.judge(`${key.id} ${idempotency.key}`, idempotency);
    return { kind: "admitted", key, rate, ...this.standing(), idempotency: repeat, session };
  }
}
