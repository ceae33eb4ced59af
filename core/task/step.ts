/**
 * The model phase of a step: how a model call begins, what its reply does to the task, and what happens when it fails.
 */
import { MICROS_PER_DOLLAR } from "./amounts.ts";
import { findExceededLimit, reserveModelCall } from "./budget.ts";
import { computeCostMicros } from "../model/table.ts";
import { planNextTry, mayBeCharged } from "./model-retry.ts";
import { getLabelName } from "../provenance/label.ts";
import { advance } from "./advance.ts";
import { beginActing, openBatch } from "./batch.ts";
import { condenseOverflow } from "./condense.ts";
import type { Command } from "./commands.ts";
import type { ModelRetry, ModelTries, Phase, TaskState } from "./state.ts";
import type { Turn } from "./turn.ts";

/** Interrupted model calls of one step after which the task fails. */
const MAX_CUT_OFFS = 50;
/**
 * After a model call of this duration, the tool phase waits for its own alarm: the platform ends a handler after 15
 * minutes.
 */
const FRESH_ALARM_AFTER_MS = 60_000;
/** The result when the last call, which has no tools, returns no text. */
const EMPTY_LAST_ANSWER = "The limit of steps was reached, and the model gave no answer in its last call.";
/** The result when the model repeatedly returns neither text nor calls. */
const EMPTY_ANSWER = "The model ended the task without an answer.";
/** The most empty replies of one step. Models send one after their last tool call, and a retry often helps. */
const MAX_EMPTY_REPLIES = 3;
const EMPTY_RETRY_MS = 1000;
/** How long a fallback model is used before the agent's own model is tried again. */
const FALLBACK_LIFETIME_MS = 5 * 60_000;
const NOTHING_RESERVED = { inputTokens: 0, outputTokens: 0, costMicros: 0 };
const NO_TRIES: ModelTries = {
  failures: 0,
  firstFailureAt: null,
  rounds: 0,
  refused: [],
  cutOffs: 0,
  empty: 0,
  overflows: 0,
};

type Thinking = Extract<Phase, { name: "thinking" }>;

/** Begins the next step. At the limit of steps, it is the last call, without tools. */
export function beginStep(turn: Turn, incarnation: string): void {
  turn.markStarted();
  const { steering } = turn.state;
  turn.set({ step: turn.state.step + 1, batch: [], steering: [] });
  for (const message of steering) turn.appendSentMessage(message);
  const final = turn.state.usage.steps >= turn.state.facts.limits.maxSteps;
  startModelCall(turn, incarnation, 1, final, NO_TRIES);
}

/** Returns to the agent's own model before a step, before the permit request, which needs its price. */
export function returnToFirstModel(turn: Turn): void {
  const { index, since } = turn.state.model;
  if (index !== 0 && turn.now - since >= FALLBACK_LIFETIME_MS) turn.switchModel(0);
}

/** Repeats a failed model call as the next attempt. What the last one streamed is void. */
export function retryModel(turn: Turn, incarnation: string, { attempt, final, tries }: ModelRetry): void {
  startModelCall(turn, incarnation, attempt + 1, final, tries);
}

/** Repeats a model call that a crash cut off. */
export function recoverModelCall(turn: Turn, incarnation: string, { attempt, final, tries }: Thinking): void {
  const cutOffs = tries.cutOffs + 1;
  if (cutOffs < MAX_CUT_OFFS) return startModelCall(turn, incarnation, attempt + 1, final, { ...tries, cutOffs });
  const message = `The model call of step ${turn.state.step} was cut off ${cutOffs} times.`;
  turn.end("failed", "internal", null, { code: "internal", message });
}

/** Applies the model's reply: its calls become the batch of the step, or its text ends the task. */
export function applyReply(
  turn: Turn,
  phase: Thinking,
  { reply, incarnation }: Extract<Command, { type: "model_replied" }>,
): void {
  const { step } = turn.state;
  const calls = phase.final ? [] : reply.requested;
  const isEmpty = calls.length === 0 && reply.text.trim() === "";
  const cost = turn.spend("step", null, phase.model, reply.usage);
  // A reply that spent its limit on reasoning is empty too. A retry would not help: the task ends with the limit.
  if (isEmpty && reply.finish !== "length" && phase.tries.empty + 1 < MAX_EMPTY_REPLIES) {
    const tries = { ...phase.tries, empty: phase.tries.empty + 1 };
    return backOff(turn, phase, tries, turn.now + EMPTY_RETRY_MS, "The model's reply was empty.");
  }
  const text = isEmpty ? (phase.final ? EMPTY_LAST_ANSWER : EMPTY_ANSWER) : reply.text;
  const { usage } = turn.state;
  turn.set({
    usage: phase.final ? usage : { ...usage, steps: usage.steps + 1 },
    contextTokens: reply.usage.inputTokens + reply.usage.outputTokens,
    isContextCounted: true,
  });
  const label = turn.state.steeredBy;
  turn.appendMessage({ role: "assistant", content: text, label, ...(calls.length > 0 ? { calls } : {}) });
  turn.emit("message.completed", {
    role: "assistant",
    step,
    attempt: phase.attempt,
    text,
    label: getLabelName(label),
    model: turn.state.facts.models[phase.model]?.name ?? null,
    input_tokens: reply.usage.inputTokens,
    output_tokens: reply.usage.outputTokens,
    cost_usd: cost / MICROS_PER_DOLLAR,
  });
  if (calls.length === 0) return endStep(turn, phase, text, reply.finish === "length");

  const begun = turn.now - phase.since < FRESH_ALARM_AFTER_MS;
  openBatch(turn, reply.calls);
  if (begun) return beginActing(turn, incarnation);
  turn.set({ phase: { name: "prepared" } });
  advance(turn);
}

