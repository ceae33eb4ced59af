/**
 * How one task goes on: a command is decided, stored, and only then told; the alarm does the work that a decision asks
 * for. It decides nothing itself.
 */
import { clockFromEnv, eraseFilesFromEnv, tenantsFromEnv, type Env } from "../adapters/from-env.ts";
import type { Clock } from "../core/ports.ts";
import type { Command, Decision, NewTask, Work } from "../core/task-commands.ts";
import type { TaskState } from "../core/task-state.ts";
import { createTask, decide, expiresAt, nextWake } from "../core/task.ts";
import { viewTask, type TaskView } from "../core/task-view.ts";
import { TaskHops } from "./task-hops.ts";
import { TaskRelations } from "./task-relations.ts";
import { changesIndex, type StoredTask, type TaskStore } from "./task-store.ts";
import type { TaskWatchers } from "./task-watchers.ts";

/** One alarm begins steps for this long; then a fresh alarm goes on. With the hop under way, far below the platform's 15 minutes. */
const RUN_MS = 30_000;
/** After a report to the tenant failed: doubled each time, up to the longest. */
const REPORT_RETRY_MS = 1000;
const LONGEST_REPORT_RETRY_MS = 60_000;
/** After the alarm handler itself failed. */
const FAILED_RETRY_MS = 1000;

export class TaskEngine {
  readonly clock: Clock;
  readonly hops: TaskHops;
  readonly relations: TaskRelations;
  private readonly env: Env;
  private readonly storage: DurableObjectStorage;
  private readonly store: TaskStore;
  private readonly watchers: TaskWatchers;
  private reporting: Promise<void> | null = null;
  private running: Promise<void> | null = null;
  private failedReports = 0;

  constructor(env: Env, storage: DurableObjectStorage, store: TaskStore, watchers: TaskWatchers) {
    this.env = env;
    this.storage = storage;
    this.store = store;
    this.watchers = watchers;
    this.clock = clockFromEnv(env);
    this.hops = new TaskHops(env, store);
    this.relations = new TaskRelations(env);
  }

  /** Stores a task that was just made. */
  create(task: NewTask): void {
    const now = this.clock.now();
    this.store.create(createTask(task, now), now);
    this.arm();
    void this.report();
  }

  /** Runs the alarm. */
  async run(): Promise<void> {
    this.running = this.goOn().finally(() => {
      this.running = null;
    });
    await this.running;
  }

  /** Resolves when no run of the alarm is under way. */
  async settled(): Promise<void> {
    await this.running;
  }

  /**
   * The one way a task goes on, after a crash as before. Alarms of an object never overlap, so each run has a name of its
   * own, and a hop under another name was cut off. Whatever happens in here, the alarm is set again: the platform gives
   * up an alarm whose handler failed six times, and a task never.
   */
  private async goOn(): Promise<void> {
    const until = this.clock.now() + RUN_MS;
    const wake = { type: "wake", incarnation: crypto.randomUUID() } as const;
    let notBefore = 0;
    try {
      if (await this.isOver()) return;
      if (this.store.load()?.unreported === true) void this.report();
      let decision = this.apply(wake);
      while (decision !== null) {
        if (decision.work !== null) decision = await this.perform(decision.work, wake.incarnation);
        else if (isDue(decision, this.clock.now()) && this.clock.now() < until) {
          const next = this.apply(wake);
          if (next?.state === decision.state && next.work === null) break;
          decision = next;
        } else break;
      }
    } catch (thrown) {
      console.error("task alarm failed", this.store.load()?.state.facts.id, thrown);
      notBefore = this.clock.now() + FAILED_RETRY_MS;
    } finally {
      this.arm(notBefore);
    }
  }

