/**
 * Runs one task: a command is decided, stored, and then published. A command that makes work due begins a run, which does
 * the work; the alarm guards the run, and begins one itself after a crash.
 */
import type { Env } from "../../adapters/env/bindings.ts";
import { type CallBudget, MAX_BEGIN_DEPTH, REQUEST_DEPTH } from "../../core/base/call-budget.ts";
import type { OwnPhases } from "../../core/steps/own-phases.ts";
import type { Command, NewTask } from "../../core/task/commands.ts";
import type { Decision, Work } from "../../core/task/decision.ts";
import type { Wake } from "../../core/task/rpc.ts";
import { type ShortPermit, usePermit } from "../../core/task/short-permit.ts";
import type { TaskState } from "../../core/task/state.ts";
import { createTask, decide, decideBoth, findNextWake } from "../../core/task/task.ts";
import { getStatus } from "../../core/task/status.ts";
import { Batcher } from "../base/batcher.ts";
import { TaskEraser } from "./eraser.ts";
import { TaskPhases } from "./phases.ts";
import { TaskRelations } from "./relations.ts";
import { TaskReports } from "./reports.ts";
import { canContinue, continueBy, openRun, type Run } from "./run.ts";
import { changesIndex, type StoredTask, type TaskStore } from "./store.ts";
import type { TaskWatchers } from "./watchers.ts";
import { Alarm } from "../base/alarm.ts";

/** The alarm that guards a run is due after this long. If the run is active then, the alarm waits for its end. */
const GUARD_MS = 1000;
/** When the tenant stops, running tool calls get this long to end, checked at this interval. */
const HALT_GRACE_MS = 3000;
const HALT_CHECK_MS = 100;

export class TaskEngine {
  readonly phases: TaskPhases;
  readonly relations: TaskRelations;
  readonly eraser: TaskEraser;
  /** Subtasks that were created together often end together. */
  readonly subtaskEnds = new Batcher(0, (ends: readonly { readonly command: Command; readonly wake: Wake }[]) => {
    const depth = Math.max(...ends.map(({ wake: [nested = REQUEST_DEPTH] }) => nested));
    const permit = ends.map(({ wake }) => wake[1] ?? null).findLast((one) => one !== null) ?? null;
    this.applyAll(
      ends.map(({ command }) => command),
      { depth, permit },
    );
    return ends.map(() => true);
  });
  private readonly alarm: Alarm;
  private readonly store: TaskStore;
  private readonly reports: TaskReports;
  private readonly watchers: TaskWatchers;
  /** The active run and its call budget; null between runs. */
  private running: Promise<void> | null = null;
  private calls: CallBudget | null = null;
  /** True while work is due that the alarm has to begin: the last run had no room for it, or nobody else may. */
  private isLeftToAlarm = false;
  /** The depth of the active or last run, in which this object makes its calls. */
  private depth = REQUEST_DEPTH;
  private isHalting = false;

  constructor(env: Env, storage: DurableObjectStorage, store: TaskStore, watchers: TaskWatchers, ownPhases: OwnPhases) {
    this.store = store;
    this.watchers = watchers;
    store.afterUpgrade = () => this.arm();
    this.phases = new TaskPhases(env, store, ownPhases);
    this.relations = new TaskRelations(
      env,
      (calls) => this.calls?.count(calls),
      () => this.depth,
    );
    this.alarm = new Alarm(storage);
    this.eraser = new TaskEraser(env, storage, { store, watchers, alarm: this.alarm });
    this.reports = new TaskReports(store, this.relations, () => this.eraseWithTenant());
  }

  /** Stores a new task, and begins its first run unless the call is nested too deeply. */
  create(task: NewTask, ...[depth = REQUEST_DEPTH, permit = null]: Wake): void {
    const now = Date.now();
    const run = openRun(now, this.phases.maxParallel, depth);
    const created = usePermit(createTask(task, now), permit, now);
    const decision = depth <= MAX_BEGIN_DEPTH ? continueBy(run, created, now) : created;
    this.store.create(decision, now);
    this.alarm.markUnset();
    if (decision.work !== null) this.begin(run, decision);
    this.arm();
    if (task.hold || decision.state.permit !== null) void this.report();
  }

