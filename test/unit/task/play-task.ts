/** Single decisions of the state machine, for tests that look at one moment of a task's life rather than at all of it. */
import { deriveCallId } from "../../../core/base/ids.ts";
import { confirmedOutcome } from "../../../core/task/ledger.ts";
import type { ModelFailure } from "../../../core/ports/model.ts";
import type { Command, ModelReply, PreparedCall, SubtaskEnding } from "../../../core/task/commands.ts";
import type { Decision } from "../../../core/task/decision.ts";
import type { TaskFacts, TaskState } from "../../../core/task/state.ts";
import { type PendingView, type TaskView, toTaskView } from "../../../core/task/view.ts";
import { createTask, decide, joinDecisions } from "../../../core/task/task.ts";
import { ADMITTED, factsOf } from "./world.ts";

/** Even draws from [0, 1) that a seed repeats (mulberry32). */
export function drawsFrom(seed: number): () => number {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), a | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A list in an order that the draws choose (Fisher and Yates). */
export function shuffled<T>(list: readonly T[], draw: () => number): T[] {
  const order = [...list];
  for (let i = order.length - 1; i > 0; i -= 1) {
    const j = Math.floor(draw() * (i + 1));
    const [a, b] = [order[i], order[j]];
    if (a !== undefined && b !== undefined) [order[i], order[j]] = [b, a];
  }
  return order;
}

/** A task that was just made. */
export function created(change: Partial<TaskFacts> = {}): TaskState {
  return createTask({ facts: factsOf(change), hold: false, call: null }, 0).state;
}

/** Wakes a task as its alarm does: the tenant says what it says when it is asked, and the task is woken again after it. */
export function wake(state: TaskState, incarnation: string, now: number, tenantSays: Command = ADMITTED): Decision {
  const first = decide(state, { type: "wake", incarnation }, now);
  if (first.work?.kind !== "enter") return first;
  const admitted = decide(first.state, tenantSays, now);
  return joinDecisions(joinDecisions(first, admitted), decide(admitted.state, { type: "wake", incarnation }, now));
}

/** A task whose first model call is under way, made by the run of the alarm called `a`. */
export function startThinking(change: Partial<TaskFacts> = {}): TaskState {
  return wake(created(change), "a", 0).state;
}

/** The model answers the call that is under way; by default with nothing. */
export function applyReply(state: TaskState, change: Partial<ModelReply>, now = 1): Decision {
  if (state.phase.name !== "thinking") throw new Error(`the task is ${state.phase.name}`);
  const usage = { inputTokens: 7, outputTokens: 3, estimated: false };
  const reply: ModelReply = { text: "", calls: [], requested: [], usage, finish: "stop", ...change };
  const { attempt, incarnation } = state.phase;
  return decide(state, { type: "model_replied", step: state.step, attempt, incarnation, reply }, now);
}

/** The model asks for these calls. */
export function requestCalls(
  state: TaskState,
  calls: readonly PreparedCall[],
  now = 1,
  change: Partial<ModelReply> = {},
): Decision {
  const requested = calls.map(({ id, tool }) => ({ id, name: tool, arguments: "{}" }));
  return applyReply(state, { calls, requested, finish: "calls", ...change }, now);
}

/** The model call that is under way fails; by default in a way that another try can mend. */
export function applyFailure(state: TaskState, change: Partial<ModelFailure>, now = 1): Decision {
  if (state.phase.name !== "thinking") throw new Error(`the task is ${state.phase.name}`);
  const { attempt, incarnation } = state.phase;
  const failure: ModelFailure = {
    kind: "unavailable",
    retryable: true,
    retryAfterMs: null,
    message: "the server is on fire",
    ...change,
  };
  return decide(state, { type: "model_failed", step: state.step, attempt, incarnation, failure }, now);
}

/** Call `index` of the step that a task is in, as hop one prepares it. */
export function preparedCall({ facts, step }: TaskState, index = 0, change: Partial<PreparedCall> = {}): PreparedCall {
  return {
    id: deriveCallId(facts.id, step, index),
    tool: "t",
    arguments: {},
    argumentsHash: `h${index}`,
    effect: "once",
    approval: null,
    outcome: null,
    ...change,
  };
}

/** A task as the API shows it, with empty arguments. */
export function toView(state: TaskState, below: readonly PendingView[] = []): TaskView {
  return toTaskView(state, { getArguments: () => ({}), below });
}

/** The end of a subtask that came to `text` and used 100 tokens. */
export function createEnding(subtask: string, change: Partial<SubtaskEnding> = {}): SubtaskEnding {
  const outcome = confirmedOutcome({ subtask_id: subtask }, `result of ${subtask}`, 1);
  return {
    subtask,
    status: "completed",
    outcome,
    inputTokens: 80,
    outputTokens: 20,
    costMicros: 3,
    estimated: false,
    ...change,
  };
}
