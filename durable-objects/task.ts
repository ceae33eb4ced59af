/**
 * One task. The object stores what `core/task.ts` decides, wakes up when it says, makes the hops to the step runner, and
 * streams to watchers. It decides nothing itself.
 */
import { DurableObject } from "cloudflare:workers";
import { clockFromEnv, eraseFilesFromEnv, tasksFromEnv, tenantsFromEnv, type Env } from "../adapters/from-env.ts";
import { failed, NO_SUCH_TASK, ok, type Result } from "../core/errors.ts";
import type { EventPage, LedgerPage, TaskRpc } from "../core/objects.ts";
import type { ModelFailure } from "../core/ports.ts";
import type { Attachment, Command, Decision, NewTask, TaskFacts, TaskState, Work } from "../core/task-state.ts";
import { createTask, decide, expiresAt, nextWake } from "../core/task.ts";
import { viewTask, type TaskView } from "../core/task-view.ts";
import { TaskHops } from "./task-hops.ts";
import { TaskStore, changesIndex, type StoredTask } from "./task-store.ts";
import { TaskWatchers } from "./task-watchers.ts";

/** One alarm begins steps for this long; then a fresh alarm goes on. With the hop under way, far below the platform's 15 minutes. */
const RUN_MS = 30_000;
/** After a report to the tenant failed: doubled each time, up to the longest. */
const REPORT_RETRY_MS = 1000;
const LONGEST_REPORT_RETRY_MS = 60_000;
/** After the alarm handler itself failed. */
const FAILED_RETRY_MS = 1000;
/** The most events or calls of one page. */
const MAX_PAGE = 500;

export class TaskObject extends DurableObject<Env> implements TaskRpc {
  private readonly store = new TaskStore(this.ctx.storage);
  private readonly hops = new TaskHops(this.env, this.store);
  private readonly watchers = new TaskWatchers(this.ctx);
  private readonly clock = clockFromEnv(this.env);
  private reporting = false;
  private failedReports = 0;

  async create(task: NewTask): Promise<Result<TaskView>> {
    if (this.store.load() !== null) return this.view();
    const now = this.clock.now();
    const decision = createTask(task, now);
    this.store.create(decision, now);
    this.arm();
    void this.report();
    return ok(viewTask(decision.state));
  }

  async view(): Promise<Result<TaskView>> {
    return this.read(({ state }) => viewTask(state));
  }

  async facts(): Promise<Result<TaskFacts>> {
    return this.read(({ state }) => state.facts);
  }

  async start(request: string | null): Promise<Result<TaskView>> {
    return this.command({ type: "start", request });
  }

  async message(text: string, request: string | null): Promise<Result<TaskView>> {
    return this.command({ type: "message", text, request });
  }

  async answer(
    question: string,
    { text, isChoice, by }: { text: string; isChoice: boolean; by: string },
    request: string | null,
  ): Promise<Result<TaskView>> {
    return this.command({ type: "answer", question, answer: text, isChoice, by, request });
  }

  async attach(file: Attachment): Promise<Result<TaskView>> {
    return this.command({ type: "attach", file });
  }

  async adopt(task: string): Promise<Result<TaskView>> {
    return this.command({ type: "adopt", task });
  }

  async disown(task: string): Promise<Result<TaskView>> {
    return this.command({ type: "disown", task });
  }

  async cancel(by: string): Promise<Result<TaskView>> {
    const result = this.command({ type: "cancel", by });
    if (!result.ok) return result;
    await this.hops.cancel();
    await Promise.all(this.hidden(({ adopted }) => adopted).map(async (task) => await task.cancel(by)));
    return result;
  }

  async events(after: number, limit: number): Promise<Result<EventPage>> {
    return this.read(() => this.store.events(after, Math.min(Math.max(limit, 1), MAX_PAGE)));
  }

  async ledger(page: { after: string | null; limit: number; withResults: boolean }): Promise<Result<LedgerPage>> {
    return this.read(() => this.store.ledger({ ...page, limit: Math.min(Math.max(page.limit, 1), MAX_PAGE) }));
  }

  async poke(): Promise<void> {
    this.store.markUnreported();
    this.arm();
    await this.report();
  }

  async erase(): Promise<Result<void>> {
    const stored = this.store.load();
    if (stored === null) return { ok: false, error: NO_SUCH_TASK };
    if (stored.state.phase.name !== "ended") return failed("conflict", "The task is still alive. Cancel it first.");
    for (const task of this.hidden(({ adopted }) => adopted)) await task.cancel("its task was erased");
    for (const task of this.hidden(({ adopted, disowned }) => [...adopted, ...disowned])) await task.erase();
    await this.forget(stored);
    return ok(undefined);
  }

  override async fetch(_request: Request): Promise<Response> {
    return this.store.load() === null ? new Response(null, { status: 404 }) : this.watchers.accept();
  }

  override async webSocketMessage(): Promise<void> {
    // Watchers only listen.
  }

  override async webSocketClose(socket: WebSocket, code: number): Promise<void> {
    socket.close(code === 1005 || code === 1006 ? 1000 : code);
  }

