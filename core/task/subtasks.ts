/**
 * Subtasks: how a dispatch opens one, what it may be, and what its end brings. A subtask is a task of its own, with its
 * parent's agent, key and sandbox, whose tools are the parent's or fewer and whose limits are carved from the parent's.
 * The parent waits for all that it dispatched in a step and goes on once.
 */
import { MICROS_PER_DOLLAR } from "./amounts.ts";
import { carve, timeLeftMs } from "./budget.ts";
import type { ErrorCode, Failure } from "../base/errors.ts";
import { shapeError } from "../gateway/shape.ts";
import { childTaskId } from "../base/ids.ts";
import type { ShownResult } from "../prompt/kept-results.ts";
import type { Label } from "../provenance/label.ts";
import { failedOutcome } from "./ledger.ts";
import { standingFacts } from "./skills-in-force.ts";
import { advance } from "./advance.ts";
import type { CallOutcome, Command, SubtaskEnding } from "./commands.ts";
import type { SubtaskToMake } from "./decision.ts";
import { type BatchCall, isSubtaskWait, type TaskState } from "./state.ts";
import type { PendingView, TaskView } from "./view.ts";
import type { Control } from "../tool/tool.ts";
import type { Turn } from "./turn.ts";

/** How deep subtasks may nest below a root. */
export const MAX_DEPTH = 3;
/** Subtasks of one tree. */
const MAX_SUBTASKS = 50;
/** Of a longer text the row holds the beginning: the whole is kept with the results. */
const MAX_ROW_CHARACTERS = 100_000;
/** A call asks for a subtask: its wait opens, or the call is refused and the model reads why. */
export function dispatch(turn: Turn, call: BatchCall, control: Extract<Control, { kind: "dispatch" }>): void {
  const { facts, step, batch } = turn.state;
  const refuse = (code: Failure["code"], message: string) => turn.settle(call, failedOutcome("refused", code, message));
  if (facts.kind === "call") return refuse("invalid_input", "A single call has no subtasks. Make a task.");
  if (facts.depth >= MAX_DEPTH) {
    return refuse(
      "quota_exceeded",
      `Subtasks nest at most ${MAX_DEPTH} deep, and this one is that deep. Do it yourself.`,
    );
  }
  const sharers = batch.filter(
    ({ dispatches, state, wait }) => dispatches === true && state === "intended" && wait === null,
  );
  const carved = carve(turn.state, control.tokenBudget, sharers.length);
  if (!carved.ok) return refuse("budget_exceeded", carved.message);
  const id = childTaskId(facts.id, step, batch.indexOf(call), turn.now);
  if (facts.parentId === null) {
    const full = enroll(turn, id);
    if (full !== null) return refuse(full.code, full.message);
  }
  const { maxSteps, tools, skill } = control;
  const wait = { kind: "subtask", id, opened: false, budget: carved.budget, maxSteps, tools } as const;
  turn.replace({ ...call, wait: skill === undefined ? wait : { ...wait, skill } });
  // Its id is kept before it is made, so that whatever ends or erases this task reaches it; in the order of the calls.
  const ofStep = turn.state.batch.flatMap(({ wait }) => (isSubtaskWait(wait) ? [wait.id] : []));
  turn.set({ subtasks: [...turn.state.subtasks.filter((other) => !ofStep.includes(other)), ...ofStep] });
}

/** Takes one more subtask into the count of the tree; a failure: the tree is full. */
export function enroll(turn: Turn, subtask: string): Failure | null {
  const { tree } = turn.state;
  if (tree.includes(subtask)) return null;
  if (tree.length >= MAX_SUBTASKS) {
    const message = `A tree of tasks has at most ${MAX_SUBTASKS} subtasks, and this one has them. Go on without more.`;
    return { code: "quota_exceeded", message };
  }
  turn.set({ tree: [...tree, subtask] });
  return null;
}

