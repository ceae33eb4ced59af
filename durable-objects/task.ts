/**
 * One task. The object stores what `core/task.ts` decides, wakes up when it says, makes the hops to the step runner, and
 * streams to watchers. It decides nothing itself.
 */
import { DurableObject } from "cloudflare:workers";
import { clockFromEnv, stepsFromEnv, tenantsFromEnv, type Env } from "../adapters/from-env.ts";
import { failed, ok, type Result } from "../core/errors.ts";
import { readLines, type LineReader } from "../core/json-lines.ts";
import type { ActLine, EventPage, TaskRpc, ThinkLine, WatchFrame } from "../core/objects.ts";
import type { ModelFailure } from "../core/ports.ts";
import type { Attachment, Command, Decision, LedgerRow, NewTask, TaskFacts, Work } from "../core/task-state.ts";
import { createTask, decide, nextWake } from "../core/task.ts";
import { viewTask, type TaskView } from "../core/task-view.ts";
import { NO_SUCH_TASK, TaskStore, changesIndex } from "./task-store.ts";

/** One alarm runs steps in a row for this long; then a fresh alarm goes on. Far below the platform's 15 minutes. */
const RUN_MS = 30_000;
/** After a report to the tenant failed. */
const REPORT_RETRY_MS = 1000;
/** After the alarm handler itself failed. */
const FAILED_RETRY_MS = 1000;
/** The most events of one page. */
const MAX_PAGE = 500;

export class TaskObject extends DurableObject<Env> implements TaskRpc {
  /** Names this instance: hops of another one were cut off by a crash. */
  private incarnation = crypto.randomUUID();
  private readonly store = new TaskStore(this.ctx.storage);
  private readonly clock = clockFromEnv(this.env);
  private inFlight: LineReader<unknown> | null = null;
  private reporting = false;

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

  async start(): Promise<Result<TaskView>> {
    return this.command({ type: "start" });
  }

  async message(text: string): Promise<Result<TaskView>> {
    return this.command({ type: "message", text });
  }

  async answer(question: string, answer: { text: string; isChoice: boolean; by: string }): Promise<Result<TaskView>> {
    return this.command({ type: "answer", question, answer: answer.text, isChoice: answer.isChoice, by: answer.by });
  }

  async attach(file: Attachment): Promise<Result<TaskView>> {
    return this.command({ type: "attach", file });
  }

  async cancel(by: string): Promise<Result<TaskView>> {
    const result = this.command({ type: "cancel", by });
    if (result.ok) await this.inFlight?.cancel();
    return result;
  }

  async events(after: number, limit: number): Promise<Result<EventPage>> {
    return this.read(() => this.store.events(after, Math.min(Math.max(limit, 1), MAX_PAGE)));
  }

  async ledger(): Promise<Result<readonly LedgerRow[]>> {
    return this.read(() => this.store.ledger());
  }

  async poke(): Promise<void> {
    this.arm();
  }

  async erase(): Promise<Result<void>> {
    const stored = this.store.load();
    if (stored === null) return { ok: false, error: NO_SUCH_TASK };
    if (stored.state.phase.name !== "ended") return failed("conflict", "The task is still alive. Cancel it first.");
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
    this.store.forget();
    for (const socket of this.ctx.getWebSockets()) socket.close(1000, "erased");
    return ok(undefined);
  }

