/**
 * One schedule. `core/schedules` decides about its occurrences; `engine.ts` runs the decisions. Its alarm is the next
 * occurrence: a paused or ended schedule has none.
 */
import { DurableObject } from "cloudflare:workers";
import type { Env } from "../../adapters/env/bindings.ts";
import type { AuditEntry } from "../../core/ports/audit.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import type { Actor } from "../../core/connections/actors.ts";
import { type Confirmation, confirmSchedule } from "../../core/schedules/acts-for.ts";
import { changeSchedule, isReactivated, pauseSchedule, resumeSchedule } from "../../core/schedules/change.ts";
import { decideRequestedRun } from "../../core/schedules/decide-runs.ts";
import { getRunKey, type Occurrence, type RunEnd } from "../../core/schedules/occurrence.ts";
import type { OccurrencePage, ScheduleRpc } from "../../core/schedules/rpc.ts";
import type { ScheduleConfig, ScheduleState } from "../../core/schedules/schedule.ts";
import { ScheduleEngine } from "./engine.ts";
import { ScheduleReporter } from "./reporter.ts";
import { ScheduleStore } from "./store.ts";

const NO_SCHEDULE = failed("not_found", "There is no such schedule.");
const ACTS_UNRECORDED = failed(
  "upstream_failed",
  "Earlier changes to this schedule are not in the audit log yet. Nothing was deleted. Try again.",
  { retryAfterMs: 1_000 },
);

const FIRST = { report: 1, reported: 1 };

/** A change of a schedule. */
type Change = (state: ScheduleState, now: number) => Result<ScheduleState>;

export class ScheduleObject extends DurableObject<Env> implements ScheduleRpc {
  private readonly store = new ScheduleStore(this.ctx.storage);
  private readonly reporter = new ScheduleReporter(this.env, this.store);
  private readonly engine = new ScheduleEngine(this.env, {
    store: this.store,
    reporter: this.reporter,
  });

  async create(state: ScheduleState, lastReport?: number): Promise<Result<ScheduleState>> {
    if (this.store.load() === null && this.store.findRemoval() === null) {
      // The creator stored the row, as the first report.
      this.store.create(state, lastReport === undefined ? FIRST : { report: lastReport + 1, reported: lastReport });
      this.engine.arm();
    }
    return this.view();
  }

  async view(): Promise<Result<ScheduleState>> {
    const stored = this.store.load();
    return stored === null ? NO_SCHEDULE : ok(stored.state);
  }

  async change(
    config: ScheduleConfig,
    ifVersion: number | null,
    act: AuditEntry,
    by: Actor | null = null,
  ): Promise<Result<ScheduleState>> {
    return await this.applyChange((state, now) => changeSchedule(state, { config, ifVersion, by }, now), act);
  }

  async confirm(confirmation: Confirmation, act: AuditEntry): Promise<Result<ScheduleState>> {
    return await this.applyChange((state, now) => confirmSchedule(state, confirmation, now), act);
  }

  async pause(act: AuditEntry): Promise<Result<ScheduleState>> {
    return await this.applyChange((state, now) => ok(pauseSchedule(state, now)), act);
  }

  async resume(act: AuditEntry): Promise<Result<ScheduleState>> {
    return await this.applyChange(resumeSchedule, act);
  }

  async run(name: string, act: AuditEntry): Promise<Result<Occurrence>> {
    const stored = this.store.load();
    if (stored === null || this.reporter.isDeleting()) return NO_SCHEDULE;
    const key = getRunKey(name);
    if (this.store.findOccurrence(key) === null) {
      this.engine.apply(decideRequestedRun(stored.state, { key, due: act.at }, this.store.listOpen(), Date.now()), act);
      await this.reporter.report();
    }
    const occurrence = this.store.findOccurrence(key);
    return occurrence === null ? NO_SCHEDULE : ok(occurrence);
  }

  async occurrences(after: OccurrencePage["next"], limit: number): Promise<Result<OccurrencePage>> {
    return this.store.load() === null ? NO_SCHEDULE : ok(this.store.listPage(after, limit));
  }

  async taskEnded(task: string, status: RunEnd["status"], why: RunEnd["why"] = null): Promise<void> {
    this.engine.taskEnded(task, { status, why });
  }

  async poke(): Promise<Result<void>> {
    this.store.alarm.invalidate();
    if (this.store.findRemoval() !== null) {
      await this.reporter.finishRemoval();
      return ok(undefined);
    }
    if (this.store.load() === null) return NO_SCHEDULE;
    this.store.requireReport();
    this.engine.arm();
    return ok(undefined);
  }

  async restore(): Promise<Result<void>> {
    if (this.store.load() === null || this.reporter.isDeleting()) return NO_SCHEDULE;
    const restored = await this.reporter.restore();
    this.engine.arm();
    return restored;
  }

  async remove(act: AuditEntry | null = null): Promise<Result<void>> {
    if (this.store.load() === null) return NO_SCHEDULE;
    await this.reporter.report();
    // A running report may have started before the last change.
    if (this.reporter.hasUnrecordedActs()) await this.reporter.report();
    if (this.reporter.hasUnrecordedActs()) return ACTS_UNRECORDED;
    const state = this.store.load()?.state;
    if (state !== undefined) this.store.remove({ tenant: state.tenant, id: state.id, at: Date.now(), act });
    return ok(undefined);
  }

  async erase(): Promise<void> {
    // Waits for a running report, and reports changes as far as possible.
    await this.reporter.report();
    await this.store.erase();
  }

  override async alarm(): Promise<void> {
    const name = `schedule ${this.ctx.id.name ?? this.ctx.id.toString()}`;
    await this.store.alarm.run(
      name,
      () => (this.store.findRemoval() === null ? this.engine.run() : this.reporter.finishRemoval()),
      () => this.arm(),
    );
  }

  /** Sets the alarm. The record of a deletion has set its own. */
  private arm(): void {
    if (this.store.findRemoval() === null) this.engine.arm();
  }

  /** An ended schedule is reactivated only below the tenant's limit. Every other change works while the database is unavailable. */
  private async applyChange(change: Change, act: AuditEntry): Promise<Result<ScheduleState>> {
    let changed = this.decideChange(change);
    const before = this.store.load()?.state;
    if (changed.ok && before !== undefined && isReactivated(before, changed.value)) {
      const room = await this.reporter.canReactivate(before);
      // Other changes may have arrived meanwhile.
      changed = room.ok ? this.decideChange(change) : room;
    }
    if (!changed.ok) return changed;
    this.engine.applyChange(changed.value, act);
    await this.reporter.report();
    this.engine.arm();
    return this.view();
  }

  /** Decides about occurrences that are due by now first, under the rule that they were due under. */
  private decideChange(change: Change): Result<ScheduleState> {
    if (this.store.load() === null || this.reporter.isDeleting()) return NO_SCHEDULE;
    this.engine.decide();
    const stored = this.store.load();
    return stored === null ? NO_SCHEDULE : change(stored.state, Date.now());
  }
}
