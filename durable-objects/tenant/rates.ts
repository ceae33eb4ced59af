/** The request windows of the tenant's keys, in memory. They restart when the object is loaded. */
import { settingsFromEnv } from "../../adapters/env/settings.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import type { KeyRecord, RateState } from "../../core/tenant/rpc.ts";
import { countRequest, type RateDecision, type RateWindow } from "../../core/tenant/rate-limit.ts";

/** Maximum counted keys. The oldest is dropped first. */
const MAX_WINDOWS = 10_000;

export class TenantRates {
  private readonly env: Env;
  private readonly windows = new Map<string, RateWindow>();

  constructor(env: Env) {
    this.env = env;
  }

  count(key: KeyRecord, now: number): RateDecision {
    const counted = countRequest(this.windows.get(key.id) ?? null, settingsFromEnv(this.env).requestsPerMinute, now);
    const [first] = this.windows.keys();
    if (this.windows.size >= MAX_WINDOWS && first !== undefined && !this.windows.has(key.id))
      this.windows.delete(first);
    this.windows.set(key.id, counted.window);
    return counted;
  }

  /** Returns the state of a key whose request was already counted. It is admitted. */
  peek(key: KeyRecord, now: number): { readonly rate: RateState; readonly retryAfterMs: null } {
    const { rate } = countRequest(this.windows.get(key.id) ?? null, settingsFromEnv(this.env).requestsPerMinute, now);
    return { rate, retryAfterMs: null };
  }

  erase(): void {
    this.windows.clear();
  }
}
