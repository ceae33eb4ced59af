/** The request windows of the tenant's keys, in memory. They restart when the object is loaded. */
import { settingsFromEnv } from "../../adapters/env/settings.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import type { KeyRecord, RateState } from "../../core/tenant/rpc.ts";
import { countRequest, type RateDecision, type RateWindow } from "../../core/tenant/rate-limit.ts";
import { type IsolateReads, ReadAllowances } from "../../core/tenant/read-allowance.ts";

/** Maximum counted keys. The oldest is dropped first. */
const MAX_KEYS = 10_000;

interface KeyRate {
  readonly window: RateWindow;
  readonly allowances: ReadAllowances;
}

/** A decision, and the reads that the isolate may serve before it asks again. */
interface CountedRequest extends RateDecision {
  readonly readAllowance: number;
}

export class TenantRates {
  private readonly env: Env;
  private readonly keys = new Map<string, KeyRate>();

  constructor(env: Env) {
    this.env = env;
  }

  /** Counts a request, and the reads that its isolate served meanwhile. `reads` is absent for a caller that serves none. */
  count(key: KeyRecord, now: number, reads?: IsolateReads): CountedRequest {
    const { requestsPerMinute: limit } = settingsFromEnv(this.env);
    const known = this.keys.get(key.id);
    const counted = countRequest(known?.window ?? null, limit, now, reads?.served);
    const allowances = known?.allowances ?? new ReadAllowances();
    const [first] = this.keys.keys();
    if (this.keys.size >= MAX_KEYS && first !== undefined && known === undefined) this.keys.delete(first);
    this.keys.set(key.id, { window: counted.window, allowances });
    const mayServe = reads !== undefined && counted.retryAfterMs === null;
    return { ...counted, readAllowance: mayServe ? allowances.grant(reads.isolate, limit, now) : 0 };
  }

  /** Returns the state of a key whose request was already counted. It is admitted. */
  peek(key: KeyRecord, now: number): { readonly rate: RateState; readonly retryAfterMs: null } {
    const window = this.keys.get(key.id)?.window ?? null;
    const { rate } = countRequest(window, settingsFromEnv(this.env).requestsPerMinute, now);
    return { rate, retryAfterMs: null };
  }

  erase(): void {
    this.keys.clear();
  }
}
