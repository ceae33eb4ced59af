/**
 * Caches redactors by the secrets that they remove. Every reply needs one, and building one takes time in proportion to
 * the secrets. An entry is evicted ten minutes after its last use.
 */
import type { TenantSecret } from "../../core/ports/secrets.ts";
import { type KnownSecret, createRedactor, type Redactor } from "../../core/web/redact-secrets.ts";

/** Lifetime after the last use, in ms: the same as that of a sealed list (`tenant-secrets.ts`). */
const MAX_IDLE_MS = 10 * 60_000;
const MAX_REDACTORS = 64;
/** Maximum characters of all cached values. A redactor takes about 14 bytes for each. */
const MAX_CHARACTERS = 1_000_000;

interface Stored {
  readonly redactor: Redactor;
  readonly characters: number;
  usedAt: number;
}

/** The redactors of an isolate, the least recently used first. */
export class RedactorCache {
  readonly #stored = new Map<string, Stored>();
  #characters = 0;

  /** Returns the redactor of these secrets, except those without a value. `now` is in ms since the epoch. */
  get(secrets: readonly Pick<TenantSecret, "name" | "value">[], now: number): Redactor {
    this.#evictIdle(now);
    const known = secrets.flatMap(({ name, value }) => (value === null ? [] : [{ name, value }]));
    const key = toKey(known);
    const stored = this.#stored.get(key);
    const redactor = stored?.redactor ?? createRedactor(known);
    this.#remove(key);
    const characters = stored?.characters ?? known.reduce((sum, { value }) => sum + value.length, 0);
    this.#stored.set(key, { redactor, characters, usedAt: now });
    this.#characters += characters;
    for (const oldest of this.#stored.keys()) {
      if (this.#stored.size <= MAX_REDACTORS && this.#characters <= MAX_CHARACTERS) break;
      this.#remove(oldest);
    }
    return redactor;
  }

  #evictIdle(now: number): void {
    for (const [key, { usedAt }] of this.#stored) {
      if (now - usedAt <= MAX_IDLE_MS) break;
      this.#remove(key);
    }
  }

  #remove(key: string): void {
    this.#characters -= this.#stored.get(key)?.characters ?? 0;
    this.#stored.delete(key);
  }
}

function toKey(secrets: readonly KnownSecret[]): string {
  return secrets.map(({ name, value }) => `${name}:${value.length}:${value}`).join();
}
