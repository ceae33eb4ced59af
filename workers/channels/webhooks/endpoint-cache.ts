/**
 * Caches the endpoints of tenants in this isolate, sealed, for the fan-out of notices and the sending of webhooks.
 * Both continue with the cache while Postgres is unavailable.
 */
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import type { Env } from "../../../adapters/env/bindings.ts";
import { FailurePause } from "../../../core/base/failure-pause.ts";
import type { SealedEndpoint } from "../../../core/channels/webhooks/endpoint.ts";
import { failed, ok, type Result } from "../../../core/base/errors.ts";
import { awaitWithin } from "../../../core/base/deadline.ts";

/** Lifetime of an entry. Bounds how long another isolate's change stays unseen. */
const CACHE_MS = 5_000;
/** How long an expired list is used while a new one cannot be read. */
const STALE_MS = 10 * 60_000;
/** Time limit of a read, and the pause of this isolate after a failed one, since there is one database. */
const READ_MS = 3_000;
const PAUSE_MS = 2_000;
/** Characters of all cached lists together, because tenants share the isolate. */
const MAX_CHARACTERS = 8_000_000;

interface CachedEndpoints {
  readonly readAt: number;
  /** Valid under this stamp of the tenant's object; null if it is valid under none. */
  readonly stamp: string | null;
  readonly endpoints: readonly SealedEndpoint[];
  readonly characters: number;
}

/** By tenant; the oldest first. */
const cache = new Map<string, CachedEndpoints>();
let characters = 0;
export const endpointsPause = new FailurePause(PAUSE_MS);

const AWAY = failed("upstream_failed", "The tenant's webhooks cannot be read at the moment. Try again later.", {
  retryAfterMs: 1_000,
});

/**
 * Returns the endpoints that are valid under this stamp. Fails while the database is unavailable, unless they are
 * cached.
 */
export async function listEndpoints(
  env: Env,
  tenant: string,
  stamp: string,
): Promise<Result<readonly SealedEndpoint[]>> {
  const now = Date.now();
  const kept = cache.get(tenant);
  const holds = kept?.stamp === stamp;
  if (holds && now - kept.readAt <= CACHE_MS) return ok(kept.endpoints);
  const read = await readAndCache(env, tenant, stamp, now);
  return !read.ok && holds && now - kept.readAt <= STALE_MS ? ok(kept.endpoints) : read;
}

/** Returns an endpoint; null if it does not exist. Reads it again unless it is cached as enabled. */
export async function findEndpoint(env: Env, tenant: string, id: string): Promise<Result<SealedEndpoint | null>> {
  const now = Date.now();
  const kept = cache.get(tenant);
  const usable = kept?.endpoints.find((one) => one.id === id && one.enabled);
  const age = now - (kept?.readAt ?? -Infinity);
  if (usable !== undefined && age <= CACHE_MS) return ok(usable);
  const read = await readAndCache(env, tenant, kept?.stamp ?? null, now);
  if (read.ok) return ok(read.value.find((one) => one.id === id) ?? null);
  return usable !== undefined && age <= STALE_MS ? ok(usable) : read;
}

/** Removes a tenant's entry, so that the next use reads it again. */
export function forgetEndpoints(tenant: string): void {
  characters -= cache.get(tenant)?.characters ?? 0;
  cache.delete(tenant);
}

async function readAndCache(
  env: Env,
  tenant: string,
  stamp: string | null,
  now: number,
): Promise<Result<readonly SealedEndpoint[]>> {
  if (endpointsPause.isOn(now)) return AWAY;
  const reading = databaseFromEnv(env).endpoints.all(tenant);
  const read = await awaitWithin(globalThis, READ_MS, reading, AWAY);
  if (read.ok) cacheEndpoints(tenant, { readAt: now, stamp, endpoints: read.value });
  else endpointsPause.begin(Date.now());
  return read;
}

function cacheEndpoints(tenant: string, list: Omit<CachedEndpoints, "characters">): void {
  forgetEndpoints(tenant);
  const size = tenant.length + JSON.stringify(list.endpoints).length;
  cache.set(tenant, { ...list, characters: size });
  characters += size;
  for (const [oldest] of cache) {
    if (characters <= MAX_CHARACTERS) break;
    forgetEndpoints(oldest);
  }
}
