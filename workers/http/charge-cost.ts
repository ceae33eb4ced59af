/** Charges tenants for their cost to this process, paces their work, and refuses one above its fair share. */
import { costFromEnv } from "../../adapters/env/tenants.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import type { YieldTurn } from "../../core/base/turns.ts";
import { raise } from "../../core/base/errors.ts";
import type { WorkMeter } from "../../core/steps/run-tool.ts";
import { REQUEST_MS, TURN_MS } from "../../core/tenant/cost-rates.ts";
import { type Account, LONGEST_PACE_MS } from "../../core/tenant/cost-share.ts";

/** Requests that stop or decide. They are never refused for cost and never delayed. */
const NEVER_PACED =
  /^\/v1\/(?:kill-switch(?:\/|$)|tasks\/[^/]+\/(?:cancel$|questions\/[^/]+\/answer$|(?:approvals|connections)\/))/;

/** Maximum wait of a read. */
const LONGEST_READ_PAUSE_MS = 1000;
/** Longest wait of a turn of long work, and of all turns of one call for the tenant's other work, in milliseconds. */
const LONGEST_TURN_PAUSE_MS = 1000;
const LONGEST_PAUSES_MS = 3000;
/** Maximum charge of one turn, in milliseconds. A longer turn has waited for a file or a reply. */
const MAX_TURN_MS = 100;

/** Adds milliseconds to the cost of a tenant or an inbox. */
export function chargeCost(env: Env, account: Account, costMs: number): void {
  costFromEnv(env).charge(account, costMs, Date.now());
}

/**
 * Counts the computing time of one call and charges its tenant: `countedMs` at once, and each turn of long work by
 * the clock, at least `TURN_MS`. While the tenant exceeds its pace, the next turn waits, until all waits reach
 * `LONGEST_PAUSES_MS`. After that a turn waits at most twice its own time, so that the call gets a third of the
 * thread. An aborted `signal` ends the work: `giveWay` throws its reason.
 */
export function meterWork(
  env: Env,
  tenant: string,
  { countedMs = 0, signal }: { readonly countedMs?: number; readonly signal?: AbortSignal } = {},
): WorkMeter {
  chargeCost(env, tenant, countedMs);
  let paidMs = countedMs;
  let pausedMs = 0;
  let begunAt = Date.now();
  const chargeTurn = (atLeastMs: number): number => {
    const turnMs = Math.min(Math.max(Date.now() - begunAt, atLeastMs), MAX_TURN_MS);
    chargeCost(env, tenant, Math.max(0, turnMs - paidMs));
    paidMs = Math.max(0, paidMs - turnMs);
    begunAt = Date.now();
    return turnMs;
  };
  return {
    begin() {
      begunAt = Date.now();
    },
    charge() {
      chargeTurn(0);
    },
    async giveWay() {
      const turnMs = chargeTurn(TURN_MS);
      const dueMs = Math.min(costFromEnv(env).findTurnWaitMs(tenant, Date.now()), LONGEST_TURN_PAUSE_MS);
      const waitMs = pausedMs < LONGEST_PAUSES_MS ? dueMs : Math.min(dueMs, 2 * turnMs);
      pausedMs += waitMs;
      await scheduler.wait(waitMs, signal === undefined ? {} : { signal }).catch(() => undefined);
      signal?.throwIfAborted();
      begunAt = Date.now();
    },
  };
}

/**
 * Charges each turn as `meterWork` does, and lets other work run after it. Never waits for the pace, because a result
 * is held in memory.
 */
export function chargeTurns(env: Env, tenant: string): YieldTurn {
  const work = meterWork(env, tenant);
  return async () => {
    work.charge();
    await scheduler.wait(0);
    work.begin();
  };
}

/**
 * Delays a request until its tenant's pace allows it. Returns true if it waited, because the caller's rights can have
 * changed. Fails with `rate_limited` and the time to wait if the tenant is above its fair share, or the wait would
 * exceed `LONGEST_PACE_MS`. A read waits at most `LONGEST_READ_PAUSE_MS`, so that people can watch a busy tenant.
 */
export async function paceRequest(
  env: Env,
  tenant: string,
  { method, path }: { readonly method: string; readonly path: string },
): Promise<boolean> {
  if (NEVER_PACED.test(path)) return false;
  const share = costFromEnv(env);
  const refusedForMs = share.findRefusalMs(tenant, Date.now());
  if (refusedForMs !== null) raise("rate_limited", TOO_COSTLY, { retryAfterMs: refusedForMs });
  const isRead = method === "GET" || method === "HEAD";
  const paceMs = share.book(tenant, Date.now(), isRead ? REQUEST_MS : undefined);
  const waitMs = isRead ? Math.min(paceMs, LONGEST_READ_PAUSE_MS) : paceMs;
  if (waitMs > LONGEST_PACE_MS) raise("rate_limited", TOO_COSTLY, { retryAfterMs: waitMs - LONGEST_PACE_MS });
  if (waitMs > 0) await scheduler.wait(waitMs);
  return waitMs > 0;
}

/**
 * Charges an item of an inbox (`slack/T1`), and waits for the inbox's pace, at most `mostMs`. An inbox has its own
 * pace: mail from strangers does not slow the tenant's requests.
 */
export async function paceIncoming(
  env: Env,
  account: Exclude<Account, string>,
  { costMs, mostMs = LONGEST_PACE_MS }: { readonly costMs: number; readonly mostMs?: number },
): Promise<void> {
  const waitMs = costFromEnv(env).book(account, Date.now());
  chargeCost(env, account, costMs);
  if (waitMs > 0) await scheduler.wait(Math.min(waitMs, mostMs));
}

const TOO_COSTLY =
  "This tenant exceeds its fair share of the computing time. Wait for the time in Retry-After, then send fewer requests at once.";
