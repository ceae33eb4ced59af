/**
 * Shortens what the model has to read: summarises long results, and compacts older steps when the model's window fills
 * or a request did not fit. Both happen between two model calls, so the start of the prompt stays the same otherwise.
 * The full text is stored and can be read again.
 */
import { RUNNER_CALL_TIMEOUT_MS, reserveExtraCall, getTimeLeftMs } from "./budget.ts";
import { type Shortening, SHORTENINGS } from "../prompt/shortening.ts";
import type { Command } from "./commands.ts";
import type { ModelRetry, Phase, Reservation, TaskState } from "./state.ts";
import type { Turn } from "./turn.ts";

/**
 * The share of the window above which older steps are compacted. The rest is for the answer and for wrong estimates.
 */
const FULL_SHARE = 0.75;
/** Last steps that stay whole. Fewer stay each time a request does not fit. */
const WHOLE_STEPS = 2;
/** The window is assumed to be this share of a request that did not fit. */
const OVERFLOW_SHARE = 0.9;
const NOTHING: Reservation = { inputTokens: 0, outputTokens: 0, costMicros: 0 };

type Condensing = Extract<Phase, { name: "condensing" }>;

/** Begins a shortening that is due before the next step. False if none is due. */
export function condenseFirst(turn: Turn, incarnation: string): boolean {
  const reserved = reserveForSummaries(turn);
  if (reserved !== null) {
    begin(turn, { incarnation, history: null, withModel: true, reserved, retry: null });
    return true;
  }
  const through = turn.state.step - WHOLE_STEPS;
  if (through <= turn.state.compactedThrough || !isFull(turn.state)) return false;
  condenseHistory(turn, incarnation, through, null);
  return true;
}

/** Compacts older steps after a request did not fit the model's window. False if no step is left to compact. */
export function condenseOverflow(turn: Turn, incarnation: string, { tries, ...retry }: ModelRetry): boolean {
  const { step, compactedThrough, contextTokens } = turn.state;
  const wholeSteps = WHOLE_STEPS - tries.overflows;
  for (let keep = wholeSteps; keep >= 0; keep -= 1) {
    const through = step - 1 - keep;
    if (through <= compactedThrough) continue;
    turn.set({ windowTokens: Math.floor(contextTokens * OVERFLOW_SHARE) });
    const overflows = WHOLE_STEPS - keep + 1;
    condenseHistory(turn, incarnation, through, { ...retry, tries: { ...tries, overflows } });
    return true;
  }
  return false;
}

/** Resumes an interrupted shortening: results stay as they are, and older steps are compacted by rule. */
export function resumeCondensing(turn: Turn, incarnation: string, phase: Condensing): void {
  if (phase.history === null) {
    skipSummaries(turn);
    return turn.set({ phase: { name: "ready" } });
  }
  const { history, retry } = phase;
  begin(turn, { incarnation, history, withModel: false, reserved: NOTHING, retry });
}

/** Applies the summary of a result, or its refusal. */
export function applySummary(turn: Turn, command: Extract<Command, { type: "result_condensed" }>): void {
  const { callId, content, usage } = command;
  const { phase, batch, model } = turn.state;
  const call = batch.find(({ id }) => id === callId);
  if (phase.name !== "condensing" || call?.toSummarise !== true) return;
  turn.replace({ ...call, toSummarise: false });
  if (content !== null) {
    turn.ledger.push({ kind: "content", callId, content: call.note === null ? content : `${call.note}\n${content}` });
  }
  if (usage.inputTokens + usage.outputTokens > 0) turn.spend("summary", callId, model.index, usage);
  releaseReservation(turn, phase, SHORTENINGS.summary);
}

/** Stores how much of the compaction is written, in case its call is cut off. */
export function storeHistoryProgress(
  turn: Turn,
  { outputTokens }: Extract<Command, { type: "history_progressed" }>,
): void {
  const { phase } = turn.state;
  if (phase.name === "condensing" && outputTokens > (phase.written ?? 0)) {
    turn.set({ phase: { ...phase, written: outputTokens } });
  }
}

