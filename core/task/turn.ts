/**
 * One decision while it is made: the new state, and everything to store with it. `decide` creates a turn, the rules
 * write to it, and `decision` closes it. A turn is never stored.
 */
import { settleCutOffModelUse } from "./model-use.ts";
import { estimateCutOffUse, getCurrentEncoding, formatExceededLimit, findNearLimits } from "./budget.ts";
import type { Failure } from "../base/errors.ts";
import { type Actor, type Actors, addActor, joinActors } from "../connections/actors.ts";
import type { EventType, NewEvent } from "./events.ts";
import { markSent } from "./key-lifetime.ts";
import { keepCited } from "../knowledge/citations.ts";
import { addSources } from "../knowledge/sources.ts";
import { closedOutcome, createSettlement, unknownOutcome } from "./ledger.ts";
import type { LabelledMessage, ModelUsage } from "../model/messages.ts";
import { computeCostMicros } from "../model/table.ts";
import type { CallOutcome } from "./commands.ts";
import type { BelowChange, Decision, LedgerChange, Spend, StepMessage, Work } from "./decision.ts";
import type { BatchCall, EndReason, Reservation, TaskState } from "./state.ts";
import { joinLabels, type Label, getLabelName, OUTSIDE } from "../provenance/label.ts";
import { isBusy, isWaiting, getStatus } from "./status.ts";
import { toAccountField, toOutput, getPending, type PendingView } from "./view.ts";
import { toPromptMessages } from "../prompt/mark-data.ts";
import { estimateMessages } from "../model/tokens.ts";
import { isSubtaskWait, type SettledWait } from "./wait.ts";
import { hasSettlement, isForPerson, toOpenWaitFields } from "./waits.ts";

/** Stored settled questions and approvals. A later decision on an older one is `not_found`. */
const MAX_SETTLED_WAITS = 1000;
/** Parallel calls of one step, unless the runner's setting differs. */
const DEFAULT_MAX_PARALLEL = 5;

export class Turn {
  readonly before: TaskState;
  readonly now: number;
  /** The most parallel calls of a step. */
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

  /** Records the first runner call of the task. */
  markStarted(): void {
    if (this.state.startedAt !== null) return;
    this.set({ startedAt: this.now });
    this.emit("task.started");
  }

  /**
   * Switches to another model and drops the last one's window. In another encoding the request has another size, so it
   * is measured again.
   */
  switchModel(index: number): void {
    const { isContextCounted: wasCounted, model } = this.state;
    const before = getCurrentEncoding(this.state);
    this.set({ model: { index, since: this.now }, windowTokens: null });
    if (wasCounted && model.index !== index && getCurrentEncoding(this.state) !== before)
      this.set({ isContextCounted: false, hasCountedTools: true });
  }

  /** Marks the permit as used by a runner call. */
  usePermit(): void {
    if (this.state.permit?.isNew === true) this.set({ permit: { ...this.state.permit, isNew: false } });
  }

  /** Emits, once a turn, that a waiting task resumed, before its next events. */
  emitResumed(): void {
    const isEmitted = this.events.some(({ type }) => type === "task.resumed");
    if (!isEmitted && isWaiting(getStatus(this.before))) this.emit("task.resumed", { status: "running" });
  }

  /** Appends a message to the conversation of the current step. */
  appendMessage(message: LabelledMessage): void {
    this.messages.push({ step: this.state.step, message });
    this.addLabel(message.label);
  }

  /** Joins the label of a text that the next request contains. */
  addLabel(label: Label): void {
    const steeredBy = joinLabels(this.state.steeredBy, label);
    if (steeredBy !== this.state.steeredBy) this.set({ steeredBy });
  }

  /** Adds the author of a text that the model reads; null if unknown. */
  addActor(actor: Actor | null): void {
    const actors = addActor(this.state.actors, actor);
    if (actors !== this.state.actors) this.set({ actors });
  }

  /** Adds who steered a subtask, whose text the model reads. */
  joinActors(others: Actors | undefined): void {
    const actors = joinActors(this.state.actors, others);
    if (actors !== this.state.actors) this.set({ actors });
  }

  /** Appends a message that was sent to the task, and counts it in the next request. */
  appendSentMessage(message: LabelledMessage): void {
    this.appendMessage(message);
    this.countContext(message);
  }

  replace(call: BatchCall): void {
    this.set({ batch: this.state.batch.map((other) => (other.id === call.id ? call : other)) });
  }

  /** Counts an attempt that begins: from now on it may have left. */
  countAttempt(call: BatchCall): void {
    const attempts = call.attempts + 1;
    this.replace({ ...call, attempts, mayRepeat: false, ...markSent(call, this.now) });
    // A row that this decision inserts is written once.
    const inserted = this.ledger.findIndex((change) => change.kind === "insert" && change.row.callId === call.id);
    const insert = this.ledger[inserted];
    if (insert?.kind === "insert") this.ledger[inserted] = { kind: "insert", row: { ...insert.row, attempts } };
    else this.ledger.push({ kind: "attempt", callId: call.id, attempts });
  }