  /**
   * The one way a task goes on, after a crash as before. Alarms of an object never overlap, so each run has a name of its
   * own, and a hop under another name was cut off. Whatever happens in here, the alarm is set again: the platform gives
   * up an alarm whose handler failed six times, and a task never.
   */
  override async alarm(): Promise<void> {
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
          if (next?.state === decision.state) break;
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

  /** Decides, stores, arms, and only then lets anybody know. Null: there is no task. */
  private apply(command: Command): Decision | null {
    const stored = this.store.load();
    if (stored === null) return null;
    const now = this.clock.now();
    const decision = decide(stored.state, command, now);
    if (decision.refused !== null || decision.state === stored.state) return decision;
    const report = changesIndex(decision.events);
    const events = this.store.save(decision, report, now);
    this.arm();
    this.watchers.tell({ events });
    if (report) void this.report();
    return decision;
  }

  private command(command: Command): Result<TaskView> {
    const decision = this.apply(command);
    if (decision === null) return { ok: false, error: NO_SUCH_TASK };
    return decision.refused === null ? ok(viewTask(decision.state)) : { ok: false, error: decision.refused };
  }

  private read<T>(look: (stored: StoredTask) => T): Result<T> {
    const stored = this.store.load();
    return stored === null ? { ok: false, error: NO_SUCH_TASK } : ok(look(stored));
  }

  /** Makes a hop. What it brings is stored as it comes; a failure to store it is this alarm's failure, not the hop's. */
  private async perform(work: Work, incarnation: string): Promise<Decision | null> {
    const { step } = work;
    if (work.kind === "act") {
      for await (const { callId, outcome } of this.hops.act(work, () => this.runs(incarnation))) {
        this.apply({ type: "call_settled", step, incarnation, callId, outcome });
      }
      return this.apply({ type: "hop_ended", step, incarnation });
    }
    const { attempt } = work;
    for await (const line of this.hops.think(work, () => this.runs(incarnation))) {
      if (line.type === "text") this.watchers.tell({ delta: { step, attempt, text: line.text } });
      else if (line.type === "failed")
        return this.apply({ type: "model_failed", step, attempt, incarnation, failure: line.failure });
      else return this.apply({ type: "model_replied", step, attempt, incarnation, reply: line.reply });
    }
    return this.apply({ type: "model_failed", step, attempt, incarnation, failure: CUT_OFF });
  }

  /** True while the hop that this run of the alarm makes is still wanted. */
  private runs(incarnation: string): boolean {
    const phase = this.store.load()?.state.phase;
    return (phase?.name === "thinking" || phase?.name === "acting") && phase.incarnation === incarnation;
  }

  /** Sets the one alarm from the stored state; a task that waits for something from outside has none. */
  private arm(notBefore = 0): void {
    const stored = this.store.load();
    if (stored === null) return;
    const now = this.clock.now();
    const retry = Math.min(REPORT_RETRY_MS * 2 ** this.failedReports, LONGEST_REPORT_RETRY_MS);
    const due = [nextWake(stored.state, now), stored.unreported ? now + retry : null].filter((at) => at !== null);
    if (due.length === 0) void this.ctx.storage.deleteAlarm();
    else void this.ctx.storage.setAlarm(Math.max(Math.min(...due), notBefore));
  }

  /** Tells the tenant how the task stands. What fails is tried again by the alarm. */
  private async report(): Promise<void> {
    if (this.reporting) return;
    this.reporting = true;
    try {
      for (let stored = this.store.load(); stored?.unreported === true; stored = this.store.load()) {
        const { state, version } = stored;
        const { id, tenant, kind } = state.facts;
        const wakeAt = nextWake(state, this.clock.now());
        const row = { task: id, version, view: viewTask(state), hidden: kind === "call", wakeAt };
        const { erased } = await tenantsFromEnv(this.env)(tenant).report(row);
        if (erased) return await this.leaveWithTenant(stored);
        await this.leaveParent(stored);
        this.store.markReported(version);
      }
      this.failedReports = 0;
      this.arm();
    } catch (thrown) {
      this.failedReports += 1;
      console.error("report to the tenant failed", thrown);
    } finally {
      this.reporting = false;
    }
  }

  /** The hidden task of a call that ended is not its task's any more. */
  private async leaveParent({ state: { phase, facts } }: StoredTask): Promise<void> {
    if (phase.name !== "ended" || facts.kind !== "call" || facts.parentId === null) return;
    await tasksFromEnv(this.env)(facts.tenant, facts.parentId).disown(facts.id);
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
  private async forget({ state: { facts } }: StoredTask): Promise<void> {
    if (facts.rootId === facts.id) await eraseFilesFromEnv(this.env, facts);
    await tenantsFromEnv(this.env)(facts.tenant).forget(facts.id);
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
    this.store.forget();
    this.watchers.dismiss("erased");
  }

  /** Hidden tasks that were made for this one. */
  private hidden(which: (state: TaskState) => readonly string[]) {
    const stored = this.store.load();
    if (stored === null) return [];
    return which(stored.state).map((id) => tasksFromEnv(this.env)(stored.state.facts.tenant, id));
  }
}

/** True when the next wake-up is due at once, so that this alarm may go on. */
function isDue(decision: Decision, now: number): boolean {
  const at = nextWake(decision.state, now);
  return at !== null && at <= now;
}

const CUT_OFF: ModelFailure = {
  kind: "cut_off",
  retryable: true,
  retryAfterMs: null,
  message: "The step was cut off before the model had answered.",
};
