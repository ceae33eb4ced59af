/**
 * The work of a schedule, done by its alarm: it decides about what is due, has tasks made, looks at those that it made, and
 * tells people. An occurrence is stored before its task is asked for, under the name that makes the same task again.
 */
import { channelsFromEnv } from "../../adapters/env/channels.ts";
import { tasksFromEnv } from "../../adapters/env/tasks.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import type { AuditEntry } from "../../core/ports/audit.ts";
import { CallBudget } from "../../core/base/call-budget.ts";
import type { Result } from "../../core/base/errors.ts";
import { canRetry } from "../../core/gateway/outcome.ts";
import {
  type Decision,
  decideAfterStart,
  decideDueRuns,
  decideTaskEnd,
  getNextWake,
} from "../../core/schedules/decide-runs.ts";
import { computeBackoffMs } from "../../core/base/backoff.ts";
import {
  toRunEnd,
  recordStart,
  isOpen,
  getRecheckTime,
  recordFailedStart,
  type Occurrence,
  type RunEnd,
  completeReminder,
} from "../../core/schedules/occurrence.ts";
import { toDueRule, type ScheduleState } from "../../core/schedules/schedule.ts";
import { toAlert, toReminder } from "../../core/schedules/notifications.ts";
import { openDueClock } from "../../core/schedules/due.ts";
import { hasEnded } from "../../core/task/status.ts";
import type { TaskView } from "../../core/task/view.ts";
import { attempt } from "../../core/base/unanswered.ts";
import { JOB_VERSION } from "../../core/steps/job-version.ts";
import type { ScheduleReporter } from "./reporter.ts";
import type { ScheduleStore } from "./store.ts";

/** An alarm that was cut off goes on after this. It fires beside no running handler, so only a crash makes it fire. */
const GUARD_MS = 2_000;
/** Tasks that one alarm looks at, and calls that it leaves for messages. */
const MAX_LOOKS = 6;
const MESSAGE_CALLS = 3;
/** Ends of tasks that were reported before the reply to their creation arrived. */
const MAX_EARLY_ENDS = 100;
const FAILED_RETRY_MS = 1_000;
/** The longest wait between two tries of a message. */
const MAX_BACKOFF_MS = 60_000;

export class ScheduleEngine {
  private readonly env: Env;
  private readonly store: ScheduleStore;
  private readonly earlyEnds = new Map<string, RunEnd>();
  private readonly reporter: ScheduleReporter;

  constructor(env: Env, { store, reporter }: { readonly store: ScheduleStore; readonly reporter: ScheduleReporter }) {
    this.env = env;
    this.store = store;
    this.reporter = reporter;
  }

  /** Keeps a decision and sets the alarm for what it makes necessary. */
  apply(decision: Decision, act: AuditEntry | null = null): void {
    this.keep(decision, act);
    this.arm();
  }

  private keep({ state, occurrences, alerts }: Decision, act: AuditEntry | null = null): void {
    const now = Date.now();
    const tells = alerts.map((occurrence) => toAlert(state, occurrence, now)).filter((tell) => tell !== null);
    this.store.save({ state, occurrences }, { tells, act }, now);
  }

  /** Sets the one alarm; without anything to do there is none. */
  arm(notBefore = 0): void {
    if (this.store.load() === null) return;
    const at = this.nextAt();
    this.store.alarm.set(at === null ? null : Math.max(at, notBefore));
  }

  /** Never throws. */
  async run(): Promise<void> {
    let notBefore = 0;
    const calls = new CallBudget();
    try {
      if (this.store.load() === null) return;
      this.store.alarm.set(Date.now() + GUARD_MS);
      await this.lookAtTasks(calls);
      this.decide();
      await this.startTasks(calls);
      await this.cancelTasks(calls);
      await this.tell(calls);
      this.store.prune(Date.now());
      await this.reporter.report();
      await this.reporter.goOnceOver();
    } catch (thrown) {
      notBefore = Date.now() + FAILED_RETRY_MS;
      console.error("schedule alarm failed", this.store.load()?.state.id, thrown);
    } finally {
      this.arm(notBefore);
    }
  }

  /** A task of the schedule has ended. One that is not known yet is being made: its end is kept for the answer. */
  taskEnded(task: string, end: RunEnd): void {
    const stored = this.store.load();
    if (stored === null) return;
    const occurrence = this.store.openOf(task);
    if (occurrence !== null) this.end(occurrence, end);
    else if (this.earlyEnds.size < MAX_EARLY_ENDS) this.earlyEnds.set(task, end);
  }

  private nextAt(): number | null {
    const stored = this.store.load();
    if (stored === null) return null;
    const open = this.store.open();
    const wakeAt = getNextWake(stored.state, open, Date.now()) ?? Infinity;
    const tellAt = this.store.tells()[0]?.tryAt ?? Infinity;
    const at = Math.min(wakeAt, tellAt, this.reporter.nextAt(), ...open.map(getRecheckTime));
    return at === Infinity ? null : at;
  }

  /** What was due while the object could not decide is decided about in parts. */
  decide(): void {
    for (;;) {
      const { state } = this.stored();
      const clock = openDueClock(toDueRule(state.config, state.createdAt));
      if (!clock.ok) throw new Error(`a schedule was kept that is never due: ${clock.error.message}`);
      const now = Date.now();
      const decision = decideDueRuns(state, clock.value, this.store.open(), now);
      this.keep(decision);
      if (decision.state.next === null || decision.state.next.at > now) return;
    }
  }

