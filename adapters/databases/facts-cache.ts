/**
 * The facts about databases that an isolate read. They count for an hour, and are read again in the background during its second half.
 * Whether a task may use the database is judged before each use, and another version of its record has facts of its own.
 */
import { ok, type Result } from "../../core/base/errors.ts";
import type { SchemaFacts } from "../../core/databases/facts.ts";
import { ByteCache } from "../apps/byte-cache.ts";

const MAX_AGE_MS = 3_600_000;
const REFRESH_AGE_MS = MAX_AGE_MS / 2;
/** Limits a refresh, which no caller waits for. */
const REFRESH_MS = 60_000;
/** Of the facts of all tenants in an isolate. */
const MAX_BYTES = 4_000_000;

/** The version of a database's record. */
export interface FactsKey {
  readonly tenant: string;
  readonly id: string;
  readonly version: number;
}

interface Entry {
  readonly facts: SchemaFacts;
  readonly readAt: number;
}

type ReadFacts = (signal: AbortSignal) => Promise<Result<SchemaFacts>>;

export class FactsCache {
  readonly #entries: ByteCache<Entry>;
  readonly #refreshing = new Set<string>();
  readonly #now: () => number;
  readonly #background: (work: Promise<unknown>) => void;

  /** `background` lets work end after its caller has gone: the platform's `waitUntil`. */
  constructor({
    now,
    background,
    maxBytes = MAX_BYTES,
  }: {
    readonly now: () => number;
    readonly background: (work: Promise<unknown>) => void;
    readonly maxBytes?: number;
  }) {
    this.#entries = new ByteCache(maxBytes);
    this.#now = now;
    this.#background = background;
  }

  /** Returns the facts. A failure is not stored. */
  async read({ tenant, id, version }: FactsKey, read: ReadFacts, signal: AbortSignal): Promise<Result<SchemaFacts>> {
    const key = `${tenant} ${id} ${version}`;
    const known = this.#entries.get(key);
    const age = known === undefined ? Infinity : this.#now() - known.readAt;
    if (known === undefined || age < 0 || age >= MAX_AGE_MS) return await this.#load(key, read, signal);
    if (age >= REFRESH_AGE_MS) this.#refresh(key, read);
    return ok(known.facts);
  }

  async #load(key: string, read: ReadFacts, signal: AbortSignal): Promise<Result<SchemaFacts>> {
    const readAt = this.#now();
    const found = await read(signal);
    if (found.ok) this.#entries.set(key, { facts: found.value, readAt }, 2 * JSON.stringify(found.value).length);
    return found;
  }

  #refresh(key: string, read: ReadFacts): void {
    if (this.#refreshing.has(key)) return;
    this.#refreshing.add(key);
    const work = this.#load(key, read, AbortSignal.timeout(REFRESH_MS)).finally(() => this.#refreshing.delete(key));
    this.#background(work.catch(() => undefined));
  }
}