  /** Handles the alarm: waits for the active run, or begins one. Never throws. `name` is for the log. */
  async run(name: string): Promise<void> {
    this.alarm.markUnset();
    this.isLeftToAlarm = false;
    if (this.running === null) this.begin(openRun(Date.now(), this.phases.maxParallel, REQUEST_DEPTH), null, name);
    this.armGuard();
    await this.running;
  }

  /** Resolves when no run is active. */
  async waitForRun(): Promise<void> {
    await this.running;
  }

  /**
   * Begins a run with a decision's work; null: with what is due. Only while none is active; the caller arms the guard.
   */
  private begin(run: Run, decision: Decision | null, name = `task ${decision?.state.facts.id}`): void {
    let notBefore = 0;
    const work = async (): Promise<void> => {
      try {
        notBefore = await this.continueTask(run, decision);
      } finally {
        this.running = null;
        this.calls = null;
      }
    };
    const arm = (): void => {
      if (this.store.hasUnpublished()) void this.report();
      this.arm(notBefore);
    };
    this.calls = run.calls;
    this.depth = run.depth;
    // Starts once this is set, and after the caller has armed the guard.
    this.running = Promise.resolve().then(async () => await this.alarm.attempt(name, work, arm));
  }

  /**
   * Continues a task, also after a crash. A runner call of another incarnation was interrupted, because runs never
   * overlap. Returns the earliest time of the next alarm.
   */
  private async continueTask(run: Run, begun: Decision | null): Promise<number> {
    try {
      if (this.isHalting) return Date.now() + HALT_CHECK_MS;
      if ((await this.eraser.finish()) || (await this.eraser.eraseExpired())) return 0;
      let decision = begun ?? this.apply(run.wake);
      while (decision !== null) {
        if (decision.work !== null) decision = await this.perform(decision.work, run);
        else if (!this.isHalting && canContinue(decision, run, Date.now())) {
          const next = this.apply(run.wake);
          if (next?.state === decision.state && next.work === null) break;
          decision = next;
        } else break;
      }
      return 0;
    } finally {
      this.store.conversation.dropCache();
    }
  }

  /** Does a decision's work and applies the results. A failed write is this alarm's failure, not the phase's. */
  private async perform(work: Work, run: Run): Promise<Decision | null> {
    const stored = this.store.load();
    if (stored === null) return null;
    if (work.kind === "enter") return this.applyAll([await this.enter(work, stored)], { depth: run.depth, run });
    let last: Decision | null = null;
    const isPhase = work.kind !== "dispatch" && work.kind !== "cancel";
    if (isPhase && this.phases.mayCallRunner(work)) run.calls.count();
    for await (const happened of this.runWork(work, run, stored)) {
      const commands: Command[] = [];
      for (const one of happened) {
        if ("delta" in one) this.watchers.publishDelta(one.delta, stored.state.facts.id);
        else commands.push(one);
      }
      if (commands.length > 0) last = this.applyAll(commands, { depth: run.depth, run: isPhase ? run : null });
      // The next phase has started.
      if (isPhase && last?.work != null) break;
      // A task that has ended or is erased creates no more subtasks.
      if (work.kind === "dispatch" && (last === null || last.state.phase.name === "ended")) break;
    }
    return last;
  }

  private runWork(work: Exclude<Work, { kind: "enter" }>, { wake, calls }: Run, { state }: StoredTask) {
    if (work.kind === "dispatch")
      return this.relations.dispatch(work, (id) => this.store.ledger.readCalls([id])[0]?.arguments, calls);
    return work.kind === "cancel"
      ? this.relations.cancel(work, state.facts, calls)
      : this.phases.run(work, wake.incarnation);
  }

  /** Applies a command of a call at this depth. Null if the object has no task. */
  apply(command: Command, ...[depth = REQUEST_DEPTH, permit = null]: Wake): Decision | null {
    return this.applyAll([command], { depth, permit });
  }