/** The subtasks that are to be made. */
export function subtasksToMake(state: TaskState, now: number): SubtaskToMake[] {
  const facts = standingFacts(state);
  const left = timeLeftMs(state, now);
  return state.batch.flatMap(({ id, wait, label, copiesRecord }) => {
    if (!isSubtaskWait(wait) || wait.opened) return [];
    const limits = {
      maxSteps: Math.min(wait.maxSteps, facts.limits.maxSteps),
      maxTokens: wait.budget.tokens,
      maxCostMicros: wait.budget.costMicros,
      maxDurationMs: Number.isFinite(left) ? Math.max(1, left) : null,
    };
    const { input: _, texts: __, copiesRecord: ___, ...own } = facts;
    const child = {
      ...own,
      id: wait.id,
      parentId: facts.id,
      depth: facts.depth + 1,
      label: label ?? state.steeredBy,
      ...(copiesRecord === undefined ? {} : { copiesRecord }),
      tools: wait.tools === null ? facts.tools : [...facts.tools, wait.tools],
      skills: wait.skill === undefined ? facts.skills : [wait.skill],
      limits,
      metadata: {},
      createdAt: now,
    };
    return [{ callId: id, facts: child }];
  });
}

/** A subtask was made. */
export function openSubtask(turn: Turn, callId: string): void {
  const call = turn.state.batch.find(({ id }) => id === callId);
  if (call === undefined || !isSubtaskWait(call.wait) || call.wait.opened) return;
  turn.replace({ ...call, wait: { ...call.wait, opened: true } });
  tellCreated(turn, call.id, call.wait.id);
  advance(turn);
}

function tellCreated(turn: Turn, callId: string, subtask: string): void {
  turn.emit("subtask.created", { step: turn.state.step, call_id: callId, subtask_id: subtask });
}

/** A subtask could not be made: the tree has no room for it. */
export function refuseSubtask(turn: Turn, { callId, failure }: Extract<Command, { type: "subtask_refused" }>): void {
  const call = turn.state.batch.find(({ id }) => id === callId);
  if (call === undefined || !isSubtaskWait(call.wait) || call.wait.opened) return;
  const { id } = call.wait;
  turn.set({ subtasks: turn.state.subtasks.filter((other) => other !== id) });
  turn.settle(call, failedOutcome("refused", failure.code, failure.message));
  advance(turn);
}

/**
 * A subtask ended: its result settles the call, and what it left of its budget is the parent's again. To a parent that
 * has ended meanwhile it only brings what it used.
 */
export function takeEnding(turn: Turn, ending: SubtaskEnding): void {
  const { subtask, status, outcome } = ending;
  const { batch, phase, uncounted } = turn.state;
  const call = batch.find(({ wait }) => isSubtaskWait(wait) && wait.id === subtask);
  if (phase.name === "ended") {
    if (!uncounted.includes(subtask)) return;
    turn.set({ uncounted: uncounted.filter((other) => other !== subtask) });
    return count(turn, null, ending);
  }
  if (call === undefined) return;
  count(turn, call.id, ending);
  forgetWaits(turn, subtask);
  // One that ended before its making was acknowledged was made all the same.
  const wait = isSubtaskWait(call.wait) ? call.wait : null;
  if (wait?.opened === false) tellCreated(turn, call.id, subtask);
  turn.settle(call, wait?.skill === undefined ? outcome : skillOutcome(outcome, wait.skill.name));
  turn.emit("subtask.ended", { call_id: call.id, subtask_id: subtask, status, ok: outcome.result.ok });
  advance(turn);
}

/** What a subtask and those below it used counts as used below this task. */
function count(turn: Turn, callId: string | null, ending: SubtaskEnding): void {
  const { usedBelow, usage, step } = turn.state;
  const { inputTokens, outputTokens, costMicros, estimated } = ending;
  turn.set({
    usage: { ...usage, estimated: usage.estimated || estimated },
    usedBelow: {
      inputTokens: usedBelow.inputTokens + inputTokens,
      outputTokens: usedBelow.outputTokens + outputTokens,
      costMicros: usedBelow.costMicros + costMicros,
    },
  });
  turn.spent.push({ purpose: "subtask", step, callId, model: null, inputTokens, outputTokens, costMicros, estimated });
}

/** A subtask tells what it waits for from people and whether its time stands; what comes late changes nothing. */
export function takeWaits(turn: Turn, command: Extract<Command, { type: "subtask_waits" }>): void {
  const { subtask, version, pending, stands } = command;
  const { batch, waitsBelow, phase } = turn.state;
  const isOpen = batch.some(({ wait }) => isSubtaskWait(wait) && wait.id === subtask);
  const known = waitsBelow[subtask];
  if (!isOpen || phase.name === "ended" || version <= (known?.version ?? 0)) return;
  turn.set({ waitsBelow: { ...waitsBelow, [subtask]: { version, forPerson: pending.length > 0, stands } } });
  if (pending.length === 0 && known?.forPerson !== true) return;
  turn.below.push({ subtask, pending });
  turn.tellPendingBelow(subtask, pending);
}

