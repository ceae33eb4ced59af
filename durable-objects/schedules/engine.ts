/**
 * Runs a schedule on its alarm: decides about due occurrences, creates their tasks, checks running ones, and notifies
 * people. An occurrence is stored before its task is created, under the key from which the task's id is derived.
 */
import { channelsFromEnv } from "../../adapters/env/channels.ts";
import { publicUrlFromEnv } from "../../adapters/env/deployment.ts";
import { tasksFromEnv } from "../../adapters/env/tasks.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import type { AuditEntry } from "../../core/ports/audit.ts";
import { CallBudget, NO_RUN_DEPTH } from "../../core/base/call-budget.ts";
import { asNotSent, ok, type Result } from "../../core/base/errors.ts";
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
import { toAlert, toClearedNotification, toReminder } from "../../core/schedules/notifications.ts";
import { describeCallerChange, findScheduleCaller, forgetSchedulePerson } from "../../core/schedules/acts-for.ts";
import type { CallingPerson } from "../../core/task/new-task.ts";
import { openDueClock } from "../../core/schedules/due.ts";
import { hasEnded } from "../../core/task/status.ts";
import type { TaskView } from "../../core/task/view.ts";
import { attempt } from "../../core/base/unanswered.ts";
import { JOB_VERSION } from "../../core/steps/job-version.ts";
import type { ScheduleReporter } from "./reporter.ts";
import type { ScheduleStore } from "./store.ts";