  /**
   * Takes back a counted attempt that did not happen. A call that can be neither repeated nor probed had a person's
   * decision to retry, which remains valid.
   */
  takeBackAttempt(call: BatchCall): void {
    const attempts = call.attempts - 1;
    const mayRepeat = attempts > 0 && call.effect === "once";
    this.replace({ ...call, attempts, mayRepeat });
    this.ledger.push({ kind: "attempt", callId: call.id, attempts });
  }

  /** Settles a call: batch, ledger, event. A result of the task itself has the label of the call's context. */
  settle(call: BatchCall, outcome: CallOutcome): void {
    const label = outcome.label ?? call.label ?? OUTSIDE;
    const content = call.note === null ? outcome.content : `${call.note}\n${outcome.content}`;
    this.replace({ ...call, state: outcome.state, wait: null, toSummarise: outcome.isLarge ?? false });
    if (outcome.sources !== undefined) this.set({ sources: addSources(this.state.sources ?? [], outcome.sources) });
    this.ledger.push(createSettlement(call.id, { ...outcome, content, label }, this.now));
    this.countContext({ role: "tool", callId: call.id, name: call.tool, content, label });
    this.addLabel(label);
    this.emitSettled(call, outcome, label);
  }

  /** Counts a message of the next request. */
  private countContext(message: LabelledMessage): void {
    const tokens = estimateMessages(toPromptMessages([message], this.state.facts), getCurrentEncoding(this.state));
    this.set({ contextTokens: this.state.contextTokens + tokens });
  }

