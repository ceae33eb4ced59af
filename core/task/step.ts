/** Hop one of a step: how a model call begins, what its reply makes of the task, and what happens when it fails. */
import { MICROS_PER_DOLLAR } from "./amounts.ts";
import { exceededLimit, reserveModelCall } from "./budget.ts";
import { costMicros } from "../model/table.ts";
import { nextModelTry, wasWorkedOn } from "./model-retry.ts";
import { labelName } from "../provenance/label.ts";
import { advance } from "./advance.ts";
import { beginActing, openBatch } from "./batch.ts";
import { condenseOverflow } from "./condense.ts";
import type { Command } from "./commands.ts";
import type { ModelRetry, ModelTries, Phase, TaskState } from "./state.ts";
import type { Turn } from "./turn.ts";

/** Model calls of one step that crashes may cut off before the task is given up. */
const MAX_CUT_OFFS = 50;
/** After a model call that took this long, hop two waits for an alarm of its own: the platform ends a handler after 15 minutes. */
const FRESH_ALARM_AFTER_MS = 60_000;
/** Stands when a model leaves its last call, the one without tools, without a word. */
const NO_LAST_WORD = "The limit of steps was reached, and the model gave no answer in its last call.";
/** Stands when a model says nothing and asks for nothing, again and again. */
const NO_WORD = "The model ended the task without a word.";
/** Replies of one step that may be empty: models do that after their last tool call, and another try often speaks. */
const MAX_EMPTY_REPLIES = 3;
const EMPTY_RETRY_MS = 1000;
/** After a fallback stood in for this long, the agent's own model is asked again. */
const FALLBACK_STANDS_MS = 5 * 60_000;
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

/** Begins the next step; at the limit of steps, the one last call without tools. */
export function beginStep(turn: Turn, incarnation: string): void {
  turn.start();
  const { steering } = turn.state;
  turn.set({ step: turn.state.step + 1, batch: [], steering: [] });
  for (const message of steering) turn.sayToModel(message);
  const final = turn.state.usage.steps >= turn.state.facts.limits.maxSteps;
  think(turn, incarnation, 1, final, NO_TRIES);
}

/** Asks the agent's own model again before a step. Its price is known before leave is asked for. */
export function returnToFirstModel(turn: Turn): void {
  const { index, since } = turn.state.model;
  if (index !== 0 && turn.now - since >= FALLBACK_STANDS_MS) turn.askModel(0);
}

/** Makes a model call again that failed before, under the next attempt: what the last one streamed is void. */
export function retryModel(turn: Turn, incarnation: string, { attempt, final, tries }: ModelRetry): void {
  think(turn, incarnation, attempt + 1, final, tries);
}

/** Makes a model call again that a crash cut off. */
export function recoverModelCall(turn: Turn, incarnation: string, { attempt, final, tries }: Thinking): void {
  const cutOffs = tries.cutOffs + 1;
  if (cutOffs < MAX_CUT_OFFS) return think(turn, incarnation, attempt + 1, final, { ...tries, cutOffs });
  const message = `The model call of step ${turn.state.step} was cut off ${cutOffs} times.`;
  turn.end("failed", "internal", null, { code: "internal", message });
}

