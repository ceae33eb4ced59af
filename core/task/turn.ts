/**
 * One decision in the making: the state as it becomes, and everything that has to be stored with it. `decide` opens a
 * turn, the rules write to it, and `decision` closes it. A turn is never kept.
 */
import { cutOffUse, encodingNow, exceededMessage, nearlyUsed } from "./budget.ts";
import type { Failure } from "../base/errors.ts";
import type { EventType, NewEvent } from "./events.ts";
import { markSent } from "./key-lifetime.ts";
import { closedOutcome, settle, unknownOutcome } from "./ledger.ts";
import type { LabelledMessage, ModelUsage } from "../model/messages.ts";
import { costMicros } from "../model/table.ts";
import type { CallOutcome } from "./commands.ts";
import type { BelowChange, Decision, LedgerChange, Spend, StepMessage, Work } from "./decision.ts";
import { type BatchCall, type EndReason, isSubtaskWait, type Reservation, type TaskState } from "./state.ts";
import { joinLabels, type Label, labelName, OUTSIDE } from "../provenance/label.ts";
import { isBusy, isWaiting, statusOf } from "./status.ts";
import { filesOf, pendingOf, type PendingView } from "./view.ts";
import { toPromptMessages } from "../prompt/mark-data.ts";
import { estimateMessages } from "../model/tokens.ts";
import { isForPerson, toldOfOpen } from "./waits.ts";

/** Questions and approvals that are remembered after they ended; one decided again after that is not found. */
const MAX_SETTLED_WAITS = 1000;
/** Calls of one step that are under way at once, unless the runner's setting says otherwise. */
const DEFAULT_MAX_PARALLEL = 5;

export class Turn {
  readonly before: TaskState;
  readonly now: number;
  /** How many calls of a step may be under way at once. */
  readonly maxParallel: number;
  state: TaskState;
  work: Work | null = null;
  compaction: Decision["compaction"] = null;
  readonly events: NewEvent[] = [];
  readonly messages: StepMessage[] = [];
  readonly ledger: LedgerChange[] = [];
  readonly spent: Spend[] = [];
  readonly below: BelowChange[] = [];

