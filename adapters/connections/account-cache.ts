/**
 * What an isolate read of connections. A value counts for 5 s, so that a revocation applies everywhere within that time.
 * While the database is away it counts for 10 min, so that running tasks continue.
 */
import { awaitWithin, type Timer } from "../../core/base/deadline.ts";
import { failed, type Failure, ok, type Result } from "../../core/base/errors.ts";
import { FailurePause } from "../../core/base/failure-pause.ts";
import { SingleFlight } from "../../core/base/single-flight.ts";
import type { AppClient } from "../../core/connections/app-client.ts";
import type { Connection } from "../../core/connections/connection.ts";
import type { Bearer } from "../../core/connections/tokens.ts";
import type { AppAccount } from "../../core/ports/apps.ts";

/** How long a value counts, and how long while the database is away. */
export const FRESH_MS = 5_000;
export const STALE_MS = 10 * 60_000;
/** After a failed read, this isolate does not read for this long: each attempt would wait for the time limit. */
const PAUSE_MS = 2_000;
/** How long a request waits for the read of another one. Then it reads for itself. */
const JOIN_MS = 1_000;
const MAX_ENTRIES = 5_000;

interface Entry<Value> {
  readonly value: Value;
  readonly readAt: number;
}

interface ReadOptions {
  /** True for a failure that says nothing of the value: the database is away. By default, by its code. */
  readonly isAway?: (failure: Failure) => boolean;
  /** Negative: the value is read now. */
  readonly maxAgeMs?: number;
}

const isDatabaseAway = ({ code }: Failure) => code === "upstream_failed";

/** Values by key. A key begins with its tenant and a space. */
export class AgedCache<Value> {
  /** The least recently read first. */
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #flights = new SingleFlight<Result<Value>>({ maxAgeMs: FRESH_MS, maxFlights: MAX_ENTRIES });
  readonly #pause: FailurePause;
  readonly #timer: Timer;
  /** Grows when values are dropped: a read that began before that stores nothing. */
  #generation = 0;

  constructor(pause: FailurePause = new FailurePause(PAUSE_MS), timer: Timer = globalThis) {
    this.#pause = pause;
    this.#timer = timer;
  }

  /** Returns the value, read if it is older than `maxAgeMs` (5 s). `now` is in milliseconds, at the time of the call. */
  async get(
    key: string,
    now: number,
    read: () => Promise<Result<Value>>,
    { isAway = isDatabaseAway, maxAgeMs = FRESH_MS }: ReadOptions = {},
  ): Promise<Result<Value>> {
    const known = this.find(key, now, maxAgeMs);
    if (known !== null) return ok(known);
    if (this.#pause.isOn(now)) return this.#useStale(key, now);
    const generation = this.#generation;
    const readAndStore = async () => {
      const result = await read();
      if (result.ok) this.store(key, result.value, now, generation);
      return result;
    };
    const joined = this.#flights.run(`${generation} ${maxAgeMs} ${key}`, readAndStore, now);
    // The request that reads for this one too can have been cut off.
    const made = (await awaitWithin(this.#timer, JOIN_MS, joined, null)) ?? (await readAndStore());
    if (made.ok) {
      this.#pause.end();
      return made;
    }
    if (!isAway(made.error)) {
      this.#entries.delete(key);
      return made;
    }
    this.#pause.begin(now);
    return this.#useStale(key, now);
  }

  /** Returns a value that is at most this old; null without one. */
  find(key: string, now: number, maxAgeMs: number = STALE_MS): Value | null {
    const entry = this.#entries.get(key);
    return entry !== undefined && now - entry.readAt <= maxAgeMs && now >= entry.readAt ? entry.value : null;
  }

  /** Counts the drops so far, for `store`. */
  get generation(): number {
    return this.#generation;
  }

  /** Stores a value that was read at `readAt`, unless values were dropped since `generation`. */
  store(key: string, value: Value, readAt: number, generation: number = this.#generation): void {
    if (generation !== this.#generation) return;
    this.#entries.delete(key);
    this.#entries.set(key, { value, readAt });
    for (const [oldest, entry] of this.#entries) {
      if (this.#entries.size <= MAX_ENTRIES && readAt - entry.readAt <= STALE_MS) break;
      this.#entries.delete(oldest);
    }
  }

  /** Drops the values of a tenant: they are read again. */
  forget(tenant: string): void {
    this.#generation += 1;
    for (const key of this.#entries.keys()) if (key.startsWith(`${tenant} `)) this.#entries.delete(key);
  }

  #useStale(key: string, now: number): Result<Value> {
    const stale = this.find(key, now);
    return stale === null ? UNCHECKED : ok(stale);
  }
}

const UNCHECKED = failed("upstream_failed", "Otto cannot check the account now. Try again later.", { retry: "later" });

/** `client` is null for an app that was removed. */
export interface KnownApp {
  readonly client: AppClient | null;
}

/** A tenant's own key of the catalogue's provider; null without one. */
export interface KnownKey {
  readonly own: { readonly id: string; readonly value: string } | null;
}

/** What an isolate knows of the connections of all tenants. */
export interface ConnectionCaches {
  /** By app and person: the person's and the shared ones. Without a person: the shared ones. */
  readonly rows: AgedCache<readonly Connection[]>;
  readonly apps: AgedCache<KnownApp>;
  /** By connection and consent. */
  readonly bearers: AgedCache<Bearer>;
  /** By connection, consent and key. */
  readonly providerAccounts: AgedCache<AppAccount>;
  /** The own key of a tenant. */
  readonly providerKeys: AgedCache<KnownKey>;
  /** When the last use of a connection was noted. */
  readonly usedAt: Map<string, number>;
}

export function createConnectionCaches(): ConnectionCaches {
  const pause = new FailurePause(PAUSE_MS);
  return {
    rows: new AgedCache(pause),
    apps: new AgedCache(pause),
    bearers: new AgedCache(),
    providerAccounts: new AgedCache(),
    providerKeys: new AgedCache(pause),
    usedAt: new Map(),
  };
}

/** Makes the next request of this isolate read a tenant's connections again. */
export function forgetConnections(caches: ConnectionCaches, tenant: string): void {
  const { rows, apps, bearers, providerAccounts, providerKeys } = caches;
  for (const cache of [rows, apps, bearers, providerAccounts, providerKeys]) cache.forget(tenant);
}
