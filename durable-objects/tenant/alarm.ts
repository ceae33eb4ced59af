/** The one alarm of a tenant's object: for the next sending, the next background work, or the next thing to forget. */
import type { TenantErrands } from "./background-jobs.ts";
import type { TenantIndex } from "./task-index.ts";
import type { TenantOutbox } from "./outbox.ts";
import type { TenantStore } from "./store.ts";
import type { TenantTables } from "./tables.ts";
import { Alarm } from "../base/alarm.ts";

/** Forgetting waits for the end of the minute, so that one alarm forgets all that a minute brought. */
const FORGET_EVERY_MS = 60_000;

interface Parts {
  readonly tables: TenantTables;
  readonly store: TenantStore;
  readonly outbox: TenantOutbox;
  readonly index: TenantIndex;
  readonly errands: TenantErrands;
}

export class TenantAlarm {
  private readonly parts: Parts;
  private readonly alarm: Alarm;

  constructor(parts: Parts) {
    this.parts = parts;
    this.alarm = new Alarm(parts.tables.storage);
  }

  /** The alarm fired. */
  cleared(): void {
    this.alarm.cleared();
  }

  /** Sets the alarm, unless it comes early enough. An erased tenant needs none. */
  arm(notBefore = 0): void {
    const { tables, store, outbox, index, errands } = this.parts;
    if (tables.isErased()) return;
    const now = Date.now();
    const oldAt = Math.min(store.nextForgottenAt() ?? Infinity, outbox.nextForgottenAt() ?? Infinity);
    const at = Math.min(
      index.nextSendAt(now) ?? Infinity,
      errands.nextAt(now),
      Math.ceil(oldAt / FORGET_EVERY_MS) * FORGET_EVERY_MS,
    );
    if (at !== Infinity && !this.alarm.isSetBy(at)) this.alarm.set(Math.max(at, notBefore));
  }

  /** Something was stored for the index: the alarm comes soon enough to send it. */
  armForIndex(): void {
    if (!this.alarm.isSetBy(this.parts.index.sendAt(Date.now()))) this.arm();
  }

  /** The tenant is erased. */
  remove(): void {
    this.alarm.set(null);
  }
}
