/**
 * Checks whether the key or session of a request is still valid, for replies that stream long after the request was
 * admitted. A revoked key stops working everywhere within 5 seconds.
 *
 * The tenant's object is asked once per isolate and key for all of its streams. An answer counts for `ANSWER_MS` from the
 * moment it was asked for; a check joins one that began at most `JOIN_MS` before, and asks again when that is late.
 */
import { waitUntil } from "cloudflare:workers";
import { tenantsFromEnv } from "../../adapters/env/tenants.ts";
import { awaitWithin } from "../../core/base/deadline.ts";
import { SingleFlight } from "../../core/base/single-flight.ts";
import type { AppContext } from "./context.ts";

/** How long an answer counts. */
const ANSWER_MS = 3000;
/** How old a check may be that others join, and how long they wait for it. */
const JOIN_MS = 750;
/** Keys whose answers are stored. */
const MAX_ANSWERS = 1000;

/** The time at which each valid key was last asked about; the oldest first. */
const askedAt = new Map<string, number>();
const checks = new SingleFlight<number | null>({ maxAgeMs: JOIN_MS, maxFlights: MAX_ANSWERS });

/**
 * Returns the time until which the request's key is known to be valid; null once the key was revoked or expired, the
 * session ended, or the tenant was erased. Throws while the tenant's object is unavailable.
 */
export async function recheckAccess(c: AppContext): Promise<number | null> {
  const principal = c.get("principal");
  const now = Date.now();
  if (principal.kind === "operator") return Infinity;
  const { tenant, key } = principal;
  const expiresAt = key.expiresAt ?? Infinity;
  if (expiresAt <= now) return null;
  const session = c.get("session")?.hash ?? null;
  const id = `${tenant} ${key.id} ${session ?? ""}`;
  const known = askedAt.get(id);
  if (known !== undefined && now < known + ANSWER_MS) return Math.min(known + ANSWER_MS, expiresAt);
  const ask = async (): Promise<number | null> => {
    const isRevoked = async () => await tenantsFromEnv(c.env)(tenant).isRevoked(key.id, session);
    // Retries once for an object that was reset during the call.
    if (await isRevoked().catch(isRevoked)) return null;
    storeAnswer(id, now);
    return now;
  };
  const joined = checks.run(id, () => outliveRequest(ask()), now);
  // The request that asked can have been cut off.
  const at = await awaitWithin(globalThis, JOIN_MS, joined, undefined);
  const valid = at === undefined ? await ask() : at;
  return valid === null ? null : Math.min(valid + ANSWER_MS, expiresAt);
}

/** Other requests wait for it. */
async function outliveRequest<T>(work: Promise<T>): Promise<T> {
  waitUntil(work.catch(() => undefined));
  return await work;
}

function storeAnswer(id: string, now: number): void {
  askedAt.delete(id);
  askedAt.set(id, now);
  for (const [oldest] of askedAt) {
    if (askedAt.size <= MAX_ANSWERS) break;
    askedAt.delete(oldest);
  }
}
