/**
 * Subtasks: how a dispatch creates one, what it may use, and what its end reports. A subtask has its parent's agent,
 * key and sandbox, the parent's tools or fewer, and limits taken from the parent's. The parent waits for all that it
 * dispatched in a step and resumes once.
 */
import { MICROS_PER_DOLLAR } from "./amounts.ts";
import { allotSubtaskBudget, getTimeLeftMs } from "./budget.ts";
import type { ErrorCode, Failure } from "../base/errors.ts";
import type { Actors } from "../connections/actors.ts";
import { shapeError } from "../gateway/shape.ts";
import { deriveSubtaskId } from "../base/ids.ts";
import { toParentText } from "../knowledge/citations.ts";
import type { FormattedResult } from "../prompt/stored-results.ts";
import type { Label } from "../provenance/label.ts";
import { failedOutcome } from "./ledger.ts";
import { getCurrentFacts } from "./skills-in-force.ts";
import { advance } from "./advance.ts";
import type { CallOutcome, Command, SubtaskEnding } from "./commands.ts";
import type { NewSubtask } from "./decision.ts";
import type { BatchCall, TaskState } from "./state.ts";
import type { PendingView, TaskView } from "./view.ts";
import type { Control } from "../tool/tool.ts";
import type { Turn } from "./turn.ts";
import { isSubtaskWait } from "./wait.ts";

/** How deep subtasks may nest below a root. */
export const MAX_DEPTH = 3;
/** Subtasks of one tree. */
const MAX_SUBTASKS = 50;
/** The ledger row has the start of a longer text; the results have all of it. */
const MAX_LEDGER_CHARACTERS = 100_000;
/** Opens the wait of a dispatched subtask, or refuses the call with a reason that the model reads. */
export function dispatchSubtask(turn: Turn, call: BatchCall, control: Extract<Control, { kind: "dispatch" }>): void {
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
  const carved = allotSubtaskBudget(turn.state, control.tokenBudget, sharers.length);
  if (!carved.ok) return refuse("budget_exceeded", carved.message);
  const id = deriveSubtaskId(facts.id, step, batch.indexOf(call), turn.now);
  if (facts.parentId === null) {
    const full = enrollSubtask(turn, id);
    if (full !== null) return refuse(full.code, full.message);
  }
  const { maxSteps, tools, skill } = control;
  const wait = { kind: "subtask", id, opened: false, budget: carved.budget, maxSteps, tools } as const;
  turn.replace({ ...call, wait: skill === undefined ? wait : { ...wait, skill } });
  // The id is stored before the subtask is created, so that cancelling or deleting this task reaches it. In the order
  // of the calls.
  const ofStep = turn.state.batch.flatMap(({ wait }) => (isSubtaskWait(wait) ? [wait.id] : []));
  turn.set({ subtasks: [...turn.state.subtasks.filter((other) => !ofStep.includes(other)), ...ofStep] });
}

/** Counts one more subtask of the tree, or returns why the tree is full. */
export function enrollSubtask(turn: Turn, subtask: string): Failure | null {
  const { tree } = turn.state;
  if (tree.includes(subtask)) return null;
  if (tree.length >= MAX_SUBTASKS) {
    const message = `A tree of tasks has at most ${MAX_SUBTASKS} subtasks, and this one has them. Continue without more.`;
    return { code: "quota_exceeded", message };
  }
  turn.set({ tree: [...tree, subtask] });
  return null;
}

