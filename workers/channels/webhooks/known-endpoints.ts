/**
 * The endpoints of tenants as this isolate read them last, sealed: for the notices that are spread and the webhooks that are
 * sent. What is kept lets both go on while Postgres is away.
 */
import { databaseFromEnv } from "../../../adapters/env/database.ts";
import type { Env } from "../../../adapters/env/bindings.ts";
import { FailurePause } from "../../../core/base/failure-pause.ts";
import type { SealedEndpoint } from "../../../core/channels/webhooks/endpoint.ts";
import { failed, ok, type Result } from "../../../core/base/errors.ts";
import { awaitWithin } from "../../../core/base/deadline.ts";

/** A change that another isolate made is seen after this long. */
const KEPT_MS = 5_000;
/** How long a list stands in for one that cannot be read. */
const STALE_MS = 10 * 60_000;
/** How long a reading is waited for, and after one that failed nobody in this isolate tries: there is one database. */
const PATIENCE_MS = 3_000;
const PAUSE_MS = 2_000;
/** Characters that all kept lists have together: tenants share the isolate. */
const MAX_CHARACTERS = 8_000_000;

interface Kept {
  readonly readAt: number;
  /** It holds for whoever goes by this stamp of the tenant's object; null: for nobody who needs one. */
  readonly stamp: string | null;
  readonly endpoints: readonly SealedEndpoint[];
  readonly characters: number;
}

/** By tenant; the oldest first. */
const known = new Map<string, Kept>();
let characters = 0;
export const endpointsPause = new FailurePause(PAUSE_MS);

const AWAY = failed("upstream_failed", "The tenant's webhooks cannot be read at the moment.", { retryAfterMs: 1_000 });

/** Those that hold under this stamp. Fails while the database is away, unless they were read under it before. */
export async function endpointsUnder(
  env: Env,
  tenant: string,
  stamp: string,
): Promise<Result<readonly SealedEndpoint[]>> {
  const now = Date.now();
  const kept = known.get(tenant);
  const holds = kept?.stamp === stamp;
  if (holds && now - kept.readAt <= KEPT_MS) return ok(kept.endpoints);
  const read = await readAndKeep(env, tenant, stamp, now);
  return !read.ok && holds && now - kept.readAt <= STALE_MS ? ok(kept.endpoints) : read;
}

/** One of them; null: there is none. It is read anew unless it is known as one that takes webhooks. */
export async function endpointToSend(env: Env, tenant: string, id: string): Promise<Result<SealedEndpoint | null>> {
  const now = Date.now();
  const kept = known.get(tenant);
  const usable = kept?.endpoints.find((one) => one.id === id && one.enabled);
  const age = now - (kept?.readAt ?? -Infinity);
  if (usable !== undefined && age <= KEPT_MS) return ok(usable);
  const read = await readAndKeep(env, tenant, kept?.stamp ?? null, now);
  if (read.ok) return ok(read.value.find((one) => one.id === id) ?? null);
  return usable !== undefined && age <= STALE_MS ? ok(usable) : read;
}

/** Has the next one of this isolate read them anew. */
export function forgetEndpoints(tenant: string): void {
  characters -= known.get(tenant)?.characters ?? 0;
  known.delete(tenant);
}

async function readAndKeep(
  env: Env,
  tenant: string,
  stamp: string | null,
  now: number,
): Promise<Result<readonly SealedEndpoint[]>> {
  if (endpointsPause.isOn(now)) return AWAY;
  const reading = databaseFromEnv(env).endpoints.all(tenant);
  const read = await awaitWithin(globalThis, PATIENCE_MS, reading, AWAY);
  if (read.ok) keep(tenant, { readAt: now, stamp, endpoints: read.value });
  else endpointsPause.begin(Date.now());
  return read;
}

function keep(tenant: string, list: Omit<Kept, "characters">): void {
  forgetEndpoints(tenant);
  const size = tenant.length + JSON.stringify(list.endpoints).length;
  known.set(tenant, { ...list, characters: size });
  characters += size;
  for (const [oldest] of known) {
    if (characters <= MAX_CHARACTERS) break;
    forgetEndpoints(oldest);
  }
}