  /** Records the use of a model call and returns its cost. `model` is its index in the task's list. */
  spend(purpose: Spend["purpose"], callId: string | null, model: number, used: ModelUsage): number {
    const { usage, facts, step } = this.state;
    const { inputTokens, outputTokens, estimated } = used;
    const choice = facts.models[model];
    const cost = computeCostMicros(choice?.price ?? null, inputTokens, outputTokens);
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

  /** Records the estimated use of an interrupted model call, at most its reservation. */
  private spendCutOff(
    purpose: Spend["purpose"],
    model: number,
    { inputTokens, outputTokens }: Omit<Reservation, "costMicros">,
  ): void {
    if (inputTokens + outputTokens === 0) return;
    this.spend(purpose, null, model, { inputTokens, outputTokens, estimated: true });
  }

  /**
   * Cuts off the current runner call: its later reports are void, its model call is settled by its checkpoint, and those of
   * tools are settled by their reservations, once.
   */
  cutOff(): void {
    const { phase, model } = this.state;
    if (!("incarnation" in phase) || phase.incarnation === "") return;
    if (phase.name === "acting") {
      settleCutOffModelUse(this);
      return this.set({ phase: { ...phase, incarnation: "" } });
    }
    if (phase.name === "thinking") this.spendCutOff("step", phase.model, estimateCutOffUse(phase));
    else this.spendCutOff(phase.history === null ? "summary" : "history", model.index, estimateCutOffUse(phase));
    const reserved = { inputTokens: 0, outputTokens: 0, costMicros: 0 };
    this.set({ phase: { ...phase, incarnation: "", reserved } });
  }

  /** Warns once that a limit is nearly used: the task's own, or that of an account above it. */
  warn(account: string, limit: { readonly kind: string; readonly used: number; readonly limit: number }): void {
    const name = `${account} ${limit.kind}`;
    if (this.state.warned.includes(name)) return;
    this.set({ warned: [...this.state.warned, name] });
    this.emit("budget.warning", { account, ...limit });
  }

  /** Ends the task. Closes the calls that had not settled: those that may have left are unknown. */
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
      const open = toOpenWaitFields(call.tool, wait);
      if (open !== null) closed.push(open);
      if (hasSettlement(wait)) this.closeWait(wait.id, "closed", null);
      const ran = (wait === null || wait.kind === "unknown") && call.attempts > 0;
      const mayHaveLeft = ran && call.effect !== "none";
      this.settle(
        call,
        mayHaveLeft ? unknownOutcome(call.tool) : closedOutcome("The task ended before this was done."),
      );
    }
    const phase = { name: "ended", status, reason, text, error, at: this.now } as const;
    const { sources } = this.state;
    const cited = sources === undefined ? {} : { sources: keepCited(text, sources) };
    this.set({ phase, steering: [], waitsBelow: {}, uncounted: open, toCancel, ...cited });
    const { output, warnings } = toOutput(this.state, text);
    const rest = { ...(closed.length === 0 ? {} : { closed }), ...(warnings.length === 0 ? {} : { warnings }) };
    this.emit(`task.${status}`, { status, reason, output, error, ...rest });
  }

  /** Ends the task because a limit is used up. */
  exceed(kind: "tokens" | "cost" | "duration"): void {
    const message = formatExceededLimit(kind, this.state.facts.limits);
    this.end("failed", "budget_exceeded", null, { code: "budget_exceeded", message });
  }

  /** Stores how a question, an approval or a wait for a connection ended. */
  closeWait(id: string, outcome: SettledWait["outcome"], by: string | null): void {
    const settled = Object.entries({ ...this.state.settledWaits, [id]: { outcome, by, at: this.now } });
    this.set({ settledWaits: Object.fromEntries(settled.slice(-MAX_SETTLED_WAITS)) });
  }

  /** Emits the changed waits of a subtask's tree, if this task waits. */
  emitPendingBelow(subtask: string, pending: readonly PendingView[]): void {
    const status = getStatus(this.state);
    if (isWaiting(status)) this.emit("task.waiting", { status, subtask_id: subtask, pending });
  }

  /** Discards the turn. */
  refuse(refused: Failure): Decision {
    return { ...NOTHING, state: this.before, refused };
  }

  /** Closes the turn: permit, clock, warnings, and the events of a task that began or stopped waiting. */
  decision(): Decision {
    this.dropPermit();
    this.updateClock();
    this.warnOfLimits();
    this.emitWaiting();
    const { state, events, messages, ledger, spent, below, compaction, work } = this;
    return { state, events, messages, ledger, spent, below, compaction, work, refused: null };
  }

  private emitSettled(call: Pick<BatchCall, "id" | "tool" | "account">, outcome: CallOutcome, label: Label): void {
    const fields = { step: this.state.step, call_id: call.id, tool: call.tool, ...toAccountField(call) };
    if (outcome.state === "unknown") this.emit("call.unknown", fields);
    else {
      const shown = outcome.result.ok ? { result: outcome.result.result } : { error: outcome.result.error };
      this.emit("call.completed", {
        ...fields,
        ok: outcome.result.ok,
        state: outcome.state,
        label: getLabelName(label),
        ...shown,
        duration_ms: outcome.durationMs,
      });
      // The data of a result in the row is made when the event is read (`tool-data.ts`).
      if (outcome.pageData !== undefined)
        this.emit("tool-data", { ...fields, label: getLabelName(label), ...outcome.pageData });
    }
  }

  /** Returns the permit and its lease to the tenant while the task does not run. */
  private dropPermit(): void {
    const { permit, phase, turnedAway, facts } = this.state;
    if (!isBusy(phase) && turnedAway !== null) this.set({ turnedAway: null });
    if (permit === null) return;
    // The permit for the attempt after a back-off is new; that of the failed attempt is not.
    const rests = !isBusy(phase) || (phase.name === "backing_off" && !permit.isNew);
    // The end of a subtask wakes its parent, and passes the permit on.
    const isPassedOn = phase.name === "ended" && facts.parentId !== null && permit.isTransferable === true;
    if ((rests && !isPassedOn) || turnedAway !== null) this.set({ permit: null });
  }

  /**
   * Stops the clock while the task is a draft, has ended or was refused a permit; while a person is asked, here or
   * below; and while it waits only for subtasks whose own clocks are stopped.
   */
  private updateClock(): void {
    const { phase, clock, turnedAway } = this.state;
    const isOver = phase.name === "held" || phase.name === "ended" || turnedAway !== null;
    const stands = isOver || (phase.name === "parked" && this.isWaitingForOthers());
    if (stands && clock.since !== null) {
      this.set({ clock: { activeMs: clock.activeMs + Math.max(0, this.now - clock.since), since: null } });
    } else if (!stands && clock.since === null && this.state.startedAt !== null) {
      this.set({ clock: { activeMs: clock.activeMs, since: this.now } });
    }
  }

  /** True while the parked task waits only for people or stopped subtasks. */
  private isWaitingForOthers(): boolean {
    const { batch, waitsBelow } = this.state;
    const waits = batch.flatMap((call) => (call.wait === null ? [] : [call.wait]));
    if (waits.some(isForPerson) || Object.values(waitsBelow).some(({ forPerson }) => forPerson)) return true;
    return waits.every((wait) => isSubtaskWait(wait) && waitsBelow[wait.id]?.stands === true);
  }

  private warnOfLimits(): void {
    if (this.state.phase.name === "ended") return;
    for (const limit of findNearLimits(this.state, this.now)) this.warn("task", limit);
  }

  private emitWaiting(): void {
    const { phase, turnedAway } = this.state;
    const status = getStatus(this.state);
    if (status === "running") this.emitResumed();
    if (!isWaiting(status) || status === getStatus(this.before)) return;
    // A task also sleeps because its model failed or its tenant stopped. Watchers have to see why.
    const backOff =
      phase.name === "backing_off"
        ? { error: { code: "upstream_failed", message: phase.why }, until: new Date(phase.until).toISOString() }
        : {};
    const stop =
      turnedAway === null
        ? {}
        : { error: { code: "conflict", message: turnedAway.message ?? "The task has to wait." } };
    this.emit("task.waiting", { status, pending: getPending(this.state), ...backOff, ...stop });
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