/** Returns the subtasks to create. */
export function listNewSubtasks(state: TaskState, now: number): NewSubtask[] {
  const facts = getCurrentFacts(state);
  const left = getTimeLeftMs(state, now);
  return state.batch.flatMap(({ id, wait, label, copiesRecord }) => {
    if (!isSubtaskWait(wait) || wait.opened) return [];
    const limits = {
      maxSteps: Math.min(wait.maxSteps, facts.limits.maxSteps),
      maxTokens: wait.budget.tokens,
      maxCostMicros: wait.budget.costMicros,
      maxDurationMs: Number.isFinite(left) ? Math.max(1, left) : null,
    };
    const { input: _, texts: __, copiesRecord: ___, ...own } = facts;
    // The subtask serves what the people of its parent asked for; the hints are of the parent's request.
    const apps = facts.apps === undefined ? {} : { apps: { ...facts.apps, hints: "" } };
    const child = {
      ...own,
      ...apps,
      id: wait.id,
      parentId: facts.id,
      depth: facts.depth + 1,
      label: label ?? state.steeredBy,
      actors: state.actors,
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

/** Records that a subtask was created. */
export function markSubtaskCreated(turn: Turn, callId: string): void {
  const call = turn.state.batch.find(({ id }) => id === callId);
  if (call === undefined || !isSubtaskWait(call.wait) || call.wait.opened) return;
  turn.replace({ ...call, wait: { ...call.wait, opened: true } });
  emitCreated(turn, call.id, call.wait.id);
  advance(turn);
}

function emitCreated(turn: Turn, callId: string, subtask: string): void {
  turn.emit("subtask.created", { step: turn.state.step, call_id: callId, subtask_id: subtask });
}

/** Settles the call of a subtask that the limit of the tree refused. */
export function rejectSubtask(turn: Turn, { callId, failure }: Extract<Command, { type: "subtask_refused" }>): void {
  const call = turn.state.batch.find(({ id }) => id === callId);
  if (call === undefined || !isSubtaskWait(call.wait) || call.wait.opened) return;
  const { id } = call.wait;
  turn.set({ subtasks: turn.state.subtasks.filter((other) => other !== id) });
  turn.settle(call, failedOutcome("refused", failure.code, failure.message));
  advance(turn);
}

/**
 * Applies the end of a subtask: its result settles the call, and its unused budget returns. To a parent that has ended
 * it only reports its use.
 */
export function applySubtaskEnd(turn: Turn, ending: SubtaskEnding): void {
  const { subtask, status, outcome } = ending;
  const { batch, phase, uncounted } = turn.state;
  const call = batch.find(({ wait }) => isSubtaskWait(wait) && wait.id === subtask);
  if (phase.name === "ended") {
    if (!uncounted.includes(subtask)) return;
    turn.set({ uncounted: uncounted.filter((other) => other !== subtask) });
    return countUse(turn, null, ending);
  }
  if (call === undefined) return;
  countUse(turn, call.id, ending);
  clearWaits(turn, subtask);
  // A subtask that ended before its creation was acknowledged was created all the same.
  const wait = isSubtaskWait(call.wait) ? call.wait : null;
  if (wait?.opened === false) emitCreated(turn, call.id, subtask);
  turn.joinActors(ending.actors);
  turn.settle(call, wait?.skill === undefined ? outcome : toSkillOutcome(outcome, wait.skill.name));
  turn.emit("subtask.ended", { call_id: call.id, subtask_id: subtask, status, ok: outcome.result.ok });
  advance(turn);
}

/** Counts the use of a subtask's tree. */
function countUse(turn: Turn, callId: string | null, ending: SubtaskEnding): void {
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

/** Applies a subtask's report of its waits and of its stopped clock. An older report changes nothing. */
export function applySubtaskWaits(turn: Turn, command: Extract<Command, { type: "subtask_waits" }>): void {
  const { subtask, version, pending, stands } = command;
  const { batch, waitsBelow, phase } = turn.state;
  const isOpen = batch.some(({ wait }) => isSubtaskWait(wait) && wait.id === subtask);
  const known = waitsBelow[subtask];
  if (!isOpen || phase.name === "ended" || version <= (known?.version ?? 0)) return;
  turn.set({ waitsBelow: { ...waitsBelow, [subtask]: { version, forPerson: pending.length > 0, stands } } });
  if (pending.length === 0 && known?.forPerson !== true) return;
  turn.below.push({ subtask, pending });
  turn.emitPendingBelow(subtask, pending);
}

/** Returns the call that waits for this subtask; null if none does. */
export function findCallOfSubtask(state: TaskState, subtask: string): string | null {
  return state.batch.find(({ wait }) => isSubtaskWait(wait) && wait.id === subtask)?.id ?? null;
}

/**
 * Creates the report of an ended task to its parent: text and files, or the error. `result` is the form that the model
 * reads; `label` joins everything that the subtask read, and `actors` are those who steered it.
 */
export function toSubtaskEnding(
  view: TaskView,
  result: FormattedResult,
  { label, actors }: { readonly label: Label; readonly actors: Actors | undefined },
): SubtaskEnding {
  const { id, status, usage } = view;
  if (status !== "completed" && status !== "failed" && status !== "cancelled") {
    throw new Error("the subtask has not ended");
  }
  return {
    subtask: id,
    status,
    outcome: { ...toOutcome(view, result), label },
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    costMicros: Math.round(usage.cost_usd * MICROS_PER_DOLLAR),
    estimated: usage.estimated,
    ...(actors === undefined ? {} : { actors }),
  };
}

/** Returns the answer of a subtask as its parent's model reads it. */
export function toTextForParent({ output }: TaskView): string {
  return output === null ? "" : toParentText(output.text, output.citations ?? []);
}

function toOutcome(view: TaskView, { content: modelText, isLarge }: FormattedResult): CallOutcome {
  const durationMs = Math.max(0, Date.parse(view.ended_at ?? view.created_at) - Date.parse(view.created_at));
  if (view.output === null) {
    const details = { subtask_id: view.id, status: view.status, reason: view.reason };
    const message = view.error === null ? "The subtask was cancelled." : `The subtask failed: ${view.error.message}`;
    const error = { code: getErrorCode(view), message, retry: "never", details } as const;
    return { state: "failed", result: { ok: false, error }, content: shapeError(error), control: null, durationMs };
  }
  const { text, files } = view.output;
  const result = {
    subtask_id: view.id,
    status: view.status,
    reason: view.reason,
    text: text.slice(0, MAX_LEDGER_CHARACTERS).toWellFormed(),
    files: files.map(({ path, size }) => ({ path, size })),
    steps: view.usage.steps,
  };
  const paths = files.length === 0 ? "" : `\nFiles: ${files.map(({ path }) => path).join(", ")}`;
  const limit = view.reason === null ? "" : `\n(The subtask stopped early: ${view.reason}.)`;
  const content = modelText + limit + paths;
  return { state: "confirmed", result: { ok: true, result }, content, control: null, durationMs, isLarge };
}

/** The outcome of a skill's tool, with the field names of its API. */
function toSkillOutcome(outcome: CallOutcome, skill: string): CallOutcome {
  if (!outcome.result.ok) return outcome;
  const { text, ...rest } = outcome.result.result as { readonly text: string };
  return { ...outcome, result: { ok: true, result: { result: text, skill_used: skill, ...rest } } };
}

/** Returns the error code of a subtask without a result. A retry may help only after an unavailable model. */
function getErrorCode({ status, reason }: TaskView): ErrorCode {
  if (status === "cancelled") return "conflict";
  if (reason === "budget_exceeded") return "budget_exceeded";
  return reason === "model_unavailable" ? "upstream_failed" : "internal";
}

/** Adds the subtask's id to the waits that have none. */
export function addSubtaskId(subtask: string, pending: readonly PendingView[]): PendingView[] {
  return pending.map((entry) => ({ ...entry, task_id: entry.task_id ?? subtask }));
}

/**
 * Formats a subtask's input from the arguments of the call that dispatched it: of `dispatch_subagent`, or of a skill's
 * tool.
 */
export function formatSubtaskInput(given: unknown): string {
  const { task_description, task = task_description ?? "", context } = given as SubtaskArguments;
  return context === undefined || context.trim() === "" ? task : `${task}\n\nContext: ${context}`;
}

interface SubtaskArguments {
  readonly task_description?: string;
  readonly task?: string;
  readonly context?: string;
}

function clearWaits(turn: Turn, subtask: string): void {
  const { [subtask]: known, ...others } = turn.state.waitsBelow;
  if (known === undefined) return;
  turn.set({ waitsBelow: others });
  turn.below.push({ subtask, pending: [] });
}
