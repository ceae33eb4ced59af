/**
 * The secrets of tenants for the egress module: read from the database, cached sealed for a while, opened for each
 * request. The cache lets a running task continue while Postgres is unavailable.
 */
import { FailurePause } from "../../core/base/failure-pause.ts";
import { fromBase64, toBase64 } from "../../core/base/base64.ts";
import type { SecretSetting, SecretTable } from "../../core/ports/secret-table.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { findUserRefusal, isBoundToAgent, type SecretUser } from "../../core/secrets/secret-use.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { SecretsPort, TenantSecret } from "../../core/ports/secrets.ts";
import { awaitWithin } from "../../core/base/deadline.ts";
import type { Reseal } from "./resealing.ts";
import type { Sealing } from "./sealing.ts";

/** How long a stale list replaces one that cannot be read. */
const STALE_MS = 10 * 60_000;
/** After a failed or slow read, this isolate does not retry for this long: each attempt would wait again. */
const PAUSE_MS = 5_000;
/** Suggested retry delay of a request that needs them. */
const RETRY_AFTER_MS = 1_000;
/** Maximum age of the list that says which secrets are bound to an agent, and the longest wait for it. */
const MAX_AGE_OF_BINDINGS_MS = 60_000;
const PATIENCE_FOR_BINDINGS_MS = 500;
/** Maximum cached characters per tenant and in total: tenants share the isolate. */
const MAX_CHARACTERS_EACH = 1_000_000;
const MAX_CHARACTERS = 8_000_000;

interface CachedList {
  readonly readAt: number;
  readonly rows: readonly SecretSetting[];
  readonly characters: number;
}

/** Lists by tenant, the oldest first, and the pause after a failed read of the one database. */
export class SecretCache {
  private readonly lists = new Map<string, CachedList>();
  private characters = 0;
  readonly pause = new FailurePause(PAUSE_MS);

  read(tenant: string): CachedList | undefined {
    return this.lists.get(tenant);
  }

  store(tenant: string, rows: readonly SecretSetting[], readAt: number): void {
    this.forget(tenant);
    const characters = tenant.length + JSON.stringify(rows).length;
    if (characters > MAX_CHARACTERS_EACH) return;
    this.lists.set(tenant, { readAt, rows, characters });
    this.characters += characters;
    for (const [oldest] of this.lists) {
      if (this.characters <= MAX_CHARACTERS) break;
      this.forget(oldest);
    }
  }

  /** Makes the next request read them again. */
  forget(tenant: string): void {
    this.characters -= this.lists.get(tenant)?.characters ?? 0;
    this.lists.delete(tenant);
  }
}

export interface SecretsSettings {
  readonly table: Pick<SecretTable, "sealed">;
  readonly sealing: Pick<Sealing, "seal" | "open">;
  readonly reseal: Reseal;
  readonly tenant: string;
  /** The user whose requests carry the values. */
  readonly user: SecretUser;
  readonly shelf: SecretCache;
  readonly clock: Clock;
}

export function openSecrets(settings: SecretsSettings): SecretsPort {
  const { user } = settings;
  return {
    async all(maxAgeMs, patienceMs) {
      const rows = await readRows(settings, maxAgeMs, patienceMs);
      return rows.ok ? ok(await Promise.all(rows.value.map((row) => openSecret(settings, row)))) : rows;
    },
    async boundToAgent() {
      const rows = await readRows(settings, MAX_AGE_OF_BINDINGS_MS, PATIENCE_FOR_BINDINGS_MS);
      const bound = rows.ok ? rows.value.filter(({ agents }) => isBoundToAgent(agents, user)) : [];
      return new Set(bound.map(({ name }) => name));
    },
  };
}

export async function sealSecret(
  sealing: Pick<Sealing, "seal">,
  tenant: string,
  { name, value }: { readonly name: string; readonly value: string },
): Promise<string> {
  return toBase64(await sealing.seal(new TextEncoder().encode(value), toContext(tenant, name)));
}

async function readRows(
  settings: SecretsSettings,
  maxAgeMs: number,
  patienceMs: number,
): Promise<Result<readonly SecretSetting[]>> {
  const { tenant, shelf, clock } = settings;
  const now = clock.now();
  const kept = shelf.read(tenant);
  if (kept !== undefined && now - kept.readAt <= maxAgeMs) return ok(kept.rows);
  const read = shelf.pause.isOn(now)
    ? UNAVAILABLE
    : await awaitWithin(globalThis, patienceMs, readAndStore(settings, now), null);
  if (read?.ok === true) return read;
  if (read !== UNAVAILABLE) shelf.pause.begin(clock.now());
  return kept !== undefined && now - kept.readAt <= STALE_MS ? ok(kept.rows) : UNAVAILABLE;
}

/** A list that is too late for this request is cached for the next one. */
async function readAndStore({ table, tenant, shelf }: SecretsSettings, now: number) {
  const read = await table.sealed(tenant);
  if (read.ok) shelf.store(tenant, read.value, now);
  return read;
}

const UNAVAILABLE = failed("upstream_failed", "The tenant's secrets cannot be read at the moment. Try again later.", {
  retryAfterMs: RETRY_AFTER_MS,
});

async function openSecret(settings: SecretsSettings, row: SecretSetting): Promise<TenantSecret> {
  const { name, hosts, agents, methods } = row;
  const refusal = findUserRefusal(name, agents, settings.user);
  const bindings = { ...(methods === null ? {} : { methods }), ...(refusal === null ? {} : { refusal }) };
  return { name, hosts, value: await openValue(settings, row), ...bindings };
}

/** Null for a value that no key of the ring opens. */
async function openValue(
  { sealing, reseal, tenant }: Pick<SecretsSettings, "sealing" | "reseal" | "tenant">,
  { name, sealed }: SecretSetting,
): Promise<string | null> {
  const context = toContext(tenant, name);
  try {
    const bytes = await sealing.open(fromBase64(sealed), context);
    await reseal({ tenant, column: "secrets.sealed", sealed, context });
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function toContext(tenant: string, name: string): string {
  return `secret ${tenant} ${name}`;
}
