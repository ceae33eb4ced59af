/**
 * How one task goes on: a command is decided, stored, and only then told; the alarm does the work that a decision asks
 * for. It decides nothing itself.
 */
import { settingsFromEnv } from "../../adapters/env/settings.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { CallBudget } from "../../core/base/call-budget.ts";
import type { Command, NewTask } from "../../core/task/commands.ts";
import type { Decision, Work } from "../../core/task/decision.ts";
import type { TaskState } from "../../core/task/state.ts";
import { createTask, decide, decideBoth, getExpiry, findNextWake } from "../../core/task/task.ts";
import { getStatus } from "../../core/task/status.ts";
import { Gather } from "../base/batcher.ts";
import { eraseOutside } from "./erasing.ts";
import { TaskHops } from "./phases.ts";
import { TaskRelations } from "./relations.ts";
import { TaskReports } from "./reports.ts";
import { changesIndex, type StoredTask, type TaskStore } from "./store.ts";
import { shownEvent } from "./tables.ts";
import type { TaskWatchers } from "./watchers.ts";
import { Alarm } from "../base/alarm.ts";

/** One alarm begins steps for this long; then a fresh alarm goes on. With the hop under way, far below the platform's 15 minutes. */
const RUN_MS = 30_000;
/** After the alarm handler itself failed. */
const FAILED_RETRY_MS = 1000;

/** Tool calls under way have this long to end when the tenant stops, checked at this interval. */
const HALT_GRACE_MS = 3000;
const HALT_LOOK_MS = 100;

/** A hop is one call of the runner, and how the task stands after it may be reported to its parent and its tenant. */
const CALLS_PER_HOP = 3;

/** One run of the alarm. `until`: it begins no hop after this moment. `calls`: nor without room for the calls of one. */
interface Run {
  readonly wake: Extract<Command, { type: "wake" }>;
  readonly until: number;
  readonly calls: CallBudget;
}

export class TaskEngine {
  readonly hops: TaskHops;
  readonly relations: TaskRelations;
  /** Subtasks that were made together often end together. */
  readonly endings = new Gather(0, (commands: readonly Command[]) => {
    this.applyAll(commands, null);
    return commands.map(() => true);
  });
  private readonly env: Env;
  private readonly storage: DurableObjectStorage;
  private readonly alarm: Alarm;
  private readonly store: TaskStore;
  private readonly reports: TaskReports;
  private readonly watchers: TaskWatchers;
  private readonly maxParallel: number;
  private running: Promise<number> | null = null;
  /** The calls of the run under way; null between runs. */
  private calls: CallBudget | null = null;
  private isHalting = false;

  constructor(env: Env, storage: DurableObjectStorage, store: TaskStore, watchers: TaskWatchers) {
    this.env = env;
    this.storage = storage;
    this.store = store;
    this.watchers = watchers;
    this.maxParallel = settingsFromEnv(env).maxParallelToolCalls;
    store.afterUpgrade = () => this.arm();
    this.hops = new TaskHops(env, store);
    this.relations = new TaskRelations(env, (calls) => this.calls?.count(calls));
    this.alarm = new Alarm(storage);
    this.reports = new TaskReports(store, this.relations, () => this.leaveWithTenant());
  }

  /** Stores a task that was just made. One that runs at once tells its tenant of itself when it asks for leave. */
  create(task: NewTask): void {
    const now = Date.now();
    this.store.create(createTask(task, now), now);
    this.alarm.cleared();
    this.arm();
    if (task.hold) void this.report();
  }

  /** Runs the alarm. */
  async run(): Promise<void> {
    this.alarm.cleared();
    this.running = this.goOn();
    const notBefore = await this.running;
    this.running = null;
    this.calls = null;
    if (this.store.hasNews()) void this.report();
    this.arm(notBefore);
  }

  /** Resolves when no run of the alarm is under way. */
  async settled(): Promise<void> {
    await this.running;
  }