  /** A watcher's hibernatable WebSocket: it keeps no waiting task in memory. */
  override async fetch(_request: Request): Promise<Response> {
    if (this.store.load() === null) return new Response(null, { status: 404 });
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server);
    return new Response(null, { status: 101, webSocket: client });
  }

  override async webSocketMessage(): Promise<void> {
    // Watchers only listen.
  }

  override async webSocketClose(socket: WebSocket, code: number): Promise<void> {
    socket.close(code === 1005 || code === 1006 ? 1000 : code);
  }

  /**
   * The one way a task goes on, after a crash as before. Whatever happens in here, the alarm is set again: the platform
   * gives up an alarm whose handler failed six times, and a task never.
   */
  override async alarm(): Promise<void> {
    const until = this.clock.now() + RUN_MS;
    let notBefore = 0;
    try {
      if (this.store.load()?.unreported === true) void this.report();
      const wake = { type: "wake", incarnation: this.incarnation } as const;
      let decision = this.apply(wake);
      while (decision !== null) {
        if (decision.work !== null) decision = await this.perform(decision.work);
        else if (isDue(decision, this.clock.now()) && this.clock.now() < until) decision = this.apply(wake);
        else break;
      }
    } catch (thrown) {
      console.error("task alarm failed", this.store.load()?.state.facts.id, thrown);
      // A hop of this instance may stand in the state with nobody running it: under another name it is taken up again.
      this.incarnation = crypto.randomUUID();
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
    this.broadcast({ events });
    if (report) void this.report();
    return decision;
  }

  private command(command: Command): Result<TaskView> {
    const decision = this.apply(command);
    if (decision === null) return { ok: false, error: NO_SUCH_TASK };
    return decision.refused === null ? ok(viewTask(decision.state)) : { ok: false, error: decision.refused };
  }

  private read<T>(look: (stored: NonNullable<ReturnType<TaskStore["load"]>>) => T): Result<T> {
    const stored = this.store.load();
    return stored === null ? { ok: false, error: NO_SUCH_TASK } : ok(look(stored));
  }

  private async perform(work: Work): Promise<Decision | null> {
    return work.kind === "think" ? await this.think(work) : await this.act(work);
  }

  /** Hop one: the model's text goes to watchers as it comes, its reply to `decide`. */
  private async think(work: Extract<Work, { kind: "think" }>): Promise<Decision | null> {
    const { step, attempt } = work;
    const hop = { step, attempt, incarnation: this.incarnation };
    let failure: ModelFailure = cutOff("The step was cut off before the model had answered.");
    try {
      const state = this.store.load()?.state;
      if (state === undefined) return null;
      const job = { ...work, facts: state.facts, messages: this.store.conversation(), repeat: state.repeat };
      for await (const line of this.open<ThinkLine>(await stepsFromEnv(this.env).think(job))) {
        if (line.type === "replied") return this.apply({ type: "model_replied", ...hop, reply: line.reply });
        if (line.type === "text") this.broadcast({ delta: { step, attempt, text: line.text } });
        else failure = line.failure;
      }
    } catch (thrown) {
      console.error("hop one failed", thrown);
    } finally {
      this.inFlight = null;
    }
    return this.apply({ type: "model_failed", ...hop, failure });
  }

  /** Hop two: each result is stored as it comes. */
  private async act(work: Extract<Work, { kind: "act" }>): Promise<Decision | null> {
    const hop = { step: work.step, incarnation: this.incarnation };
    try {
      const state = this.store.load()?.state;
      if (state === undefined) return null;
      const rows = new Map(this.store.calls(work.calls.map((call) => call.callId)).map((row) => [row.callId, row]));
      const calls = work.calls.flatMap((call) => {
        const row = rows.get(call.callId);
        return row === undefined ? [] : [{ ...call, tool: row.tool, arguments: row.arguments, key: row.key }];
      });
      const job = { facts: state.facts, step: work.step, calls, timeoutMs: work.timeoutMs };
      for await (const line of this.open<ActLine>(await stepsFromEnv(this.env).act(job))) {
        this.apply({ type: "call_settled", ...hop, callId: line.callId, outcome: line.outcome });
      }
    } catch (thrown) {
      console.error("hop two failed", thrown);
    } finally {
      this.inFlight = null;
    }
    return this.apply({ type: "hop_ended", ...hop });
  }

  private open<T>(stream: ReadableStream<Uint8Array>): LineReader<T> {
    const lines = readLines<T>(stream);
    this.inFlight = lines;
    return lines;
  }

  /** Sets the one alarm from the stored state; a task that waits for something from outside has none. */
  private arm(notBefore = 0): void {
    const stored = this.store.load();
    if (stored === null) return;
    const now = this.clock.now();
    const due = nextWake(stored.state, now);
    const reportDue = stored.unreported ? now + REPORT_RETRY_MS : null;
    const at = due === null ? reportDue : reportDue === null ? due : Math.min(due, reportDue);
    if (at === null) void this.ctx.storage.deleteAlarm();
    else void this.ctx.storage.setAlarm(Math.max(at, notBefore));
  }

  private broadcast(frame: WatchFrame): void {
    if ("events" in frame && frame.events.length === 0) return;
    const sockets = this.ctx.getWebSockets();
    if (sockets.length === 0) return;
    const text = JSON.stringify(frame);
    for (const socket of sockets) {
      try {
        socket.send(text);
      } catch {
        // The watcher is gone; its close event follows.
      }
    }
  }

  /** Tells the tenant how the task stands. What fails is tried again by the alarm. */
  private async report(): Promise<void> {
    if (this.reporting) return;
    this.reporting = true;
    try {
      for (let stored = this.store.load(); stored?.unreported === true; stored = this.store.load()) {
        const { state, version } = stored;
        const { facts } = state;
        const row = {
          task: facts.id,
          version,
          view: viewTask(state),
          hidden: facts.kind === "call",
          wakeAt: nextWake(state, this.clock.now()),
        };
        await tenantsFromEnv(this.env)(facts.tenant).report(row);
        this.store.markReported(version);
      }
      this.arm();
    } catch (thrown) {
      console.error("report to the tenant failed", thrown);
    } finally {
      this.reporting = false;
    }
  }
}

/** True when the next wake-up is due at once, so that this alarm may go on. */
function isDue(decision: Decision, now: number): boolean {
  const at = nextWake(decision.state, now);
  return at !== null && at <= now;
}

function cutOff(message: string): ModelFailure {
  return { kind: "cut_off", retryable: true, retryAfterMs: null, message };
}
