/**
 * Shortening what the model has to read: long results by a summary, and the older steps by their compaction when the
 * model's window fills or a request did not fit. Both happen between two model calls, so that the conversation only grows
 * otherwise and the prompt's beginning stays the same. What was shortened is kept whole and can be read again.
 */
import { HOP_TIMEOUT_MS, reserveAside, timeLeftMs } from "./budget.ts";
import { type Shortening, SHORTENINGS } from "../prompt/shortening.ts";
import type { Command } from "./commands.ts";
import type { ModelRetry, Phase, Reservation, TaskState } from "./state.ts";
import type { Turn } from "./turn.ts";

/** The share of the window from which older steps are shortened; the rest is for the answer and for estimates that are off. */
const FULL_SHARE = 0.75;
/** The last steps, whose messages stay as they are. When a request does not fit, fewer stay each time. */
const STEPS_KEPT = 2;
/** After a request of this many tokens did not fit, the window is taken to be this share of it. */
const OVERFLOW_SHARE = 0.9;
const NOTHING: Reservation = { inputTokens: 0, outputTokens: 0, costMicros: 0 };

type Condensing = Extract<Phase, { name: "condensing" }>;

/** Begins a shortening that is due before the next step; false: none is. */
export function condenseFirst(turn: Turn, incarnation: string): boolean {
  const reserved = reserveSummaries(turn);
  if (reserved !== null) {
    begin(turn, { incarnation, history: null, withModel: true, reserved, retry: null });
    return true;
  }
  const through = turn.state.step - STEPS_KEPT;
  if (through <= turn.state.compactedThrough || !isFull(turn.state)) return false;
  condenseHistory(turn, incarnation, through, null);
  return true;
}

/** A request did not fit the model's window: shortens what it can before it is sent again; false: there is nothing left. */
export function condenseOverflow(turn: Turn, incarnation: string, { tries, ...retry }: ModelRetry): boolean {
  const { step, compactedThrough, contextTokens } = turn.state;
  const kept = STEPS_KEPT - tries.overflows;
  for (let keep = kept; keep >= 0; keep -= 1) {
    const through = step - 1 - keep;
    if (through <= compactedThrough) continue;
    turn.set({ windowTokens: Math.floor(contextTokens * OVERFLOW_SHARE) });
    const overflows = STEPS_KEPT - keep + 1;
    condenseHistory(turn, incarnation, through, { ...retry, tries: { ...tries, overflows } });
    return true;
  }
  return false;
}

/** A shortening was cut off: results stay as they are, older steps are shortened by rule. */
export function resumeCondensing(turn: Turn, incarnation: string, phase: Condensing): void {
  if (phase.history === null) {
    forgetSummaries(turn);
    return turn.set({ phase: { name: "ready" } });
  }
  const { history, retry } = phase;
  begin(turn, { incarnation, history, withModel: false, reserved: NOTHING, retry });
}

/** A result was summarised, or stays as it is. */
export function takeSummary(turn: Turn, command: Extract<Command, { type: "result_condensed" }>): void {
  const { callId, content, usage } = command;
  const { phase, batch, model } = turn.state;
  const call = batch.find(({ id }) => id === callId);
  if (phase.name !== "condensing" || call?.toSummarise !== true) return;
  turn.replace({ ...call, toSummarise: false });
  if (content !== null) {
    turn.ledger.push({ kind: "content", callId, content: call.note === null ? content : `${call.note}\n${content}` });
  }
  if (usage.inputTokens + usage.outputTokens > 0) turn.spend("summary", callId, model.index, usage);
  release(turn, phase, SHORTENINGS.summary);
}

/** Stores how much of the text for older steps is written, for the case that its call is cut off. */
export function takeHistoryProgress(
  turn: Turn,
  { outputTokens }: Extract<Command, { type: "history_progressed" }>,
): void {
  const { phase } = turn.state;
  if (phase.name === "condensing" && outputTokens > (phase.written ?? 0)) {
    turn.set({ phase: { ...phase, written: outputTokens } });
  }
}

/** The older steps were shortened. */
export function takeHistory(turn: Turn, command: Extract<Command, { type: "history_condensed" }>): void {
  const { through, text, contextTokens, usage } = command;
  const { phase, model } = turn.state;
  if (phase.name !== "condensing" || phase.history !== through) return;
  turn.compaction = { through, text };
  turn.set({ compactedThrough: through, contextTokens });
  if (usage !== null) turn.spend("history", null, model.index, usage);
  turn.set({ phase: { ...phase, reserved: NOTHING } });
}

/** The hop ended: the step goes on, or the request that did not fit is sent again. What brought no line was cut off. */
export function endCondensing(turn: Turn, phase: Condensing): void {
  turn.cutOff();
  if (phase.history !== null && turn.state.compactedThrough < phase.history) {
    return turn.set({ phase: { ...phase, incarnation: "", since: turn.now, reserved: NOTHING } });
  }
  forgetSummaries(turn);
  if (phase.retry === null) return turn.set({ phase: { name: "ready" } });
  const why = "The conversation was too long for the model and was shortened.";
  turn.set({ phase: { name: "backing_off", ...phase.retry, until: turn.now, why } });
}

/** Reserves as many summaries as the limits allow, the first results first; the others keep their head and tail. */
function reserveSummaries(turn: Turn): Reservation | null {
  const results = toSummarise(turn.state);
  const { inputTokens, outputTokens } = SHORTENINGS.summary;
  for (let count = results.length; count > 0; count -= 1) {
    const reserved = reserveAside(turn.state, count * inputTokens, count * outputTokens);
    if (reserved === null) continue;
    forgetSummaries(turn, results.slice(count));
    return reserved;
  }
  forgetSummaries(turn);
  return null;
}

/** The results that are to be summarised. */
function toSummarise({ batch }: TaskState): string[] {
  return batch.flatMap((call) => (call.toSummarise ? [call.id] : []));
}

function condenseHistory(turn: Turn, incarnation: string, history: number, retry: ModelRetry | null): void {
  const { inputTokens, outputTokens } = SHORTENINGS.history;
  const reserved = reserveAside(turn.state, inputTokens, outputTokens);
  begin(turn, { incarnation, history, withModel: reserved !== null, reserved: reserved ?? NOTHING, written: 0, retry });
}

function begin(turn: Turn, condensing: Omit<Condensing, "name" | "since">): void {
  const { step, facts, model } = turn.state;
  const { withModel, history } = condensing;
  turn.set({ phase: { name: "condensing", since: turn.now, ...condensing } });
  turn.useLeave();
  turn.work = {
    kind: "condense",
    step,
    model: facts.models[model.index]?.name ?? "",
    withModel,
    results: history === null ? toSummarise(turn.state) : [],
    history,
    timeoutMs: Math.min(HOP_TIMEOUT_MS, timeLeftMs(turn.state, turn.now)),
  };
}

/** Results that are not summarised stay with their head and tail. */
function forgetSummaries(turn: Turn, which: readonly string[] = toSummarise(turn.state)): void {
  if (which.length === 0) return;
  const { batch } = turn.state;
  turn.set({ batch: batch.map((call) => (which.includes(call.id) ? { ...call, toSummarise: false } : call)) });
}

/** One of several reservations is settled; a crash from now on costs the rest. */
function release(turn: Turn, phase: Condensing, done: Shortening): void {
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
