/** Charges tenants for what they cost this process, and refuses one that is past its fair part. */
import { costFromEnv, type Env } from "../adapters/from-env.ts";
import { raise } from "../core/errors.ts";
import { costOf } from "../core/tenant/cost-rates.ts";

/** Where a tenant stops itself: never refused for what it costs. */
const SWITCH_PATH = /^\/v1\/kill-switch(?:\/|$)/;

/** Adds milliseconds to a tenant's cost. */
export function chargeCost(env: Env, tenant: string, costMs: number): void {
  costFromEnv(env).charge(tenant, costMs, Date.now());
}

/** Runs code that does not wait, and charges its tenant what was counted, or what the clock showed where that is more. */
export function chargeRun<T>(env: Env, tenant: string, countedMs: number, run: () => T): T {
  const startedAt = Date.now();
  try {
    return run();
  } finally {
    chargeCost(env, tenant, costOf(countedMs, Date.now() - startedAt));
  }
}

/** Refuses a request of a tenant that is past its part: `rate_limited`, with the time to wait. */
export function refuseCostly(env: Env, tenant: string, path: string): void {
  if (SWITCH_PATH.test(path)) return;
  const retryAfterMs = costFromEnv(env).refusedForMs(tenant, Date.now());
  if (retryAfterMs === null) return;
  const message =
    "This tenant computes more than its fair part of what tenants share. Wait as long as Retry-After says, then send less at once.";
  raise("rate_limited", message, { retryAfterMs });
}