  /**
   * The one way a task goes on, after a crash as before. Alarms of an object never overlap, so each run has a name of its
   * own, and a hop under another name was cut off. Whatever happens in here, the alarm is set again: the platform gives
   * up an alarm whose handler failed six times, and a task never. Gives the moment before which it is not to fire.
   */
  private async goOn(): Promise<number> {
    const until = Date.now() + RUN_MS;
    const { maxParallel } = this;
    const calls = new CallBudget();
    this.calls = calls;
    const run: Run = { wake: { type: "wake", incarnation: crypto.randomUUID(), maxParallel }, until, calls };
    try {
      if (this.isHalting) return Date.now() + HALT_LOOK_MS;
      if ((await this.finishErasing()) || (await this.eraseExpired())) return 0;
      let decision = this.apply(run.wake);
      while (decision !== null) {
        if (decision.work !== null) decision = await this.perform(decision.work, run);
        else if (!this.isHalting && mayGoOn(decision, run, Date.now())) {
          const next = this.apply(run.wake);
          if (next?.state === decision.state && next.work === null) break;
          decision = next;
        } else break;
      }
      return 0;
    } catch (thrown) {
      console.error("task alarm failed", thrown);
      return Date.now() + FAILED_RETRY_MS;
    } finally {
      this.store.conversation.rest();
    }
  }

  /** Does the work of a decision and applies what comes of it; a failure to store that is this alarm's failure, not the hop's. */
  private async perform(work: Work, run: Run): Promise<Decision | null> {
    const stored = this.store.load();
    if (stored === null) return null;
    if (work.kind === "enter") return this.apply(await this.enter(work, stored), run);
    let last: Decision | null = null;
    const isHop = work.kind !== "dispatch" && work.kind !== "cancel";
    if (isHop) run.calls.count();
    for await (const happened of this.happenings(work, run, stored)) {
      const commands: Command[] = [];
      for (const one of happened) {
        if ("delta" in one) this.watchers.tell(one);
        else commands.push(one);
      }
      if (commands.length > 0) last = this.applyAll(commands, isHop ? run : null);
      // The next hop has begun.
      if (isHop && last?.work != null) break;
      // A task that has ended meanwhile, or is gone, makes no more subtasks.
      if (work.kind === "dispatch" && (last === null || last.state.phase.name === "ended")) break;
    }
    return last;
  }

  private happenings(work: Exclude<Work, { kind: "enter" }>, { wake, calls }: Run, { state }: StoredTask) {
    if (work.kind === "dispatch")
      return this.relations.dispatch(work, (id) => this.store.calls([id])[0]?.arguments, calls);
    return work.kind === "cancel"
      ? this.relations.cancel(work, state.facts, calls)
      : this.hops.make(work, wake.incarnation);
  }

  /** Applies what happened. Null: there is no task. */
  apply(command: Command, run: Run | null = null): Decision | null {
    return this.applyAll([command], run);
  }

  /**
   * Decides what happened together as one decision, stores it, arms, and only then lets anybody know. With a run, the next
   * hop begins in the same decision when it is due, so that a step is stored by one write.
   */
  private applyAll([first, ...rest]: readonly Command[], run: Run | null): Decision | null {
    const stored = this.store.load();
    if (stored === null || first === undefined) return null;
    const now = Date.now();
    let decision = decide(stored.state, first, now);
    for (const command of rest) decision = decideBoth(decision, command, now);
    if (decision.refused !== null || decision.state === stored.state) return decision;
    if (run !== null && !this.isHalting && decision.work === null && mayGoOn(decision, run, now)) {
      decision = decideBoth(decision, run.wake, now);
    }
    const news = changesIndex(stored.state, decision);
    const events = this.store.save(decision, news, now);
    this.arm();
    if (this.watchers.areThere())
      this.watchers.tell({ events: events.map((event) => shownEvent(event, stored.state.facts.id)) });
    if (news) this.tell(decision.state);
    return decision;
  }

