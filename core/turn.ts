/**
 * One decision in the making: the state as it becomes, and everything that has to be stored with it. `decide` opens a
 * turn, the rules write to it, and `decision` closes it. A turn is never kept.
 */
import { exceededMessage, nearlyUsed } from "./budget.ts";
import type { Failure } from "./errors.ts";
import type { EventType, NewEvent } from "./events.ts";
import { closedOutcome, settle, unknownOutcome } from "./ledger.ts";
import type { Message } from "./messages.ts";
import { isWaiting, statusOf } from "./task-status.ts";
import type { BatchCall, CallOutcome, Decision, EndReason, LedgerChange, TaskState, Work } from "./task-state.ts";
import { filesOf, pendingOf } from "./task-view.ts";
import { estimateTokens } from "./tokens.ts";
import { isForPerson } from "./waits.ts";

export class Turn {
  readonly before: TaskState;
  readonly now: number;
  state: TaskState;
  work: Work | null = null;
  readonly events: NewEvent[] = [];
  readonly messages: Message[] = [];
  readonly ledger: LedgerChange[] = [];

  constructor(state: TaskState, now: number) {
    this.before = state;
    this.state = state;
    this.now = now;
  }

  set(change: Partial<TaskState>): void {
    this.state = { ...this.state, ...change };
  }

  emit(type: EventType, data: Record<string, unknown> = {}): void {
    this.events.push({ type, data });
  }

  /** The first hop of the task begins. */
  start(): void {
    if (this.state.startedAt !== null) return;
    this.set({ startedAt: this.now });
    this.emit("task.started");
  }

  /** A task that waited goes on; said once a turn, before what it does next. */
  tellResumed(): void {
    const told = this.events.some(({ type }) => type === "task.resumed");
    if (!told && isWaiting(statusOf(this.before))) this.emit("task.resumed", { status: "running" });
  }

  /** Adds to the conversation, and to what the next request is expected to hold. */
  say(message: Message): void {
    this.messages.push(message);
    this.set({ contextTokens: this.state.contextTokens + estimateTokens(message.content) });
  }

  /** Replaces one call of the batch. */
  replace(call: BatchCall): void {
    this.set({ batch: this.state.batch.map((other) => (other.id === call.id ? call : other)) });
  }

  /** Settles a call: batch, ledger, event. */
  settle(call: BatchCall, outcome: CallOutcome): void {
    this.replace({ ...call, state: outcome.state, wait: null });
    this.ledger.push(settle(call.id, outcome, this.now));
    this.tellSettled(call, outcome);
  }

  /** The event and the token count of a settled call. */
  tellSettled(call: Pick<BatchCall, "id" | "tool">, outcome: CallOutcome): void {
    this.set({ contextTokens: this.state.contextTokens + estimateTokens(outcome.content) });
    const said = { step: this.state.step, call_id: call.id, tool: call.tool };
    if (outcome.state === "unknown") this.emit("call.unknown", said);
    else {
      const shown = outcome.result.ok ? { result: outcome.result.result } : { error: outcome.result.error };
      this.emit("call.completed", {
        ...said,
        ok: outcome.result.ok,
        state: outcome.state,
        ...shown,
        duration_ms: outcome.durationMs,
      });
    }
  }

  /** Ends the task. Calls that had not settled are closed: those that may have left are unknown. */
  end(
    status: "completed" | "failed" | "cancelled",
    reason: EndReason | null,
    text: string | null,
    error: { code: string; message: string } | null,
  ): void {
    for (const call of this.state.batch) {
      if (call.state !== "intended") continue;
      if (call.wait !== null && "id" in call.wait) this.closeWait(call.wait.id, "closed", null);
      const mayHaveLeft = call.wait === null && call.effect !== "none" && call.attempts > 0;
      this.settle(
        call,
        mayHaveLeft ? unknownOutcome(call.tool) : closedOutcome("The task ended before this was done."),
      );
    }
    this.set({ phase: { name: "ended", status, reason, text, error, at: this.now }, steering: [] });
    const output = text === null ? null : { text, files: filesOf(this.state) };
    this.emit(`task.${status}`, { status, reason, output, error });
  }

  /** Ends the task because a limit is used up. */
  exceed(kind: "tokens" | "cost" | "duration"): void {
    const message = exceededMessage(kind, this.state.facts.limits);
    this.end("failed", "budget_exceeded", null, { code: "budget_exceeded", message });
  }

  /** Remembers how a question or an approval ended. */
  closeWait(id: string, outcome: "answered" | "expired" | "closed", by: string | null): void {
    this.set({ settledWaits: { ...this.state.settledWaits, [id]: { outcome, by, at: this.now } } });
  }

  /** Nothing changes. */
  refuse(refused: Failure): Decision {
    return { state: this.before, events: [], messages: [], ledger: [], work: null, refused };
  }

  /** Closes the turn: the clock, the warning, and the events of a task that began or stopped waiting. */
  decision(): Decision {
    this.keepClock();
    this.warn();
    this.tellWaiting();
    return {
      state: this.state,
      events: this.events,
      messages: this.messages,
      ledger: this.ledger,
      work: this.work,
      refused: null,
    };
  }

  /** The clock stands while the task is held, has ended, or waits for a person, whatever else it waits for. */
  private keepClock(): void {
    const { phase, clock, batch } = this.state;
    const waits = batch.flatMap((call) => (call.wait === null ? [] : [call.wait]));
    const stands =
      phase.name === "held" || phase.name === "ended" || (phase.name === "parked" && waits.some(isForPerson));
    if (stands && clock.since !== null) {
      this.set({ clock: { activeMs: clock.activeMs + Math.max(0, this.now - clock.since), since: null } });
    } else if (!stands && clock.since === null && this.state.startedAt !== null) {
      this.set({ clock: { activeMs: clock.activeMs, since: this.now } });
    }
  }

  private warn(): void {
    if (this.state.warned || this.state.phase.name === "ended") return;
    const near = nearlyUsed(this.state, this.now);
    if (near.length === 0) return;
    this.set({ warned: true });
    for (const row of near) this.emit("budget.warning", { kind: row.kind, used: row.used, limit: row.limit });
  }

  private tellWaiting(): void {
    const { phase } = this.state;
    const status = statusOf(this.state);
    if (status === "running") this.tellResumed();
    if (!isWaiting(status) || status === statusOf(this.before)) return;
    // Beside questions and timers, a task sleeps because its model failed; whoever watches has to see why.
    const backOff =
      phase.name === "backing_off"
        ? { error: { code: "upstream_failed", message: phase.why }, until: new Date(phase.until).toISOString() }
        : {};
    this.emit("task.waiting", { status, pending: pendingOf(this.state), ...backOff });
  }
}
