/**
 * The callers that this isolate admitted in the last seconds, so that their reads need no call of the tenant's object.
 *
 * - An entry counts for `ACCESS_MS` from the moment before the object was asked. A revoked key, an ended session and an
 *   erased tenant are therefore refused within that time in every isolate, and at once in the isolate that did it.
 * - Only an admission creates an entry: an unknown key takes no memory.
 * - It says who the caller is and nothing that a request decides on besides: whether the tenant is stopped, its agents
 *   and its tools always come from the object.
 */
import { RATE_WINDOW_MS } from "./rate-limit.ts";
import type { IsolateReads } from "./read-allowance.ts";
import type { Admission, KeyRecord, RateState, SessionFacts } from "./rpc.ts";

type AdmittedCaller = Pick<Extract<Admission, { kind: "admitted" }>, "key" | "session" | "rate" | "readAllowance">;

/** How long an admission counts for reads. The rule for revocation is five seconds. */
export const ACCESS_MS = 3_000;
/** Maximum entries, and keys with counted reads. The oldest are dropped first. */
const MAX_ENTRIES = 2_000;

/** An admitted caller. */
interface Caller {
  readonly key: KeyRecord;
  readonly session: SessionFacts | null;
}

/** A read that needs no call of the object. `validUntil`: when its caller has to be asked about. */
export interface CachedRead extends Caller {
  readonly rate: RateState;
  readonly validUntil: number;
}

/** A call of the object that has begun. `isOutdated` once a caller of the tenant was forgotten meanwhile. */
export interface AccessQuestion {
  readonly credential: string;
  readonly tenant: string;
  readonly reads: IsolateReads;
  readonly askedAt: number;
  isOutdated: boolean;
}

interface Entry extends Caller {
  readonly askedAt: number;
}

/** The reads of one key: served and not reported yet, allowed without a report, and its rate as the object last stated it. */
interface KeyReads {
  served: number;
  allowed: number;
  rate: RateState;
  rateAt: number;
}

export class AccessCache {
  private readonly createIsolateId: () => string;
  private isolate: string | null = null;
  /** By credential, the one asked about longest ago first. */
  private readonly entries = new Map<string, Entry>();
  private readonly keys = new Map<string, KeyReads>();
  /** Calls on their way, the oldest first. The runtime drops a cancelled request, so one may never end. */
  private readonly open = new Set<AccessQuestion>();

  /** `createIsolateId` is called within the first request, because a Worker has no random numbers before. */
  constructor(createIsolateId: () => string) {
    this.createIsolateId = createIsolateId;
  }

  /** Returns the caller with this credential if it was admitted in the last seconds. Counts nothing. */
  find(credential: string, now: number): Omit<CachedRead, "rate"> | null {
    const entry = this.entries.get(credential);
    if (entry === undefined || !isWithin(entry.askedAt, ACCESS_MS, now)) return null;
    const { key, session, askedAt } = entry;
    const isExpired = [key.expiresAt, session?.expiresAt ?? null].some((end) => end !== null && end <= now);
    return isExpired ? null : { key, session, validUntil: askedAt + ACCESS_MS };
  }

  /** Counts a read of a cached caller. Null if the object has to be asked. */
  takeRead(credential: string, now: number): CachedRead | null {
    const caller = this.find(credential, now);
    const reads = caller === null ? undefined : this.keys.get(caller.key.id);
    if (caller === null || reads === undefined || reads.served >= reads.allowed) return null;
    reads.served += 1;
    return { ...caller, rate: toCurrentRate(reads, now) };
  }

  /**
   * Begins a call of the object about a tenant's credential. It reports the served reads, and gives the allowance back.
   * Ends by `storeAdmission` or `endWithout`.
   */
  begin(tenant: string, credential: string, now: number): AccessQuestion {
    this.isolate ??= this.createIsolateId();
    const key = this.entries.get(credential)?.key.id;
    const reads = key === undefined ? undefined : this.keys.get(key);
    const served = reads?.served ?? 0;
    if (reads !== undefined) {
      reads.served = 0;
      reads.allowed = 0;
    }
    const isolate = { isolate: this.isolate, served };
    const question = { credential, tenant, reads: isolate, askedAt: now, isOutdated: false };
    this.dropLate(now);
    this.open.add(question);
    return question;
  }

  /**
   * Stores an admission, unless it came late or a caller of the tenant was forgotten meanwhile. Returns the key's rate
   * with the reads that are not reported yet.
   */
  storeAdmission(question: AccessQuestion, admission: AdmittedCaller, now: number): RateState {
    this.open.delete(question);
    const { credential, askedAt, isOutdated } = question;
    const { key, session, rate, readAllowance = 0 } = admission;
    const reads = { served: this.keys.get(key.id)?.served ?? 0, allowed: readAllowance, rate, rateAt: now };
    if (!isOutdated && isWithin(askedAt, ACCESS_MS, now)) {
      putLast(this.entries, credential, { key, session, askedAt });
      putLast(this.keys, key.id, reads);
      this.dropOld(now);
    }
    return toCurrentRate(reads, now);
  }

  /** Forgets a caller that the object did not admit. */
  endWithout(question: AccessQuestion): void {
    this.open.delete(question);
    this.forget(question.credential);
  }

  /** Forgets a caller that the object no longer admits. */
  forget(credential: string): void {
    this.entries.delete(credential);
  }

  /** Forgets the callers of a tenant. */
  forgetTenant(tenant: string): void {
    for (const [credential, { key }] of this.entries) if (key.tenant === tenant) this.entries.delete(credential);
    for (const question of this.open) if (question.tenant === tenant) question.isOutdated = true;
  }

  clear(): void {
    this.entries.clear();
    this.keys.clear();
  }

  /** Callers and open calls in memory. */
  get size(): number {
    return this.entries.size + this.open.size;
  }

  /** The admission of a late call is not stored, so nothing has to outdate it. */
  private dropLate(now: number): void {
    for (const question of this.open) {
      if (isWithin(question.askedAt, ACCESS_MS, now)) break;
      this.open.delete(question);
    }
  }

  /** An expired entry stays for a minute, because it names the key whose reads are to be reported. */
  private dropOld(now: number): void {
    for (const [credential, { askedAt }] of this.entries) {
      if (isWithin(askedAt, RATE_WINDOW_MS, now)) break;
      this.entries.delete(credential);
    }
  }
}

/** False also when the clock was set back. */
function isWithin(from: number, ms: number, now: number): boolean {
  return now >= from && now < from + ms;
}

function toCurrentRate({ served, rate, rateAt }: KeyReads, now: number): RateState {
  const seconds = Math.max(0, Math.floor((now - rateAt) / 1000));
  return {
    limit: rate.limit,
    remaining: Math.max(0, rate.remaining - served),
    resetSeconds: Math.max(1, rate.resetSeconds - seconds),
  };
}

function putLast<Value>(map: Map<string, Value>, name: string, value: Value): void {
  map.delete(name);
  map.set(name, value);
  const [oldest] = map.keys();
  if (map.size > MAX_ENTRIES && oldest !== undefined) map.delete(oldest);
}