/** An interrupted alarm continues after this. No alarm fires during its own handler, so it fires only after a crash. */
const GUARD_MS = 2_000;
/** Tasks that one alarm checks, and calls that it reserves for notifications. */
const MAX_CHECKED_TASKS = 6;
const MESSAGE_CALLS = 3;
/** Maximum stored ends of tasks that ended before the reply to their creation arrived. */
const MAX_EARLY_ENDS = 100;
/** Maximum delay between two attempts of a notification. */
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

  /** Stores a decision and sets the alarm for it. */
  apply(decision: Decision, act: AuditEntry | null = null): void {
    this.save(decision, act);
    this.arm();
  }

  /** Stores a change that a person made, notifies whom it concerns, and sets the alarm. */
  applyChange(state: ScheduleState, act: AuditEntry): void {
    const now = Date.now();
    const before = this.loadStored().state;
    const cleared =
      state.version === before.version ? null : toClearedNotification(state, publicUrlFromEnv(this.env), now);
    const tells = cleared === null ? [] : [cleared];
    this.store.save({ state, occurrences: [] }, { tells, act: describeCallerChange(act, before, state) }, now);
    this.arm();
  }

  private save({ state, occurrences, alerts }: Decision, act: AuditEntry | null = null): void {
    const now = Date.now();
    const tells = alerts.map((occurrence) => toAlert(state, occurrence, now)).filter((tell) => tell !== null);
    this.store.save({ state, occurrences }, { tells, act }, now);
  }

  /** Sets the one alarm; a schedule without work has none. */
  arm(): void {
    if (this.store.load() !== null) this.store.alarm.set(this.nextAt());
  }

  /** Does what is due. The caller arms. */
  async run(): Promise<void> {
    const calls = new CallBudget();
    if (this.store.load() === null) return;
    this.store.alarm.set(Date.now() + GUARD_MS);
    await this.checkTasks(calls);
    this.decide();
    await this.startTasks(calls);
    await this.cancelTasks(calls);
    await this.sendNotifications(calls);
    this.store.prune(Date.now());
    await this.reporter.report();
    await this.reporter.deleteExpired();
  }

  /** Records the end of a task. The end of a task that is still being created is stored until the reply arrives. */
  taskEnded(task: string, end: RunEnd): void {
    const stored = this.store.load();
    if (stored === null) return;
    const occurrence = this.store.findOpen(task);
    if (occurrence !== null) this.applyEnd(occurrence, end);
    else if (this.earlyEnds.size < MAX_EARLY_ENDS) this.earlyEnds.set(task, end);
  }

  private nextAt(): number | null {
    const stored = this.store.load();
    if (stored === null) return null;
    const open = this.store.listOpen();
    const wakeAt = getNextWake(stored.state, open, Date.now()) ?? Infinity;
    const notifyAt = this.store.listNotifications()[0]?.tryAt ?? Infinity;
    const at = Math.min(wakeAt, notifyAt, this.reporter.nextAt(), ...open.map(getRecheckTime));
    return at === Infinity ? null : at;
  }

  /** Decides about due occurrences in parts, until none is due. */
  decide(): void {
    for (;;) {
      const { state } = this.loadStored();
      const clock = openDueClock(toDueRule(state.config, state.createdAt));
      if (!clock.ok) throw new Error(`a stored schedule is never due: ${clock.error.message}`);
      const now = Date.now();
      const decision = decideDueRuns(state, clock.value, this.store.listOpen(), now);
      this.save(decision);
      if (decision.state.next === null || decision.state.next.at > now) return;
    }
  }

  /** Checks running tasks, the longest unchecked first, in case the report of an end is late. */
  private async checkTasks(calls: CallBudget): Promise<void> {
    const working = this.store
      .listOpen()
      .filter(({ task, gaveWay }) => task !== null && !gaveWay)
      .toSorted((a, b) => (a.lookedAt ?? 0) - (b.lookedAt ?? 0));
    for (const occurrence of working.slice(0, MAX_CHECKED_TASKS)) {
      calls.count();
      await this.checkTask(occurrence, (task) => task.view());
    }
  }

  /** Cancels tasks that were replaced. Each takes at most two calls: one that has already ended is read. */
  private async cancelTasks(calls: CallBudget): Promise<void> {
    for (const occurrence of this.store.listOpen().filter(({ task, gaveWay }) => task !== null && gaveWay)) {
      if (!calls.hasRoom(2)) return;
      calls.count(2);
      await this.checkTask(occurrence, (task) => task.cancel("its schedule", NO_RUN_DEPTH));
    }
  }

  /** Calls an occurrence's task and records its end. Without a reply the task counts as running. */
  private async checkTask(
    { key, task }: Occurrence,
    ask: (task: ReturnType<ReturnType<typeof tasksFromEnv>>) => Promise<Result<TaskView>>,
  ): Promise<void> {
    if (task === null) return;
    const { tenant } = this.loadStored().state;
    const stub = tasksFromEnv(this.env)(tenant, task);
    let reply = await attempt(() => ask(stub));
    if (!reply.ok && reply.error.code === "conflict") reply = await attempt(() => stub.view());
    const fresh = this.store.findOccurrence(key);
    if (fresh === null || !isOpen(fresh)) return;
    if (!reply.ok && reply.error.code === "not_found") this.applyEnd(fresh, null);
    else if (reply.ok && hasEnded(reply.value.status)) this.applyEnd(fresh, toRunEnd(reply.value));
    else this.store.put({ ...fresh, lookedAt: Date.now() });
  }

  /** Creates tasks, as many as this run has calls for. The next alarm follows at once and creates the rest. */
  private async startTasks(calls: CallBudget): Promise<void> {
    while (calls.hasRoom(1 + MESSAGE_CALLS)) {
      calls.count();
      const now = Date.now();
      const next = this.store.listOpen().find(({ state, tryAt }) => state === "starting" && tryAt <= now);
      if (next === undefined) return;
      await this.start(next);
    }
  }

  private async start(occurrence: Occurrence): Promise<void> {
    const { state } = this.loadStored();
    const reminder = toReminder(state, occurrence);
    if (reminder === null) await this.startTask(state, occurrence);
    else {
      const now = Date.now();
      const decision = decideAfterStart(state, this.store.listOpen(), completeReminder(occurrence, now), now);
      this.store.save(decision, { tells: [reminder] }, now);
    }
  }

  private async startTask(state: ScheduleState, occurrence: Occurrence): Promise<void> {
    const { tenant, id, config } = state;
    if (config.task === undefined) throw new Error("a stored schedule has neither task nor reminder");
    const { key, due } = occurrence;
    const actsFor = await this.findPerson(state);
    if (this.store.findOccurrence(key) === null || this.store.load() === null) return;
    if (actsFor.ok) this.store.put({ ...occurrence, mayExist: true });
    const via = { channel: "schedule", id } as const;
    const order = { tenant, request: config.task, via, seed: `${id}/${key}`, at: due };
    const made = actsFor.ok
      ? await attempt(() => channelsFromEnv(this.env).makeTask({ ...order, actsFor: actsFor.value }, JOB_VERSION))
      : actsFor;
    const [fresh, stored] = [this.store.findOccurrence(key), this.store.load()];
    if (fresh === null || stored === null) return;
    const now = Date.now();
    if (made.ok) {
      this.applyStart(recordStart(fresh, made.value.id, now));
      const early = this.earlyEnds.get(made.value.id);
      this.earlyEnds.delete(made.value.id);
      const end = early ?? { status: made.value.status, why: null };
      if (hasEnded(end.status)) this.applyEnd(recordStart(fresh, made.value.id, now), end);
      return;
    }
    // Facts from before this attempt stay true after any outcome.
    const before = { ...fresh, mayExist: occurrence.mayExist };
    this.applyStart(recordFailedStart(before, made.error, stored.state.config.missed.window_seconds * 1000, now));
  }

  /** Finds for whom the task acts; null for nobody. A person whose record was deleted is forgotten. */
  private async findPerson(state: ScheduleState): Promise<Result<CallingPerson | null>> {
    const caller = findScheduleCaller(state);
    if (caller === null) return ok(null);
    const found = await this.reporter.findPerson(state.tenant, caller.person);
    if (!found.ok) return asNotSent(found.error);
    const stored = this.store.load();
    if (found.value === null && stored !== null)
      this.save({ state: forgetSchedulePerson(stored.state, caller.person), occurrences: [], alerts: [] });
    return found;
  }

  /** Sends the due notifications; one that can never be accepted is deleted. */
  private async sendNotifications(calls: CallBudget): Promise<void> {
    const { tenant, id } = this.loadStored().state;
    for (const { tell, tryAt, failures } of this.store.listNotifications()) {
      if (tryAt > Date.now() || !calls.hasRoom()) return;
      calls.count();
      const { deliver, message, telling } = tell;
      const taken = await attempt(() => channelsFromEnv(this.env).tell(tenant, deliver, message, telling, JOB_VERSION));
      if (this.store.load() === null) return;
      if (taken.ok) this.store.deleteNotification(tell.id);
      else {
        console.error("a schedule notification failed", id, tell.id, taken.error.code, taken.error.details);
        if (canRetry("schedule_message", taken.error))
          this.store.postponeNotification(tell.id, Date.now() + computeBackoffMs(failures + 1, MAX_BACKOFF_MS));
        else this.store.deleteNotification(tell.id);
      }
    }
  }

  private applyStart(occurrence: Occurrence): void {
    this.apply(decideAfterStart(this.loadStored().state, this.store.listOpen(), occurrence, Date.now()));
  }

  private applyEnd({ key }: Occurrence, end: RunEnd | null): void {
    this.apply(decideTaskEnd(this.loadStored().state, this.store.listOpen(), { key, end }, Date.now()));
  }

  private loadStored(): { readonly state: ScheduleState } {
    const stored = this.store.load();
    if (stored === null) throw new Error("the schedule was erased");
    return stored;
  }
}