  constructor(state: TaskState, now: number, maxParallel = DEFAULT_MAX_PARALLEL) {
    this.before = state;
    this.state = state;
    this.now = now;
    this.maxParallel = maxParallel;
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

  /**
   * Another model is asked from now on; what was learned of the last one's window does not hold for it. In another
   * encoding the request has another size: it is measured again.
   */
  askModel(index: number): void {
    const { isContextCounted: wasCounted, model } = this.state;
    const before = encodingNow(this.state);
    this.set({ model: { index, since: this.now }, windowTokens: null });
    if (wasCounted && model.index !== index && encodingNow(this.state) !== before)
      this.set({ isContextCounted: false, hasCountedTools: true });
  }

  /** A hop begins under the tenant's leave. */
  useLeave(): void {
    if (this.state.permit?.isNew === true) this.set({ permit: { ...this.state.permit, isNew: false } });
  }

  /** A task that waited goes on; said once a turn, before what it does next. */
  tellResumed(): void {
    const told = this.events.some(({ type }) => type === "task.resumed");
    if (!told && isWaiting(statusOf(this.before))) this.emit("task.resumed", { status: "running" });
  }

  /** Adds to the conversation of the present step. */
  say(message: LabelledMessage): void {
    this.messages.push({ step: this.state.step, message });
    this.steer(message.label);
  }

  /** The next request contains a text with this label. */
  steer(label: Label): void {
    const steeredBy = joinLabels(this.state.steeredBy, label);
    if (steeredBy !== this.state.steeredBy) this.set({ steeredBy });
  }

  /** Adds a message that was sent to the task, also to what the next request is expected to contain. */
  sayToModel(message: LabelledMessage): void {
    this.say(message);
    this.expect(message);
  }

  /** Replaces one call of the batch. */
  replace(call: BatchCall): void {
    this.set({ batch: this.state.batch.map((other) => (other.id === call.id ? call : other)) });
  }

  /** An attempt of the call begins: from now on it may have left. */
  countAttempt(call: BatchCall): void {
    const attempts = call.attempts + 1;
    this.replace({ ...call, attempts, mayRepeat: false, ...markSent(call, this.now) });
    // A row that this very decision makes is written once.
    const made = this.ledger.findIndex((change) => change.kind === "insert" && change.row.callId === call.id);
    const insert = this.ledger[made];
    if (insert?.kind === "insert") this.ledger[made] = { kind: "insert", row: { ...insert.row, attempts } };
    else this.ledger.push({ kind: "attempt", callId: call.id, attempts });
  }

  /**
   * The attempt that was counted did not happen. A call that can neither be repeated nor looked up had a person's word for it,
   * which stays valid.
   */
  takeBackAttempt(call: BatchCall): void {
    const attempts = call.attempts - 1;
    const mayRepeat = attempts > 0 && call.effect === "once";
    this.replace({ ...call, attempts, mayRepeat });
    this.ledger.push({ kind: "attempt", callId: call.id, attempts });
  }

  /** Settles a call: batch, ledger, event. What the task says itself has the label of the call's context. */
  settle(call: BatchCall, outcome: CallOutcome): void {
    const label = outcome.label ?? call.label ?? OUTSIDE;
    const content = call.note === null ? outcome.content : `${call.note}\n${outcome.content}`;
    this.replace({ ...call, state: outcome.state, wait: null, toSummarise: outcome.isLarge ?? false });
    this.ledger.push(settle(call.id, { ...outcome, content, label }, this.now));
    this.expect({ role: "tool", callId: call.id, name: call.tool, content, label });
    this.steer(label);
    this.tellSettled(call, outcome, label);
  }

  /** Counts a message that the next request will hold. */
  private expect(message: LabelledMessage): void {
    const tokens = estimateMessages(toPromptMessages([message], this.state.facts), encodingNow(this.state));
    this.set({ contextTokens: this.state.contextTokens + tokens });
  }

  /** A model call was made; returns what it cost. `model` is its place in the task's list. */
  spend(purpose: Spend["purpose"], callId: string | null, model: number, used: ModelUsage): number {
    const { usage, facts, step } = this.state;
    const { inputTokens, outputTokens, estimated } = used;
    const choice = facts.models[model];
    const cost = costMicros(choice?.price ?? null, inputTokens, outputTokens);
    this.set({
      usage: {
        ...usage,
        inputTokens: usage.inputTokens + inputTokens,
        outputTokens: usage.outputTokens + outputTokens,
        costMicros: usage.costMicros + cost,
        estimated: usage.estimated || estimated,
      },
    });
    const name = choice?.name ?? null;
    this.spent.push({ purpose, step, callId, model: name, inputTokens, outputTokens, costMicros: cost, estimated });
    return cost;
  }

  /** A model call was cut off: what it used is estimated, at most its reservation. */
  private spendCutOff(
    purpose: Spend["purpose"],
    model: number,
    { inputTokens, outputTokens }: Omit<Reservation, "costMicros">,
  ): void {
    if (inputTokens + outputTokens === 0) return;
    this.spend(purpose, null, model, { inputTokens, outputTokens, estimated: true });
  }

  /** The hop under way is cut off: what it still brings is void, and a model call in it is settled by its checkpoint, once. */
  cutOff(): void {
    const { phase, model } = this.state;
    if (!("incarnation" in phase) || phase.incarnation === "") return;
    if (phase.name === "acting") return this.set({ phase: { ...phase, incarnation: "" } });
    if (phase.name === "thinking") this.spendCutOff("step", phase.model, cutOffUse(phase));
    else this.spendCutOff(phase.history === null ? "summary" : "history", model.index, cutOffUse(phase));
    const reserved = { inputTokens: 0, outputTokens: 0, costMicros: 0 };
    this.set({ phase: { ...phase, incarnation: "", reserved } });
  }

  /** Warns, once, that a limit is nearly used: the task's own, or that of an account above it. */
  warn(account: string, limit: { readonly kind: string; readonly used: number; readonly limit: number }): void {
    const name = `${account} ${limit.kind}`;
    if (this.state.warned.includes(name)) return;
    this.set({ warned: [...this.state.warned, name] });
    this.emit("budget.warning", { account, ...limit });
  }

  /** Ends the task. Calls that had not settled are closed: those that may have left are unknown. */
  end(
    status: "completed" | "failed" | "cancelled",
    reason: EndReason | null,
    text: string | null,
    error: { code: string; message: string } | null,
  ): void {
    const open = this.state.batch.flatMap(({ wait }) => (isSubtaskWait(wait) ? [wait.id] : []));
    const toCancel = [...this.state.adopted, ...open];
    const closed: Readonly<Record<string, unknown>>[] = [];
    for (const call of this.state.batch) {
      if (call.state !== "intended") continue;
      const { wait } = call;
      const told = toldOfOpen(call.tool, wait);
      if (told !== null) closed.push(told);
      if (wait?.kind === "question" || wait?.kind === "approval") this.closeWait(wait.id, "closed", null);
      const ran = (wait === null || wait.kind === "unknown") && call.attempts > 0;
      const mayHaveLeft = ran && call.effect !== "none";
      this.settle(
        call,
        mayHaveLeft ? unknownOutcome(call.tool) : closedOutcome("The task ended before this was done."),
      );
    }
    const phase = { name: "ended", status, reason, text, error, at: this.now } as const;
    this.set({ phase, steering: [], waitsBelow: {}, uncounted: open, toCancel });
    const output = text === null ? null : { text, files: filesOf(this.state) };
    this.emit(`task.${status}`, { status, reason, output, error, ...(closed.length === 0 ? {} : { closed }) });
  }

  /** Ends the task because a limit is used up. */
  exceed(kind: "tokens" | "cost" | "duration"): void {
    const message = exceededMessage(kind, this.state.facts.limits);
    this.end("failed", "budget_exceeded", null, { code: "budget_exceeded", message });
  }

  /** Remembers how a question or an approval ended. */
  closeWait(id: string, outcome: "answered" | "expired" | "closed", by: string | null): void {
    const settled = Object.entries({ ...this.state.settledWaits, [id]: { outcome, by, at: this.now } });
    this.set({ settledWaits: Object.fromEntries(settled.slice(-MAX_SETTLED_WAITS)) });
  }

  /** Says what a subtask, or a task below it, asks people for, now that it changed under a task that waits; none: nothing. */
  tellPendingBelow(subtask: string, pending: readonly PendingView[]): void {
    const status = statusOf(this.state);
    if (isWaiting(status)) this.emit("task.waiting", { status, subtask_id: subtask, pending });
  }

  /** Nothing changes. */
  refuse(refused: Failure): Decision {
    return { ...NOTHING, state: this.before, refused };
  }

  /** Closes the turn: permit, clock, the warning, and the events of a task that began or stopped waiting. */
  decision(): Decision {
    this.dropPermit();
    this.keepClock();
    this.warnOfLimits();
    this.tellWaiting();
    const { state, events, messages, ledger, spent, below, compaction, work } = this;
    return { state, events, messages, ledger, spent, below, compaction, work, refused: null };
  }

  /** The event of a settled call. */
  private tellSettled(call: Pick<BatchCall, "id" | "tool">, outcome: CallOutcome, label: Label): void {
    const said = { step: this.state.step, call_id: call.id, tool: call.tool };
    if (outcome.state === "unknown") this.emit("call.unknown", said);
    else {
      const shown = outcome.result.ok ? { result: outcome.result.result } : { error: outcome.result.error };
      this.emit("call.completed", {
        ...said,
        ok: outcome.result.ok,
        state: outcome.state,
        label: labelName(label),
        ...shown,
        duration_ms: outcome.durationMs,
      });
    }
  }

  /** Leave to run, and what was leased with it, goes back to the tenant whenever the task does not run. */
  private dropPermit(): void {
    const { permit, phase, turnedAway } = this.state;
    if (!isBusy(phase) && turnedAway !== null) this.set({ turnedAway: null });
    if (permit === null) return;
    // Leave that came for the next try after a back-off is new; the one that the failed try had is not.
    const rests = !isBusy(phase) || (phase.name === "backing_off" && !permit.isNew);
    if (rests || turnedAway !== null) this.set({ permit: null });
  }

  /**
   * The clock stands while the task is held, has ended or was turned away; while a person is asked, here or below, whatever
   * else it waits for; and while it waits for nothing but subtasks whose own time stands.
   */
  private keepClock(): void {
    const { phase, clock, turnedAway } = this.state;
    const isOver = phase.name === "held" || phase.name === "ended" || turnedAway !== null;
    const stands = isOver || (phase.name === "parked" && this.waitsForOthers());
    if (stands && clock.since !== null) {
      this.set({ clock: { activeMs: clock.activeMs + Math.max(0, this.now - clock.since), since: null } });
    } else if (!stands && clock.since === null && this.state.startedAt !== null) {
      this.set({ clock: { activeMs: clock.activeMs, since: this.now } });
    }
  }

  /** True while what the parked task waits for is nobody's work. */
  private waitsForOthers(): boolean {
    const { batch, waitsBelow } = this.state;
    const waits = batch.flatMap((call) => (call.wait === null ? [] : [call.wait]));
    if (waits.some(isForPerson) || Object.values(waitsBelow).some(({ forPerson }) => forPerson)) return true;
    return waits.every((wait) => isSubtaskWait(wait) && waitsBelow[wait.id]?.stands === true);
  }

  private warnOfLimits(): void {
    if (this.state.phase.name === "ended") return;
    for (const limit of nearlyUsed(this.state, this.now)) this.warn("task", limit);
  }

  private tellWaiting(): void {
    const { phase, turnedAway } = this.state;
    const status = statusOf(this.state);
    if (status === "running") this.tellResumed();
    if (!isWaiting(status) || status === statusOf(this.before)) return;
    // Beside questions and timers, a task sleeps because its model failed or its tenant stopped; whoever watches has to see why.
    const backOff =
      phase.name === "backing_off"
        ? { error: { code: "upstream_failed", message: phase.why }, until: new Date(phase.until).toISOString() }
        : {};
    const stop =
      turnedAway === null
        ? {}
        : { error: { code: "conflict", message: turnedAway.message ?? "The task has to wait." } };
    this.emit("task.waiting", { status, pending: pendingOf(this.state), ...backOff, ...stop });
  }
}

const NOTHING = {
  events: [],
  messages: [],
  ledger: [],
  spent: [],
  below: [],
  compaction: null,
  work: null,
} as const;
