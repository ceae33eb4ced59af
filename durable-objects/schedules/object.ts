/**
 * One schedule. `core/schedules/decide-runs.ts` decides which occurrences run; `durable-objects/schedules/engine.ts` carries
 * that out. Its one alarm is the next due time; a paused or ended schedule has none.
 */
import { DurableObject } from "cloudflare:workers";
import type { Env } from "../../adapters/env/bindings.ts";
import type { AuditEntry } from "../../core/ports/audit.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { changeSchedule, isReactivated, pauseSchedule, resumeSchedule } from "../../core/schedules/change.ts";
import { decideRequestedRun } from "../../core/schedules/decide-runs.ts";
import { getRunKey, type Occurrence, type RunEnd } from "../../core/schedules/occurrence.ts";
import type { OccurrencePage, ScheduleRpc } from "../../core/schedules/rpc.ts";
import type { ScheduleConfig, ScheduleState } from "../../core/schedules/schedule.ts";
import { ScheduleEngine } from "./engine.ts";
import { ScheduleReporter } from "./reporter.ts";
import { ScheduleStore } from "./store.ts";

const NO_SCHEDULE = failed("not_found", "There is no such schedule.");
const ACTS_UNTOLD = failed(
  "upstream_failed",
  "The audit log did not take yet what was done to this schedule before. Nothing was deleted. Try again.",
  { retryAfterMs: 1_000 },
);

const FIRST = { report: 1, reported: 1 };

/** What a schedule becomes. */
type Change = (state: ScheduleState, now: number) => Result<ScheduleState>;

export class ScheduleObject extends DurableObject<Env> implements ScheduleRpc {
  private readonly store = new ScheduleStore(this.ctx.storage);
  private readonly reporter = new ScheduleReporter(this.env, this.store);
  private readonly engine = new ScheduleEngine(this.env, {
    store: this.store,
    reporter: this.reporter,
  });

  async create(state: ScheduleState, lastReport?: number): Promise<Result<ScheduleState>> {
    if (this.store.load() === null && this.store.removal() === null) {
      // Its maker stored the row, as the first report.
      this.store.create(state, lastReport === undefined ? FIRST : { report: lastReport + 1, reported: lastReport });
      this.engine.arm();
    }
    return this.view();
  }

  async view(): Promise<Result<ScheduleState>> {
    const stored = this.store.load();
    return stored === null ? NO_SCHEDULE : ok(stored.state);
  }

  async change(config: ScheduleConfig, ifVersion: number | null, act: AuditEntry): Promise<Result<ScheduleState>> {
    return await this.become((state, now) => changeSchedule(state, { config, ifVersion }, now), act);
  }

  async pause(act: AuditEntry): Promise<Result<ScheduleState>> {
    return await this.become((state, now) => ok(pauseSchedule(state, now)), act);
  }

  async resume(act: AuditEntry): Promise<Result<ScheduleState>> {
    return await this.become(resumeSchedule, act);
  }

  async run(name: string, act: AuditEntry): Promise<Result<Occurrence>> {
    const stored = this.store.load();
    if (stored === null || this.reporter.isLeaving()) return NO_SCHEDULE;
    const key = getRunKey(name);
    if (this.store.occurrence(key) === null) {
      this.engine.apply(decideRequestedRun(stored.state, { key, due: act.at }, this.store.open(), Date.now()), act);
      await this.reporter.report();
    }
    const occurrence = this.store.occurrence(key);
    return occurrence === null ? NO_SCHEDULE : ok(occurrence);
  }

  async occurrences(after: OccurrencePage["next"], limit: number): Promise<Result<OccurrencePage>> {
    return this.store.load() === null ? NO_SCHEDULE : ok(this.store.page(after, limit));
  }

  async taskEnded(task: string, status: RunEnd["status"], why: RunEnd["why"] = null): Promise<void> {
    this.engine.taskEnded(task, { status, why });
  }

  async poke(): Promise<Result<void>> {
    this.store.alarm.doubt();
    if (this.store.removal() !== null) {
      await this.reporter.finishRemoval();
      return ok(undefined);
    }
    if (this.store.load() === null) return NO_SCHEDULE;
    this.store.doubtReport();
    this.engine.arm();
    return ok(undefined);
  }

  async restore(): Promise<Result<void>> {
    if (this.store.load() === null || this.reporter.isLeaving()) return NO_SCHEDULE;
    const restored = await this.reporter.restore();
    this.engine.arm();
    return restored;
  }

  async remove(act: AuditEntry | null = null): Promise<Result<void>> {
    if (this.store.load() === null) return NO_SCHEDULE;
    await this.reporter.report();
    // A report that was under way may have begun before the last of them.
    if (this.reporter.hasUntoldActs()) await this.reporter.report();
    if (this.reporter.hasUntoldActs()) return ACTS_UNTOLD;
    const state = this.store.load()?.state;
    if (state !== undefined) this.store.remove({ tenant: state.tenant, id: state.id, at: Date.now(), act });
    return ok(undefined);
  }

  async erase(): Promise<void> {
    // What is under way is waited for, and who changed it is told, as far as somebody listens.
    await this.reporter.report();
    await this.store.erase();
  }

  override async alarm(): Promise<void> {
    this.store.alarm.cleared();
    if (this.store.removal() === null) await this.engine.run();
    else await this.reporter.finishRemoval();
  }

  /** One that is over comes back only where there is room. All else is done while the database is away. */
  private async become(change: Change, act: AuditEntry): Promise<Result<ScheduleState>> {
    let changed = this.judged(change);
    const before = this.store.load()?.state;
    if (changed.ok && before !== undefined && isReactivated(before, changed.value)) {
      const room = await this.reporter.mayReturn(before);
      // Others were heard meanwhile.
      changed = room.ok ? this.judged(change) : room;
    }
    if (!changed.ok) return changed;
    this.engine.apply({ state: changed.value, occurrences: [], alerts: [] }, act);
    await this.reporter.report();
    this.engine.arm();
    return this.view();
  }

  /** What is due by now is decided about first, by the rule that it was due under. */
  private judged(change: Change): Result<ScheduleState> {
    if (this.store.load() === null || this.reporter.isLeaving()) return NO_SCHEDULE;
    this.engine.decide();
    const stored = this.store.load();
    return stored === null ? NO_SCHEDULE : change(stored.state, Date.now());
  }
}