/** The model answered: its calls become the batch of the step, or its text the end of the task. */
export function takeReply(
  turn: Turn,
  phase: Thinking,
  { reply, incarnation }: Extract<Command, { type: "model_replied" }>,
): void {
  const { step } = turn.state;
  const calls = phase.final ? [] : reply.requested;
  const isEmpty = calls.length === 0 && reply.text.trim() === "";
  const cost = turn.spend("step", null, phase.model, reply.usage);
  // A reply that used up its limit on thinking is empty too, and would be so again: the task has to see the limit.
  if (isEmpty && reply.finish !== "length" && phase.tries.empty + 1 < MAX_EMPTY_REPLIES) {
    const tries = { ...phase.tries, empty: phase.tries.empty + 1 };
    return backOff(turn, phase, tries, turn.now + EMPTY_RETRY_MS, "The model's reply was empty.");
  }
  const text = isEmpty ? (phase.final ? NO_LAST_WORD : NO_WORD) : reply.text;
  const { usage } = turn.state;
  turn.set({
    usage: phase.final ? usage : { ...usage, steps: usage.steps + 1 },
    contextTokens: reply.usage.inputTokens + reply.usage.outputTokens,
    isContextCounted: true,
  });
  const label = turn.state.steeredBy;
  turn.say({ role: "assistant", content: text, label, ...(calls.length > 0 ? { calls } : {}) });
  turn.emit("message.completed", {
    role: "assistant",
    step,
    attempt: phase.attempt,
    text,
    label: labelName(label),
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

/** The model failed: the next try is durable, and its moment the rule's. */
export function takeFailure(
  turn: Turn,
  phase: Thinking,
  { failure, incarnation }: Extract<Command, { type: "model_failed" }>,
): void {
  if (wasWorkedOn(failure)) turn.cutOff();
  const { attempt, final, tries } = phase;
  if (failure.kind === "context_overflow" && condenseOverflow(turn, incarnation, { attempt, final, tries })) return;
  const places = { model: phase.model, models: turn.state.facts.models.length };
  const next = nextModelTry(failure, tries, places, turn.now);
  if (next !== null) {
    if (next.model !== phase.model) turn.askModel(next.model);
    return backOff(turn, phase, next.tries, next.until, failure.message);
  }
  turn.end("failed", "model_unavailable", null, { code: "upstream_failed", message: failure.message });
}

/** The runner reports on the call under way: its size, how much is written, or that it cannot be afforded. */
export function takeReport(
  turn: Turn,
  phase: Thinking,
  command: Extract<Command, { type: "model_progressed" | "request_measured" | "request_refused" }>,
): void {
  switch (command.type) {
    case "model_progressed":
      return takeProgress(turn, phase, command);
    case "request_measured":
      return takeMeasure(turn, phase, command);
    case "request_refused":
      return takeRefusal(turn, phase, command);
  }
}

/** Stores how much the model has written, for the case that the call is cut off. */
function takeProgress(
  turn: Turn,
  phase: Thinking,
  { outputTokens }: Extract<Command, { type: "model_progressed" }>,
): void {
  if (outputTokens > (phase.written ?? 0)) turn.set({ phase: { ...phase, written: outputTokens } });
}

/** The runner measured the request: the reservation is exact before the model has written anything. */
function takeMeasure(
  turn: Turn,
  phase: Thinking,
  { inputTokens, outputTokens }: Extract<Command, { type: "request_measured" }>,
): void {
  const price = turn.state.facts.models[phase.model]?.price ?? null;
  const reserved = { inputTokens, outputTokens, costMicros: costMicros(price, inputTokens, outputTokens) };
  turn.set({ contextTokens: inputTokens, isContextCounted: true, phase: { ...phase, reserved } });
}

/**
 * The request does not fit, and nothing was spent. The task ends when its own limits are too low; otherwise the call is due
 * at once as after a crash, and asks its tenant for the larger grant that it needs.
 */
function takeRefusal(
  turn: Turn,
  phase: Thinking,
  { inputTokens }: Extract<Command, { type: "request_refused" }>,
): void {
  turn.set({ contextTokens: inputTokens, isContextCounted: true });
  const exceeded = exceededLimit(turn.state, turn.now);
  if (exceeded !== null) return turn.exceed(exceeded);
  turn.set({ phase: { ...phase, incarnation: "", since: 0, reserved: NOTHING_RESERVED } });
}

/** True when the command belongs to the model call that is under way. */
export function isThisCall(
  state: TaskState,
  phase: Phase,
  command: Extract<Command, { readonly step: number; readonly attempt: number; readonly incarnation: string }>,
): phase is Thinking {
  if (phase.name !== "thinking" || state.step !== command.step) return false;
  return phase.attempt === command.attempt && phase.incarnation === command.incarnation;
}

/** The next try is due at `until`; `why` is shown to whoever watches. */
function backOff(turn: Turn, { attempt, final }: Thinking, tries: ModelTries, until: number, why: string): void {
  turn.set({ phase: { name: "backing_off", attempt, final, tries, until, why } });
}

/** A step without calls is the last one, unless a message came that the model has not read. */
function endStep(turn: Turn, phase: Thinking, text: string, isCut: boolean): void {
  turn.set({ batch: [] });
  turn.emit("step.completed", { step: turn.state.step });
  if (turn.state.steering.length > 0 && !phase.final) return turn.set({ phase: { name: "ready" } });
  turn.end("completed", phase.final ? "iteration_limit" : isCut ? "output_limit" : null, text, null);
}

/** Reserves a model call and makes it the work, or ends the task when a limit is used up. */
function think(turn: Turn, incarnation: string, attempt: number, final: boolean, tries: ModelTries): void {
  const allowance = reserveModelCall(turn.state, turn.now);
  if (!allowance.ok) return turn.exceed(allowance.exceeded);
  const { reserved, ceiling, timeoutMs } = allowance;
  const { step, model, facts, isContextCounted } = turn.state;
  const name = facts.models[model.index]?.name ?? "";
  const since = turn.now;
  const call = { attempt, incarnation, since, final, model: model.index, reserved, written: 0, tries };
  turn.set({ phase: { name: "thinking", ...call } });
  turn.useLeave();
  turn.tellResumed();
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
