/** Charges tenants for their cost to this process, paces their work, and refuses one above its fair share. */
import { costFromEnv, type Env } from "../adapters/from-env.ts";
import { raise } from "../core/errors.ts";
import type { WorkMeter } from "../core/gateway/run-tool.ts";
import { LONGEST_PACE_MS } from "../core/tenant/cost-share.ts";

/** The path of the kill switch, which is never refused for cost and never paced. */
const SWITCH_PATH = /^\/v1\/kill-switch(?:\/|$)/;

/** How long a read waits at most. */
const LONGEST_READ_PAUSE_MS = 250;
/** Longest wait of a turn of long work, in milliseconds. */
const LONGEST_TURN_PAUSE_MS = 1000;

/** Adds milliseconds to a tenant's cost. */
export function chargeCost(env: Env, tenant: string, costMs: number): void {
  costFromEnv(env).charge(tenant, costMs, Date.now());
}

/**
 * Starts to count long work, and charges its tenant for each turn. While the tenant exceeds its pace, the next turn waits,
 * at most `LONGEST_TURN_PAUSE_MS`.
 */
export function meterWork(env: Env, tenant: string): WorkMeter {
  let begunAt = Date.now();
  const charge = (): void => {
    const now = Date.now();
    chargeCost(env, tenant, now - begunAt);
    begunAt = now;
  };
  return {
    charge,
    async giveWay() {
      charge();
      await scheduler.wait(Math.min(costFromEnv(env).aheadMs(tenant, Date.now()), LONGEST_TURN_PAUSE_MS));
      begunAt = Date.now();
    },
  };
}

/**
 * Lets a request begin when its tenant's pace allows it. `rate_limited`, with the time to wait, when the tenant is above its
 * fair share, or the request would wait longer than `LONGEST_PACE_MS`. A read waits `LONGEST_READ_PAUSE_MS` at most: a
 * person who looks at what a busy tenant does is answered.
 */
export async function paceRequest(
  env: Env,
  tenant: string,
  { method, path }: { readonly method: string; readonly path: string },
): Promise<void> {
  if (SWITCH_PATH.test(path)) return;
  const share = costFromEnv(env);
  const refusedForMs = share.refusedForMs(tenant, Date.now());
  if (refusedForMs !== null) raise("rate_limited", TOO_COSTLY, { retryAfterMs: refusedForMs });
  const paceMs = share.paceMs(tenant, Date.now());
  const waitMs = method === "GET" || method === "HEAD" ? Math.min(paceMs, LONGEST_READ_PAUSE_MS) : paceMs;
  if (waitMs > LONGEST_PACE_MS) raise("rate_limited", TOO_COSTLY, { retryAfterMs: waitMs });
  if (waitMs > 0) await scheduler.wait(waitMs);
}

/** Lets a step of a task begin when its tenant's pace allows it. It is never refused, and waits `LONGEST_PACE_MS` at most. */
export async function paceStep(env: Env, tenant: string, signal: AbortSignal): Promise<void> {
  const waitMs = Math.min(costFromEnv(env).paceMs(tenant, Date.now()), LONGEST_PACE_MS);
  if (waitMs > 0) await scheduler.wait(waitMs, { signal }).catch(() => undefined);
}

const TOO_COSTLY =
  "This tenant exceeds its fair share of the computing time. Wait for the time in Retry-After, then send fewer requests at once.";