/** Applies the compaction of older steps. */
export function applyHistory(turn: Turn, command: Extract<Command, { type: "history_condensed" }>): void {
  const { through, text, contextTokens, usage } = command;
  const { phase, model } = turn.state;
  if (phase.name !== "condensing" || phase.history !== through) return;
  turn.compaction = { through, text };
  turn.set({ compactedThrough: through, contextTokens });
  if (usage !== null) turn.spend("history", null, model.index, usage);
  turn.set({ phase: { ...phase, reserved: NOTHING } });
}

/**
 * Ends the shortening: continues the step, or sends the request that did not fit again. A part without a report was cut
 * off.
 */
export function endCondensing(turn: Turn, phase: Condensing): void {
  turn.cutOff();
  if (phase.history !== null && turn.state.compactedThrough < phase.history) {
    return turn.set({ phase: { ...phase, incarnation: "", since: turn.now, reserved: NOTHING } });
  }
  skipSummaries(turn);
  if (phase.retry === null) return turn.set({ phase: { name: "ready" } });
  const why = "The conversation was too long for the model and was shortened.";
  turn.set({ phase: { name: "backing_off", ...phase.retry, until: turn.now, why } });
}

/** Reserves as many summaries as the limits allow, in order of the results. The others keep their shortened form. */
function reserveForSummaries(turn: Turn): Reservation | null {
  const results = listSummaries(turn.state);
  const { inputTokens, outputTokens } = SHORTENINGS.summary;
  for (let count = results.length; count > 0; count -= 1) {
    const reserved = reserveExtraCall(turn.state, count * inputTokens, count * outputTokens);
    if (reserved === null) continue;
    skipSummaries(turn, results.slice(count));
    return reserved;
  }
  skipSummaries(turn);
  return null;
}

function listSummaries({ batch }: TaskState): string[] {
  return batch.flatMap((call) => (call.toSummarise ? [call.id] : []));
}

function condenseHistory(turn: Turn, incarnation: string, history: number, retry: ModelRetry | null): void {
  const { inputTokens, outputTokens } = SHORTENINGS.history;
  const reserved = reserveExtraCall(turn.state, inputTokens, outputTokens);
  begin(turn, { incarnation, history, withModel: reserved !== null, reserved: reserved ?? NOTHING, written: 0, retry });
}

function begin(turn: Turn, condensing: Omit<Condensing, "name" | "since">): void {
  const { step, facts, model } = turn.state;
  const { withModel, history } = condensing;
  turn.set({ phase: { name: "condensing", since: turn.now, ...condensing } });
  turn.usePermit();
  turn.work = {
    kind: "condense",
    step,
    model: facts.models[model.index]?.name ?? "",
    withModel,
    results: history === null ? listSummaries(turn.state) : [],
    history,
    timeoutMs: Math.min(RUNNER_CALL_TIMEOUT_MS, getTimeLeftMs(turn.state, turn.now)),
  };
}

/** Leaves these results in their shortened form. */
function skipSummaries(turn: Turn, which: readonly string[] = listSummaries(turn.state)): void {
  if (which.length === 0) return;
  const { batch } = turn.state;
  turn.set({ batch: batch.map((call) => (which.includes(call.id) ? { ...call, toSummarise: false } : call)) });
}

/** Releases one of several reservations; a crash from now on costs the rest. */
function releaseReservation(turn: Turn, phase: Condensing, done: Shortening): void {
  const { inputTokens, outputTokens, costMicros } = phase.reserved;
  const reserved = {
    inputTokens: Math.max(0, inputTokens - done.inputTokens),
    outputTokens: Math.max(0, outputTokens - done.outputTokens),
    costMicros,
  };
  turn.set({ phase: { ...phase, reserved } });
}

function isFull({ facts, model, windowTokens, contextTokens }: TaskState): boolean {
  const window = windowTokens ?? facts.models[model.index]?.windowTokens ?? Number.POSITIVE_INFINITY;
  return contextTokens > window * FULL_SHARE;
}
