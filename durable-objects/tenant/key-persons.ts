/**
 * Whose the tenant's keys are. The object stores the person with the record of a key, so that a request knows it without
 * Postgres, which is authoritative.
 *
 * - A change drops the stored person of the keys that it concerns, before it is written. They read it again, so neither a
 *   lost call nor the order of two changes leaves a stale one.
 * - A person that was read near a change of it is used for a second but not stored: the change may not have been written yet.
 * - A record without a person that cannot be read acts for nobody.
 */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { awaitWithin } from "../../core/base/deadline.ts";
import { failed } from "../../core/base/errors.ts";
import { FailurePause } from "../../core/base/failure-pause.ts";
import { OPERATOR } from "../../core/tenant/keys.ts";
import type { KeyPerson, KeyRecord, PersonChange } from "../../core/tenant/rpc.ts";
import type { TenantStore } from "./store.ts";
import type { TenantTables } from "./tables.ts";

/** How long a change may need to be written. A request that changes a person is cut off long before. */
const UNSETTLED_MS = 60_000;
/** Maximum wait of a request for a person, and the pause after a failure. */
const READ_WITHIN_MS = 1_000;
const PAUSE_MS = 5_000;

/** How long a person that is not stored is used for further requests, and of how many keys. */
const RECENT_MS = 1_000;
const MAX_RECENT = 1_000;

const LATE = failed("timeout", "The database did not answer in time.");

interface Parts {
  readonly tables: Pick<TenantTables, "isErased">;
  readonly store: Pick<TenantStore, "storeKey" | "forgetPerson">;
}

interface RecentPerson {
  readonly person: KeyPerson | null;
  readonly stamp: string;
  readonly readAt: number;
}

export class TenantKeyPersons {
  private readonly env: Env;
  private readonly parts: Parts;
  /** Until when a changed key or person may not be written yet, by its id. */
  private readonly unsettled = new Map<string, number>();
  private readonly pause = new FailurePause(PAUSE_MS);
  private stamp: string = crypto.randomUUID();
  /** Persons that were read in the last second, by the hash of their key. */
  private readonly recent = new Map<string, RecentPerson>();

  constructor(env: Env, parts: Parts) {
    this.env = env;
    this.parts = parts;
  }

  /** Changes with every change of a person. A record that was read under it is up to date while it is valid. */
  getStamp(): string {
    return this.stamp;
  }

  /** Drops the person of every key that the change concerns. */
  change(change: PersonChange, now: number): void {
    if (this.parts.tables.isErased()) return;
    for (const [id, until] of this.unsettled) if (until <= now) this.unsettled.delete(id);
    this.unsettled.set("key" in change ? change.key : change.person, now + UNSETTLED_MS);
    this.stamp = crypto.randomUUID();
    this.parts.store.forgetPerson(change);
  }

  /** Drops every person, after Postgres was restored: it may have other people, and other keys of theirs. */
  forgetAll(): void {
    this.stamp = crypto.randomUUID();
    this.parts.store.forgetPerson(null);
  }

  /** The record to store of one that a Worker read under a stamp. A person that the object has stored is newer. */
  merge(stored: KeyRecord | null, sent: KeyRecord, stamp: string | undefined, now: number): KeyRecord {
    const { person, ...record } = sent;
    if (stored?.person !== undefined) return { ...record, person: stored.person };
    if (person === undefined || stamp !== this.stamp || this.isUnsettled(sent, now)) return record;
    return sent;
  }

  /** Adds the person to a record without one. */
  async complete(hash: string, key: KeyRecord): Promise<KeyRecord> {
    const now = Date.now();
    if (key.person !== undefined || key.id === OPERATOR || this.pause.isOn(now)) return key;
    const { stamp } = this;
    const recent = this.recent.get(hash);
    if (recent?.stamp === stamp && now - recent.readAt < RECENT_MS) return { ...key, person: recent.person };
    const person = await this.read(key);
    if (person === undefined) return key;
    const whole = { ...key, person };
    if (this.recent.size >= MAX_RECENT) this.recent.clear();
    this.recent.set(hash, { person, stamp, readAt: now });
    const isCurrent = stamp === this.stamp && !this.isUnsettled(whole, Date.now());
    if (isCurrent && !this.parts.tables.isErased()) this.parts.store.storeKey(hash, whole);
    return whole;
  }

  /** Undefined while Postgres is away. A key that Postgres does not have belongs to nobody. */
  private async read({ tenant, id }: KeyRecord): Promise<KeyPerson | null | undefined> {
    const read = databaseFromEnv(this.env).keys.get(tenant, id);
    const found = await awaitWithin(globalThis, READ_WITHIN_MS, read, LATE);
    if (found.ok) return found.value.person;
    if (found.error.code === "not_found") return null;
    this.pause.begin(Date.now());
    return undefined;
  }

  private isUnsettled({ id, person }: KeyRecord, now: number): boolean {
    return [id, person?.id].some((subject) => subject !== undefined && (this.unsettled.get(subject) ?? 0) > now);
  }
}