  /**
   * Decides commands together, stores, arms, and then publishes. A phase that is due starts in the same decision, so that
   * a step costs one write: in this run, or in a new one while none is active and the call is not nested too deeply.
   */
  private applyAll(
    [first, ...rest]: readonly Command[],
    {
      depth,
      permit = null,
      run = null,
    }: { readonly depth: number; readonly permit?: ShortPermit | null; readonly run?: Run | null },
  ): Decision | null {
    const stored = this.store.load();
    if (stored === null || first === undefined) return null;
    const now = Date.now();
    let decision = decide(stored.state, first, now);
    for (const command of rest) decision = decideBoth(decision, command, now);
    if (decision.refused !== null || decision.state === stored.state) return decision;
    decision = usePermit(decision, permit, now);
    const mayBegin =
      this.running === null && !this.isLeftToAlarm && depth <= MAX_BEGIN_DEPTH && !this.alarm.isDelayed(now);
    const current = run ?? (mayBegin ? openRun(now, this.phases.maxParallel, depth) : null);
    if (current !== null && !this.isHalting) decision = continueBy(current, decision, now);
    const isChanged = changesIndex(stored.state, decision);
    const events = this.store.save(decision, isChanged, now);
    if (run === null && current !== null && decision.work !== null) this.begin(current, decision);
    this.arm();
    this.watchers.publish(events, stored.state.facts.id);
    if (isChanged) this.scheduleReport(decision.state, permit !== null);
    return decision;
  }

  /**
   * Sets the one alarm from the stored state. While the task runs or has reports, an earlier alarm stays: that saves a
   * write.
   */
  arm(notBefore = 0): void {
    if (this.running !== null) return this.armGuard();
    const stored = this.store.load();
    const now = Date.now();
    if (stored === null) {
      const eraseAt = this.store.erasing.computeRetryAt(now);
      // Without a task nothing is left to guard.
      return eraseAt === null ? this.alarm.set(null) : this.alarm.ensureBy(eraseAt);
    }
    const retryAt = this.reports.computeRetryAt(now);
    const wakeAt = findNextWake(stored.state, now);
    this.isLeftToAlarm = wakeAt !== null && wakeAt <= now;
    const due = [wakeAt, retryAt].filter((at) => at !== null);
    const at = due.length === 0 ? null : Math.max(Math.min(...due), notBefore);
    if (retryAt === null) this.alarm.set(at);
    else this.alarm.ensureBy(at);
  }

  /** Guards the active run: after a crash the alarm continues the task. The end of the run sets the alarm again. */
  private armGuard(): void {
    this.alarm.ensureBy(Date.now() + GUARD_MS);
  }

  /** Stops with the tenant: nothing new starts, and running calls get a grace period. */
  async halt(message: string): Promise<void> {
    const phase = this.store.load()?.state.phase;
    const until = Date.now() + HALT_GRACE_MS;
    this.isHalting = true;
    this.phases.allowStarts(false);
    try {
      if (phase?.name === "acting") {
        while (this.store.load()?.state.phase === phase && Date.now() < until) await scheduler.wait(HALT_CHECK_MS);
      }
      this.apply({ type: "halt", message });
      this.phases.cancel();
    } finally {
      this.isHalting = false;
      this.phases.allowStarts(true);
    }
  }

  /** Recovers a lost alarm or index row: sets the alarm and reports everything again. */
  poke(): void {
    this.store.markUnpublished();
    this.alarm.invalidate();
    this.arm();
    void this.report();
  }

  /** Reports the task's state to the parent and the tenant. The alarm retries failures. */
  async report(): Promise<void> {
    await this.reports.sendPending();
    if (this.running !== null) this.reports.scheduleRetry(() => void this.report());
    this.arm();
  }

  /** Reports ends, waits and a run that the tenant does not know at once; another running state later. */
  private scheduleReport(state: TaskState, isNewRun: boolean): void {
    if (getStatus(state) === "running" && !isNewRun) this.reports.schedule(() => void this.report());
    else void this.report();
  }

  /** Requests a permit, with the pending reports that only the tenant needs. */
  private async enter(work: Extract<Work, { kind: "enter" }>, stored: StoredTask): Promise<Command> {
    const unpublished = this.store.hasUnpublished() ? this.store.log.readUnpublished(stored) : null;
    const news = unpublished === null ? null : { view: this.store.toView(stored.state), notices: unpublished.notices };
    const { command, reported } = await this.relations.enter(work, stored, news);
    if (reported && unpublished !== null) this.store.markPublished(stored.version, unpublished);
    return command;
  }

  /** Cancels and erases the task after its tenant was erased. */
  private async eraseWithTenant(): Promise<void> {
    const stored = this.store.load();
    if (stored === null) return;
    this.apply({ type: "cancel", by: "its tenant was erased" });
    this.phases.cancel();
    await this.eraser.erase(stored);
  }
}