/** Applies a failure of the model: plans the next attempt, or fails the task. */
export function applyFailure(
  turn: Turn,
  phase: Thinking,
  { failure, incarnation }: Extract<Command, { type: "model_failed" }>,
): void {
  if (mayBeCharged(failure)) turn.cutOff();
  const { attempt, final, tries } = phase;
  if (failure.kind === "context_overflow" && condenseOverflow(turn, incarnation, { attempt, final, tries })) return;
  const places = { model: phase.model, models: turn.state.facts.models.length };
  const next = planNextTry(failure, tries, places, turn.now);
  if (next !== null) {
    if (next.model !== phase.model) turn.switchModel(next.model);
    return backOff(turn, phase, next.tries, next.until, failure.message);
  }
  turn.end("failed", "model_unavailable", null, { code: "upstream_failed", message: failure.message });
}

/** Applies a runner's report on the current call: its size, its output so far, or its refusal. */
export function applyReport(
  turn: Turn,
  phase: Thinking,
  command: Extract<Command, { type: "model_progressed" | "request_measured" | "request_refused" }>,
): void {
  switch (command.type) {
    case "model_progressed":
      return storeProgress(turn, phase, command);
    case "request_measured":
      return applyMeasurement(turn, phase, command);
    case "request_refused":
      return applyRefusal(turn, phase, command);
  }
}

/** Stores how much the model has written, in case the call is cut off. */
function storeProgress(
  turn: Turn,
  phase: Thinking,
  { outputTokens }: Extract<Command, { type: "model_progressed" }>,
): void {
  if (outputTokens > (phase.written ?? 0)) turn.set({ phase: { ...phase, written: outputTokens } });
}

/** Makes the reservation exact, before the model writes anything. */
function applyMeasurement(
  turn: Turn,
  phase: Thinking,
  { inputTokens, outputTokens }: Extract<Command, { type: "request_measured" }>,
): void {
  const price = turn.state.facts.models[phase.model]?.price ?? null;
  const reserved = { inputTokens, outputTokens, costMicros: computeCostMicros(price, inputTokens, outputTokens) };
  turn.set({ contextTokens: inputTokens, isContextCounted: true, phase: { ...phase, reserved } });
}

/**
 * Applies the refusal of a request that does not fit; nothing was spent. The task ends if its own limits are too low.
 * Otherwise the call is due at once, with a request for a larger grant.
 */
function applyRefusal(
  turn: Turn,
  phase: Thinking,
  { inputTokens }: Extract<Command, { type: "request_refused" }>,
): void {
  turn.set({ contextTokens: inputTokens, isContextCounted: true });
  const exceeded = findExceededLimit(turn.state, turn.now);
  if (exceeded !== null) return turn.exceed(exceeded);
  turn.set({ phase: { ...phase, incarnation: "", since: 0, reserved: NOTHING_RESERVED } });
}

/** True when the command belongs to the current model call. */
export function isCurrentModelCall(
  state: TaskState,
  phase: Phase,
  command: Extract<Command, { readonly step: number; readonly attempt: number; readonly incarnation: string }>,
): phase is Thinking {
  if (phase.name !== "thinking" || state.step !== command.step) return false;
  return phase.attempt === command.attempt && phase.incarnation === command.incarnation;
}

/** Waits for the next attempt at `until`; watchers see `why`. */
function backOff(turn: Turn, { attempt, final }: Thinking, tries: ModelTries, until: number, why: string): void {
  turn.set({ phase: { name: "backing_off", attempt, final, tries, until, why } });
}

/** Ends a step without calls, and the task with it unless the model has an unread message. */
function endStep(turn: Turn, phase: Thinking, text: string, isCut: boolean): void {
  turn.set({ batch: [] });
  turn.emit("step.completed", { step: turn.state.step });
  if (turn.state.steering.length > 0 && !phase.final) return turn.set({ phase: { name: "ready" } });
  turn.end("completed", phase.final ? "iteration_limit" : isCut ? "output_limit" : null, text, null);
}

/** Reserves a model call and starts it, or ends the task when a limit is used up. */
function startModelCall(turn: Turn, incarnation: string, attempt: number, final: boolean, tries: ModelTries): void {
  const allowance = reserveModelCall(turn.state, turn.now);
  if (!allowance.ok) return turn.exceed(allowance.exceeded);
  const { reserved, ceiling, timeoutMs } = allowance;
  const { step, model, facts, isContextCounted } = turn.state;
  const name = facts.models[model.index]?.name ?? "";
  const since = turn.now;
  const call = { attempt, incarnation, since, final, model: model.index, reserved, written: 0, tries };
  turn.set({ phase: { name: "thinking", ...call } });
  turn.usePermit();
  turn.emitResumed();
  turn.emit("step.started", { step, attempt, final, model: name });
  const guess = isContextCounted ? {} : { guess: { inputTokens: reserved.inputTokens, ceiling } };
  const maxOutputTokens = reserved.outputTokens;
  turn.work = {
    kind: "think",
    step,
    attempt,
    final,
    model: name,
    maxOutputTokens,
    timeoutMs,
    reportsProgress: true,
    ...guess,
  };
}