  /** Does the work of a decision and applies what comes of it; a failure to store that is this alarm's failure, not the hop's. */
  private async perform(work: Work, incarnation: string): Promise<Decision | null> {
    const stored = this.store.load();
    if (stored === null) return null;
    if (work.kind === "enter") return this.apply(await this.relations.enter(work, stored));
    let last: Decision | null = null;
    for await (const happened of this.happenings(work, incarnation, stored)) {
      if ("delta" in happened) this.watchers.tell(happened);
      else last = this.apply(happened);
      // A task that has ended meanwhile, or is gone, makes no more subtasks.
      if (work.kind === "dispatch" && (last === null || last.state.phase.name === "ended")) break;
    }
    return last;
  }

  private happenings(work: Exclude<Work, { kind: "enter" }>, incarnation: string, { state }: StoredTask) {
    if (work.kind === "dispatch") return this.relations.dispatch(work, (id) => this.store.calls([id])[0]?.arguments);
    return work.kind === "cancel" ? this.relations.cancel(work, state.facts) : this.hops.make(work, incarnation);
  }

  /** Decides, stores, arms, and only then lets anybody know. Null: there is no task. */
  apply(command: Command): Decision | null {
    const stored = this.store.load();
    if (stored === null) return null;
    const now = this.clock.now();
    const decision = decide(stored.state, command, now);
    if (decision.refused !== null || decision.state === stored.state) return decision;
    const report = changesIndex(stored.state, decision);
    const events = this.store.save(decision, report, now);
    this.arm();
    this.watchers.tell({ events });
    if (report) void this.report();
    return decision;
  }

  viewOf(state: TaskState): TaskView {
    return viewTask(state, this.store.viewRows(state));
  }

  /** Sets the one alarm from the stored state; a task that waits for something from outside has none. */
  arm(notBefore = 0): void {
    const stored = this.store.load();
    if (stored === null) return;
    const now = this.clock.now();
    const retry = Math.min(REPORT_RETRY_MS * 2 ** this.failedReports, LONGEST_REPORT_RETRY_MS);
    const due = [nextWake(stored.state, now), stored.unreported ? now + retry : null].filter((at) => at !== null);
    if (due.length === 0) void this.storage.deleteAlarm();
    else void this.storage.setAlarm(Math.max(Math.min(...due), notBefore));
  }

  /** Tells the parent and the tenant how the task stands. What fails is tried again by the alarm. */
  async report(): Promise<void> {
    this.reporting ??= this.reportAll().finally(() => {
      this.reporting = null;
    });
    await this.reporting;
  }

  private async reportAll(): Promise<void> {
    try {
      for (let stored = this.store.load(); stored?.unreported === true; stored = this.store.load()) {
        const { state, version } = stored;
        const wakeAt = nextWake(state, this.clock.now());
        if (await this.relations.report(stored, this.viewOf(state), wakeAt)) return await this.leaveWithTenant(stored);
        this.store.markReported(version);
      }
      this.failedReports = 0;
      this.arm();
    } catch (thrown) {
      this.failedReports += 1;
      console.error("report to the tenant failed", thrown);
    }
  }

  /** The tenant is gone: what runs stops, and nothing is kept. */
  private async leaveWithTenant(stored: StoredTask): Promise<void> {
    this.apply({ type: "cancel", by: "its tenant was erased" });
    await this.hops.cancel();
    await this.forget(stored);
  }

  /** Forgets a task whose time is over. False: it is to be kept. */
  private async isOver(): Promise<boolean> {
    const stored = this.store.load();
    const at = stored === null ? null : expiresAt(stored.state);
    if (stored === null || at === null || at > this.clock.now()) return false;
    await this.forget(stored);
    return true;
  }

  /** Forgets everything that this task made: its files, its line in the index, its log. Each can be done again. */
  async forget({ state: { facts } }: StoredTask): Promise<void> {
    if (facts.rootId === facts.id) await eraseFilesFromEnv(this.env, facts);
    await tenantsFromEnv(this.env)(facts.tenant).forget(facts.id);
    await this.storage.deleteAlarm();
    await this.storage.deleteAll();
    this.store.forget();
    this.watchers.dismiss("erased");
  }
}

/** True when the next wake-up is due at once, so that this alarm may go on. */
function isDue(decision: Decision, now: number): boolean {
  const at = nextWake(decision.state, now);
  return at !== null && at <= now;
}
