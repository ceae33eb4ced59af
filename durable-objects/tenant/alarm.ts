/**
 * The one alarm of a tenant's object: for the next index batch, background job or expiry. Each of them has its time in
 * memory, read once per instance, so that arming reads no row.
 */
import type { TenantBackgroundJobs } from "./background-jobs.ts";
import type { TenantTaskIndex } from "./task-index.ts";
import type { TenantOutbox } from "./outbox.ts";
import type { TenantStore } from "./store.ts";
import type { TenantTables } from "./tables.ts";
import { Alarm } from "../base/alarm.ts";

/** Expiry is rounded up to the minute, so that one alarm deletes what expired in it. */
const FORGET_EVERY_MS = 60_000;

interface Parts {
  readonly tables: TenantTables;
  readonly store: TenantStore;
  readonly outbox: TenantOutbox;
  readonly index: TenantTaskIndex;
  readonly jobs: TenantBackgroundJobs;
}

export class TenantAlarm {
  private readonly parts: Parts;
  private readonly alarm: Alarm;
  /** The time that this instance set. 0 until it sets one. */
  private setTo = 0;

  constructor(parts: Parts) {
    this.parts = parts;
    this.alarm = new Alarm(parts.tables.storage);
  }

  /** Runs the handler of the alarm, for what is due by the time it was set to. Never throws. */
  async run(name: string, work: (dueBy: number) => Promise<void>): Promise<void> {
    const dueBy = Math.max(Date.now(), this.setTo);
    await this.alarm.run(
      name,
      async () => await work(dueBy),
      () => this.arm(),
    );
  }

  /** Sets the alarm unless it fires early enough. An erased tenant has no alarm. */
  arm(): void {
    const { tables, store, outbox, index, jobs } = this.parts;
    if (tables.isErased()) return;
    const now = Date.now();
    const oldAt = Math.min(store.nextExpiryAt() ?? Infinity, outbox.nextExpiryAt() ?? Infinity);
    const at = Math.min(
      index.nextSendAt(now) ?? Infinity,
      jobs.nextAt(now),
      Math.ceil(oldAt / FORGET_EVERY_MS) * FORGET_EVERY_MS,
    );
    if (at === Infinity || this.alarm.isSetBy(at)) return;
    this.setTo = at;
    this.alarm.set(at);
  }

  remove(): void {
    this.alarm.set(null);
  }
}
