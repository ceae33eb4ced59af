/**
 * The secrets of tenants for the egress module: read from the database, kept sealed for a while, opened for each request.
 * What is kept lets a task that is under way go on while Postgres is away.
 */
import type { SecretSetting, SecretTable } from "../core/database.ts";
import { failed, ok, type Result } from "../core/errors.ts";
import type { Clock, SecretsPort, TenantSecret } from "../core/ports.ts";
import type { Sealing } from "./sealing.ts";

/** How long a list stands in for one that cannot be read. */
const STALE_MS = 10 * 60_000;
/** After a reading that failed, the next ones wait so long: each can take seconds to fail. */
const PAUSE_MS = 2_000;
/** Characters of what is kept of one tenant, and of all: tenants share the isolate. */
const MAX_CHARACTERS_EACH = 1_000_000;
const MAX_CHARACTERS = 8_000_000;

interface Kept {
  readonly readAt: number;
  readonly rows: readonly SecretSetting[];
  readonly characters: number;
}

/** Lists by tenant, the oldest first, and when a tenant's could last not be read. */
export class SecretShelf {
  private readonly lists = new Map<string, Kept>();
  private readonly failures = new Map<string, number>();
  private characters = 0;

  read(tenant: string): Kept | undefined {
    return this.lists.get(tenant);
  }

  keep(tenant: string, rows: readonly SecretSetting[], readAt: number): void {
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

  /** Has the next request read them anew. */
  forget(tenant: string): void {
    this.characters -= this.lists.get(tenant)?.characters ?? 0;
    this.lists.delete(tenant);
    this.failures.delete(tenant);
  }

  noteFailure(tenant: string, at: number): void {
    if (this.failures.size >= MAX_FAILURES) this.failures.clear();
    this.failures.set(tenant, at);
  }

  failedAt(tenant: string): number {
    return this.failures.get(tenant) ?? -Infinity;
  }
}

const MAX_FAILURES = 10_000;

export interface SecretsSettings {
  readonly table: Pick<SecretTable, "sealed">;
  readonly sealing: Pick<Sealing, "seal" | "open">;
  readonly tenant: string;
  readonly shelf: SecretShelf;
  readonly clock: Clock;
}

export function openSecrets(settings: SecretsSettings): SecretsPort {
  const { sealing, tenant } = settings;
  return {
    async all(maxAgeMs) {
      const rows = await rowsOf(settings, maxAgeMs);
      return rows.ok ? ok(await Promise.all(rows.value.map((row) => opened(sealing, tenant, row)))) : rows;
    },
  };
}

/** Seals a value for the table. */
export async function sealSecret(
  sealing: Pick<Sealing, "seal">,
  tenant: string,
  { name, value }: { readonly name: string; readonly value: string },
): Promise<string> {
  return toBase64(await sealing.seal(new TextEncoder().encode(value), contextOf(tenant, name)));
}

async function rowsOf(
  { table, tenant, shelf, clock }: SecretsSettings,
  maxAgeMs: number,
): Promise<Result<readonly SecretSetting[]>> {
  const kept = shelf.read(tenant);
  const now = clock.now();
  if (kept !== undefined && now - kept.readAt <= maxAgeMs) return ok(kept.rows);
  const read = now - shelf.failedAt(tenant) < PAUSE_MS ? AWAY : await table.sealed(tenant);
  if (read.ok) {
    shelf.keep(tenant, read.value, now);
    return read;
  }
  if (read !== AWAY) shelf.noteFailure(tenant, clock.now());
  return kept !== undefined && now - kept.readAt <= STALE_MS ? ok(kept.rows) : AWAY;
}

const AWAY = failed("upstream_failed", "The tenant's secrets cannot be read at the moment. Try again later.", {
  retryAfterMs: PAUSE_MS,
});

async function opened(
  sealing: Pick<Sealing, "open">,
  tenant: string,
  { name, hosts, sealed }: SecretSetting,
): Promise<TenantSecret> {
  try {
    const bytes = await sealing.open(fromBase64(sealed), contextOf(tenant, name));
    return { name, hosts, value: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { name, hosts, value: null };
  }
}

function contextOf(tenant: string, name: string): string {
  return `secret ${tenant} ${name}`;
}

function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
