/**
 * Reports a schedule to Postgres: its row, changes for the audit log, and its deletion. Also reads what only Postgres
 * knows.
 */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { tenantsFromEnv } from "../../adapters/env/tenants.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { ok, type Result, toFailure } from "../../core/base/errors.ts";
import { getDeletionTime, getNextWake } from "../../core/schedules/decide-runs.ts";
import type { ScheduleState } from "../../core/schedules/schedule.ts";
import type { CallingPerson } from "../../core/task/new-task.ts";
import { computeSendDelayMs } from "../../core/tenant/index-outbox.ts";
import type { ScheduleStore } from "./store.ts";

/** How long a database restored from a backup must not bring a deleted schedule back. */
const REMOVAL_RETENTION_MS = 90 * 86_400_000;

export class ScheduleReporter {
  private readonly env: Env;
  private readonly store: ScheduleStore;
  private failures = 0;
  private reporting: Promise<void> | null = null;
  private deleting = false;
  private isRegistered = false;

  constructor(env: Env, store: ScheduleStore) {
    this.env = env;
    this.store = store;
  }

  /** Returns when to report next; Infinity when everything is reported. */
  nextAt(): number {
    const stored = this.store.load();
    if (stored === null) return Infinity;
    const now = Date.now();
    const isReported = stored.reported >= stored.report && !this.hasUnrecordedActs();
    if (!isReported) return now + computeSendDelayMs(this.failures);
    const deleteAt = getDeletionTime(stored.state, this.store.listOpen()) ?? Infinity;
    return this.failures === 0 ? deleteAt : Math.max(deleteAt, now + computeSendDelayMs(this.failures));
  }

  /** True while the schedule and its row are being deleted. */
  isDeleting(): boolean {
    return this.deleting;
  }

  /** Checks that the tenant's limit lets this ended schedule be reactivated. Never throws. */
  async canReactivate({ tenant, id }: ScheduleState): Promise<Result<void>> {
    return await this.catchFailure(() => databaseFromEnv(this.env).schedules.checkReactivation(tenant, id));
  }

  /** Finds a person for whom a task is to act; null if the record was deleted. Never throws. */
  async findPerson(tenant: string, id: string): Promise<Result<CallingPerson | null>> {
    const found = await this.catchFailure(() => databaseFromEnv(this.env).people.get(tenant, id));
    if (!found.ok) return found.error.code === "not_found" ? ok(null) : found;
    const { name, timeZone } = found.value;
    return ok({ person: id, name, timeZone });
  }

  /** True when a change is not in the audit log yet. */
  hasUnrecordedActs(): boolean {
    return this.store.load() !== null && this.store.listActs().length > 0;
  }

  /** Reports the schedule once. Never throws: the alarm retries failures. */
  async report(): Promise<void> {
    this.reporting ??= this.reportOnce().finally(() => {
      this.reporting = null;
    });
    await this.reporting;
  }

  /** Creates a missing row. Never throws. */
  async restore(): Promise<Result<void>> {
    const stored = this.store.load();
    if (stored === null) return ok(undefined);
    const { state, report } = stored;
    const wakeAt = getNextWake(state, this.store.listOpen(), Date.now());
    return await this.catchFailure(() =>
      databaseFromEnv(this.env).schedules.restore(state.tenant, { state, report, wakeAt }),
    );
  }

  /** Registers a schedule of an earlier release at the tenant's object, once per load. */
  private async register(): Promise<void> {
    const stored = this.store.load();
    if (stored === null || this.isRegistered) return;
    this.isRegistered = true;
    const { tenant, id } = stored.state;
    await tenantsFromEnv(this.env)(tenant)
      .noteSchedule(id)
      .catch((thrown: unknown) => console.warn("a schedule was not registered", id, thrown));
  }

  /**
   * Deletes a schedule that ended long enough ago, its row first. It stays while the database is unavailable or the
   * audit log lacks a change. Never throws.
   */
  async deleteExpired(): Promise<void> {
    const stored = this.store.load();
    const at = stored === null ? null : getDeletionTime(stored.state, this.store.listOpen());
    if (stored === null || at === null || at > Date.now() || this.hasUnrecordedActs()) return;
    const { tenant, id } = stored.state;
    // Calls from here on find no schedule, so that nothing is accepted that is erased below.
    this.deleting = true;
    try {
      const removed = await this.catchFailure(() => databaseFromEnv(this.env).schedules.remove(tenant, id, null));
      if (removed.ok || removed.error.code === "not_found") await this.store.erase();
      else this.failures += 1;
    } finally {
      this.deleting = false;
    }
  }

  /** Deletes the row of a deleted schedule. After a while the record of the deletion is deleted too. Never throws. */
  async finishRemoval(): Promise<void> {
    const removal = this.store.findRemoval();
    if (removal === null) return;
    const { at, tenant, id, act } = removal;
    const removed = await this.catchFailure(() => databaseFromEnv(this.env).schedules.remove(tenant, id, act));
    const isGone = removed.ok || removed.error.code === "not_found";
    this.failures = isGone ? 0 : this.failures + 1;
    const now = Date.now();
    if (!isGone) {
      console.error("the row of a deleted schedule could not be deleted", id, removed.error.code);
      this.store.armForRemoval(now + computeSendDelayMs(this.failures));
    } else if (now < at + REMOVAL_RETENTION_MS) this.store.armForRemoval(at + REMOVAL_RETENTION_MS);
    else await this.store.erase();
  }

  private async reportOnce(): Promise<void> {
    await this.register();
    const acts = await this.reportActs();
    const reported = acts.ok ? await this.reportRow() : acts;
    this.failures = reported.ok ? 0 : this.failures + 1;
    if (reported.ok) return;
    const { code, details } = reported.error;
    console.error("a schedule could not be reported", this.store.load()?.state.id, code, details);
  }

  /** Idempotent: a repeated entry has the same id. */
  private async reportActs(): Promise<Result<void>> {
    const stored = this.store.load();
    if (stored === null) return ok(undefined);
    for (const act of this.store.listActs()) {
      const added = await this.catchFailure(() => databaseFromEnv(this.env).audit.add(stored.state.tenant, act));
      if (!added.ok || this.store.load() === null) return added;
      this.store.deleteAct(act.id);
    }
    return ok(undefined);
  }

  private async reportRow(): Promise<Result<void>> {
    const stored = this.store.load();
    if (stored === null || stored.reported >= stored.report) return ok(undefined);
    const { state, report } = stored;
    const wakeAt = getNextWake(state, this.store.listOpen(), Date.now());
    const reported = await this.catchFailure(() =>
      databaseFromEnv(this.env).schedules.report(state.tenant, { state, report, wakeAt }),
    );
    if (reported.ok && this.store.load() !== null) this.store.markReported(report);
    return reported;
  }

  private async catchFailure<T>(work: () => Promise<Result<T>>): Promise<Result<T>> {
    try {
      return await work();
    } catch (thrown) {
      return { ok: false, error: toFailure(thrown) };
    }
  }
}