  /**
   * Sets the one alarm from the stored state; a task that waits for something from outside has none. While it runs, and
   * while something is still to be told, an alarm that comes earlier stays as it is: nobody has to write it twice.
   */
  arm(notBefore = 0): void {
    const stored = this.store.load();
    const now = Date.now();
    if (stored === null) return this.alarm.guard(this.store.erasing.retryAt(now));
    const retryAt = this.reports.retryAt(now);
    const due = [findNextWake(stored.state, now), retryAt].filter((at) => at !== null);
    const at = due.length === 0 ? null : Math.max(Math.min(...due), notBefore);
    if (this.running === null && retryAt === null) this.alarm.set(at);
    else this.alarm.guard(at);
  }

  /**
   * Stops with the tenant. From the first moment no call and no hop begins; the calls under way have a moment to end
   * before they are cut off.
   */
  async halt(message: string): Promise<void> {
    const phase = this.store.load()?.state.phase;
    const until = Date.now() + HALT_GRACE_MS;
    this.isHalting = true;
    this.hops.allowStarts(false);
    try {
      if (phase?.name === "acting") {
        while (this.store.load()?.state.phase === phase && Date.now() < until) await scheduler.wait(HALT_LOOK_MS);
      }
      this.apply({ type: "halt", message });
      this.hops.cancel();
    } finally {
      this.isHalting = false;
      this.hops.allowStarts(true);
    }
  }

  /** The alarm may be lost, or the index not know the task: sets the alarm again, and reports everything again. */
  poke(): void {
    this.store.markNews();
    this.alarm.doubt();
    this.arm();
    void this.report();
  }

  /** Tells the parent and the tenant how the task stands. What fails is tried again by the alarm. */
  async report(): Promise<void> {
    await this.reports.tell();
    this.arm();
  }

  /** How a task ended, or what it waits for, is told at once; that it runs, when it asks for leave or with what comes next. */
  private tell(state: TaskState): void {
    if (getStatus(state) === "running") this.reports.soon(() => void this.report());
    else void this.report();
  }

  /** Asks for leave. A task whose tenant is all that has to hear of it is told of in the same hop. */
  private async enter(work: Extract<Work, { kind: "enter" }>, stored: StoredTask): Promise<Command> {
    const untold = this.store.hasNews() ? this.store.untold(stored) : null;
    const news = untold === null ? null : { view: this.store.view(stored.state), notices: untold.notices };
    const { command, told } = await this.relations.enter(work, stored, news);
    if (told && untold !== null) this.store.markTold(stored.version, untold);
    return command;
  }

  /** The tenant is gone: what runs stops, and nothing is kept. */
  private async leaveWithTenant(): Promise<void> {
    const stored = this.store.load();
    if (stored === null) return;
    this.apply({ type: "cancel", by: "its tenant was erased" });
    this.hops.cancel();
    await this.erase(stored);
  }

  /** Erases a task whose time is over. False: it is to be kept. */
  private async eraseExpired(): Promise<boolean> {
    const stored = this.store.load();
    const at = stored === null ? null : getExpiry(stored.state);
    if (stored === null || at === null || at > Date.now()) return false;
    await this.erase(stored);
    return true;
  }

  /** Erases what this task made. It is marked first: what a crash or a failure cuts off, the alarm does again. */
  async erase({ state: { facts } }: StoredTask, keepsMemory = false): Promise<void> {
    this.store.markErasing(facts, keepsMemory);
    this.arm();
    await this.finishErasing();
  }

  /** Erases what is outside the object, then the object. Each can be done again. False: no erasing has begun. */
  async finishErasing(): Promise<boolean> {
    const erasing = this.store.erasing.find();
    if (erasing === null) return false;
    await eraseOutside(this.env, erasing);
    this.alarm.set(null);
    await this.storage.deleteAll();
    this.store.forget();
    this.watchers.dismiss("erased");
    return true;
  }
}

/** True when the next hop is due at once, so that this run of the alarm may make it. */
function mayGoOn({ state }: Decision, { until, calls }: Run, now: number): boolean {
  const at = findNextWake(state, now);
  return at !== null && at <= now && now < until && calls.hasRoom(CALLS_PER_HOP);
}