/** The call that waits for this subtask; null: none does any more. */
export function callOfSubtask(state: TaskState, subtask: string): string | null {
  return state.batch.find(({ wait }) => isSubtaskWait(wait) && wait.id === subtask)?.id ?? null;
}

/**
 * How an ended task looks to its parent: text and files, or the error. `shown` is the form that the model reads; `label`
 * is the join over everything that the subtask read.
 */
export function endingOf(view: TaskView, shown: ShownResult, label: Label): SubtaskEnding {
  const { id, status, usage } = view;
  if (status !== "completed" && status !== "failed" && status !== "cancelled") {
    throw new Error("a subtask that has not ended brings nothing");
  }
  return {
    subtask: id,
    status,
    outcome: { ...outcomeOf(view, shown), label },
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    costMicros: Math.round(usage.cost_usd * MICROS_PER_DOLLAR),
    estimated: usage.estimated,
  };
}

function outcomeOf(view: TaskView, { content: shownText, isLarge }: ShownResult): CallOutcome {
  const durationMs = Math.max(0, Date.parse(view.ended_at ?? view.created_at) - Date.parse(view.created_at));
  if (view.output === null) {
    const details = { subtask_id: view.id, status: view.status, reason: view.reason };
    const message = view.error === null ? "The subtask was cancelled." : `The subtask failed: ${view.error.message}`;
    const error = { code: codeOf(view), message, retry: "never", details } as const;
    return { state: "failed", result: { ok: false, error }, content: shapeError(error), control: null, durationMs };
  }
  const { text, files } = view.output;
  const result = {
    subtask_id: view.id,
    status: view.status,
    reason: view.reason,
    text: text.slice(0, MAX_ROW_CHARACTERS).toWellFormed(),
    files: files.map(({ path, size }) => ({ path, size })),
    steps: view.usage.steps,
  };
  const paths = files.length === 0 ? "" : `\nFiles: ${files.map(({ path }) => path).join(", ")}`;
  const limit = view.reason === null ? "" : `\n(The subtask stopped early: ${view.reason}.)`;
  const content = shownText + limit + paths;
  return { state: "confirmed", result: { ok: true, result }, content, control: null, durationMs, isLarge };
}

/** The outcome of a skill's tool, with the names that document 001 gives them. */
function skillOutcome(outcome: CallOutcome, skill: string): CallOutcome {
  if (!outcome.result.ok) return outcome;
  const { text, ...rest } = outcome.result.result as { readonly text: string };
  return { ...outcome, result: { ok: true, result: { result: text, skill_used: skill, ...rest } } };
}

/** The code of a subtask that brought no text: another try may help only against a model that was away. */
function codeOf({ status, reason }: TaskView): ErrorCode {
  if (status === "cancelled") return "conflict";
  if (reason === "budget_exceeded") return "budget_exceeded";
  return reason === "model_unavailable" ? "upstream_failed" : "internal";
}

/** What a subtask waits for, with its name on what does not bear one yet. */
export function pendingFrom(subtask: string, pending: readonly PendingView[]): PendingView[] {
  return pending.map((entry) => ({ ...entry, task_id: entry.task_id ?? subtask }));
}

/** The words of a subtask's task, from the arguments of the call that dispatched it: of `dispatch_subagent`, or of a skill's tool. */
export function subtaskInput(given: unknown): string {
  const { task_description, task = task_description ?? "", context } = given as SubtaskWords;
  return context === undefined || context.trim() === "" ? task : `${task}\n\nContext:\n${context}`;
}

interface SubtaskWords {
  readonly task_description?: string;
  readonly task?: string;
  readonly context?: string;
}

function forgetWaits(turn: Turn, subtask: string): void {
  const { [subtask]: known, ...others } = turn.state.waitsBelow;
  if (known === undefined) return;
  turn.set({ waitsBelow: others });
  turn.below.push({ subtask, pending: [] });
}
