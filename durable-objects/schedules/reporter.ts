/** What a schedule tells Postgres: its row, who did what to it, and at last that it is gone; and what it asks there. */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { tenantsFromEnv } from "../../adapters/env/tenants.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { ok, type Result, toFailure } from "../../core/base/errors.ts";
import { getDeletionTime, getNextWake } from "../../core/schedules/decide-runs.ts";
import type { ScheduleState } from "../../core/schedules/schedule.ts";
import { computeSendDelayMs } from "../../core/tenant/index-outbox.ts";
import type { ScheduleStore } from "./store.ts";

/** So long a database that was restored from a backup brings no deleted schedule back. */
const REMEMBER_REMOVAL_MS = 90 * 86_400_000;

export class ScheduleReporter {
  private readonly env: Env;
  private readonly store: ScheduleStore;
  private failures = 0;
  private reporting: Promise<void> | null = null;
  private leaving = false;
  private isNoted = false;

  constructor(env: Env, store: ScheduleStore) {
    this.env = env;
    this.store = store;
  }

  /** When there is something to tell Postgres; Infinity: there never is, until something changes. */
  nextAt(): number {
    const stored = this.store.load();
    if (stored === null) return Infinity;
    const now = Date.now();
    const isTold = stored.reported >= stored.report && !this.hasUntoldActs();
    if (!isTold) return now + computeSendDelayMs(this.failures);
    const goes = getDeletionTime(stored.state, this.store.open()) ?? Infinity;
    return this.failures === 0 ? goes : Math.max(goes, now + computeSendDelayMs(this.failures));
  }

  /** Whether its row is being removed for good. */
  isLeaving(): boolean {
    return this.leaving;
  }

  /** Whether the tenant has room for this schedule, which is over, to come back. Never throws. */
  async mayReturn({ tenant, id }: ScheduleState): Promise<Result<void>> {
    return await this.ask(() => databaseFromEnv(this.env).schedules.checkReactivation(tenant, id));
  }

  /** Whether somebody did something that the audit log did not take yet. */
  hasUntoldActs(): boolean {
    return this.store.load() !== null && this.store.acts().length > 0;
  }

  /** Tells Postgres how the schedule stands, once. Never throws: what it does not take is told again by the alarm. */
  async report(): Promise<void> {
    this.reporting ??= this.reportOnce().finally(() => {
      this.reporting = null;
    });
    await this.reporting;
  }

  /** Creates the row where it is gone. Never throws. */
  async restore(): Promise<Result<void>> {
    const stored = this.store.load();
    if (stored === null) return ok(undefined);
    const { state, report } = stored;
    const wakeAt = getNextWake(state, this.store.open(), Date.now());
    return await this.ask(() => databaseFromEnv(this.env).schedules.restore(state.tenant, { state, report, wakeAt }));
  }

  /** Tells the tenant's object of a schedule that an earlier release made, once for each time that this one is loaded. */
  private async note(): Promise<void> {
    const stored = this.store.load();
    if (stored === null || this.isNoted) return;
    this.isNoted = true;
    const { tenant, id } = stored.state;
    await tenantsFromEnv(this.env)(tenant)
      .noteSchedule(id)
      .catch((thrown: unknown) => console.warn("a schedule was not noted", id, thrown));
  }

  /**
   * A schedule that has been over for long enough goes, its row first. While the database is away, it stays, and so it does
   * while the audit log misses anything of it. Never throws.
   */
  async goOnceOver(): Promise<void> {
    const stored = this.store.load();
    const at = stored === null ? null : getDeletionTime(stored.state, this.store.open());
    if (stored === null || at === null || at > Date.now() || this.hasUntoldActs()) return;
    const { tenant, id } = stored.state;
    // Whoever is heard from here on hears that it is gone, so that nothing is taken which is erased below.
    this.leaving = true;
    try {
      const removed = await this.ask(() => databaseFromEnv(this.env).schedules.remove(tenant, id, null));
      if (removed.ok || removed.error.code === "not_found") await this.store.erase();
      else this.failures += 1;
    } finally {
      this.leaving = false;
    }
  }

  /** Removes the row of one that was deleted, if it is there. After a while, the deletion is forgotten too. Never throws. */
  async finishRemoval(): Promise<void> {
    const removal = this.store.removal();
    if (removal === null) return;
    const { at, tenant, id, act } = removal;
    const removed = await this.ask(() => databaseFromEnv(this.env).schedules.remove(tenant, id, act));
    const isGone = removed.ok || removed.error.code === "not_found";
    this.failures = isGone ? 0 : this.failures + 1;
    const now = Date.now();
    if (!isGone) {
      console.error("the row of a deleted schedule waits for the database", id, removed.error.code);
      this.store.wakeRemoved(now + computeSendDelayMs(this.failures));
    } else if (now < at + REMEMBER_REMOVAL_MS) this.store.wakeRemoved(at + REMEMBER_REMOVAL_MS);
    else await this.store.erase();
  }

  private async reportOnce(): Promise<void> {
    await this.note();
    const acts = await this.reportActs();
    const reported = acts.ok ? await this.reportRow() : acts;
    this.failures = reported.ok ? 0 : this.failures + 1;
    if (reported.ok) return;
    const { code, details } = reported.error;
    console.error("a schedule waits for the database", this.store.load()?.state.id, code, details);
  }

  /** An entry that is added again is the same one. */
  private async reportActs(): Promise<Result<void>> {
    const stored = this.store.load();
    if (stored === null) return ok(undefined);
    for (const act of this.store.acts()) {
      const added = await this.ask(() => databaseFromEnv(this.env).audit.add(stored.state.tenant, act));
      if (!added.ok || this.store.load() === null) return added;
      this.store.dropAct(act.id);
    }
    return ok(undefined);
  }

  private async reportRow(): Promise<Result<void>> {
    const stored = this.store.load();
    if (stored === null || stored.reported >= stored.report) return ok(undefined);
    const { state, report } = stored;
    const wakeAt = getNextWake(state, this.store.open(), Date.now());
    const told = await this.ask(() =>
      databaseFromEnv(this.env).schedules.report(state.tenant, { state, report, wakeAt }),
    );
    if (told.ok && this.store.load() !== null) this.store.markReported(report);
    return told;
  }

  private async ask<T>(work: () => Promise<Result<T>>): Promise<Result<T>> {
    try {
      return await work();
    } catch (thrown) {
      return { ok: false, error: toFailure(thrown) };
    }
  }
}