  /** Their ends are reported, but an end that is needed now is not waited for. */
  private async lookAtTasks(calls: CallBudget): Promise<void> {
    const working = this.store
      .open()
      .filter(({ task, gaveWay }) => task !== null && !gaveWay)
      .toSorted((a, b) => (a.lookedAt ?? 0) - (b.lookedAt ?? 0));
    for (const occurrence of working.slice(0, MAX_LOOKS)) {
      calls.count();
      await this.look(occurrence, (task) => task.view());
    }
  }

  /** Each takes two calls at most: one that has ended already is read. */
  private async cancelTasks(calls: CallBudget): Promise<void> {
    for (const occurrence of this.store.open().filter(({ task, gaveWay }) => task !== null && gaveWay)) {
      if (!calls.hasRoom(2)) return;
      calls.count(2);
      await this.look(occurrence, (task) => task.cancel("its schedule"));
    }
  }

  /** Asks an occurrence's task, and keeps that it has ended. Without an answer it works on. */
  private async look(
    { key, task }: Occurrence,
    ask: (task: ReturnType<ReturnType<typeof tasksFromEnv>>) => Promise<Result<TaskView>>,
  ): Promise<void> {
    if (task === null) return;
    const { tenant } = this.stored().state;
    const stub = tasksFromEnv(this.env)(tenant, task);
    let asked = await attempt(() => ask(stub));
    if (!asked.ok && asked.error.code === "conflict") asked = await attempt(() => stub.view());
    const fresh = this.store.occurrence(key);
    if (fresh === null || !isOpen(fresh)) return;
    if (!asked.ok && asked.error.code === "not_found") this.end(fresh, null);
    else if (asked.ok && hasEnded(asked.value.status)) this.end(fresh, toRunEnd(asked.value));
    else this.store.put({ ...fresh, lookedAt: Date.now() });
  }

  /** The next alarm, which comes at once, makes those for which this run has no calls left. */
  private async startTasks(calls: CallBudget): Promise<void> {
    while (calls.hasRoom(1 + MESSAGE_CALLS)) {
      calls.count();
      const now = Date.now();
      const next = this.store.open().find(({ state, tryAt }) => state === "starting" && tryAt <= now);
      if (next === undefined) return;
      await this.start(next);
    }
  }

  private async start(occurrence: Occurrence): Promise<void> {
    const { state } = this.stored();
    const reminder = toReminder(state, occurrence);
    if (reminder === null) await this.startTask(state, occurrence);
    else {
      const now = Date.now();
      const decision = decideAfterStart(state, this.store.open(), completeReminder(occurrence, now), now);
      this.store.save(decision, { tells: [reminder] }, now);
    }
  }

  private async startTask({ tenant, id, config }: ScheduleState, occurrence: Occurrence): Promise<void> {
    if (config.task === undefined) throw new Error("a schedule was kept that does nothing");
    const { key, due } = occurrence;
    this.store.put({ ...occurrence, mayExist: true });
    const order = { tenant, request: config.task, via: { channel: "schedule", id } as const, seed: `${id}/${key}` };
    const made = await attempt(() => channelsFromEnv(this.env).makeTask({ ...order, at: due }, JOB_VERSION));
    const [fresh, stored] = [this.store.occurrence(key), this.store.load()];
    if (fresh === null || stored === null) return;
    const now = Date.now();
    if (made.ok) {
      this.change(recordStart(fresh, made.value.id, now));
      const early = this.earlyEnds.get(made.value.id);
      this.earlyEnds.delete(made.value.id);
      const end = early ?? { status: made.value.status, why: null };
      if (hasEnded(end.status)) this.end(recordStart(fresh, made.value.id, now), end);
      return;
    }
    // What was known before this attempt stays true, whatever became of this one.
    const before = { ...fresh, mayExist: occurrence.mayExist };
    this.change(recordFailedStart(before, made.error, stored.state.config.missed.window_seconds * 1000, now));
  }

  /** Asks for the messages that are due; one that will never be taken is dropped. */
  private async tell(calls: CallBudget): Promise<void> {
    const { tenant, id } = this.stored().state;
    for (const { tell, tryAt, failures } of this.store.tells()) {
      if (tryAt > Date.now() || !calls.hasRoom()) return;
      calls.count();
      const { deliver, message, telling } = tell;
      const taken = await attempt(() => channelsFromEnv(this.env).tell(tenant, deliver, message, telling, JOB_VERSION));
      if (this.store.load() === null) return;
      if (taken.ok) this.store.dropTell(tell.id);
      else {
        console.error("a schedule cannot tell", id, tell.id, taken.error.code, taken.error.details);
        if (canRetry("schedule_message", taken.error))
          this.store.tellLater(tell.id, Date.now() + computeBackoffMs(failures + 1, MAX_BACKOFF_MS));
        else this.store.dropTell(tell.id);
      }
    }
  }

  private change(occurrence: Occurrence): void {
    this.apply(decideAfterStart(this.stored().state, this.store.open(), occurrence, Date.now()));
  }

  private end({ key }: Occurrence, end: RunEnd | null): void {
    this.apply(decideTaskEnd(this.stored().state, this.store.open(), { key, end }, Date.now()));
  }

  private stored(): { readonly state: ScheduleState } {
    const stored = this.store.load();
    if (stored === null) throw new Error("the schedule was erased");
    return stored;
  }
}
