/**
 * A task as a pure state machine. Read this file first.
 *
 * `decide(state, command, now)` returns the next state of a task and what to store with it; `findNextWake(state, now)`
 * returns when the object's one alarm is due. A step has up to two runner calls: the model phase (the model call, whose
 * tool calls come back prepared, and some of them executed) and the tool phase (the other calls). Both begin from a
 * stored state that names the run that starts them, the `incarnation`. Runs of an object never overlap, so a phase that a
 * run finds under another name was cut off by a crash: the normal path and the recovery path are the same path.
 */
import { getTimeLeftMs } from "./budget.ts";
import type { Failure } from "../base/errors.ts";
import { startActors } from "../connections/actors.ts";
import { attach, beginActing, endCall, endActing, expireWaits, openBatch, refusePhase, startCalls } from "./batch.ts";
import { admit, halt, getPermitRequest, turnAway } from "./admission.ts";
import {
  enrollSubtask,
  markSubtaskCreated,
  rejectSubtask,
  listNewSubtasks,
  applySubtaskEnd,
  applySubtaskWaits,
} from "./subtasks.ts";
import type { Command, NewTask } from "./commands.ts";
import type { Decision } from "./decision.ts";
import { endConnectionWait } from "./connections.ts";
import { applyPersonCommand } from "./decide-people.ts";
import {
  condenseFirst,
  endCondensing,
  resumeCondensing,
  applyHistory,
  storeHistoryProgress,
  applySummary,
} from "./condense.ts";
import { joinLabels, getLabelName } from "../provenance/label.ts";
import { joinMessages } from "../model/label-messages.ts";
import { completeFacts, readInput } from "./read-facts.ts";
import { STATE_VERSION, type Phase, type TaskState } from "./state.ts";
import { isBusy, isUnderWay } from "./status.ts";
import {
  beginStep,
  isCurrentModelCall,
  recoverModelCall,
  retryModel,
  returnToFirstModel,
  applyFailure,
  applyReply,
  applyReport,
} from "./step.ts";
import { getEncoding } from "../model/table.ts";
import { toPromptMessages } from "../prompt/mark-data.ts";
import { estimateMessages } from "../model/tokens.ts";
import { formatSkill } from "./skills-in-force.ts";
import { Turn } from "./turn.ts";
import { getWaitEnd } from "./waits.ts";

/** How old a phase of another run has to be before it counts as cut off. */
const LEASE_MS = 1000;
/** The most open hidden tasks of one task. */
const MAX_ADOPTED = 100;
/** Ended hidden tasks that are deleted with their task; earlier ones expire after a week. */
const MAX_DISOWNED = 300;
/** Stored requests, to recognise a repeated one. */
const MAX_REQUESTS = 100;
/** How long the hidden task of an API call is stored after it ended. */
const HIDDEN_RETENTION_MS = 7 * 86_400_000;

/** Creates the state of a task, with its first events. */
export function createTask(input: NewTask, now: number): Decision {
  const { hold, call } = input;
  const facts = completeFacts(input.facts);
  const caller = facts.actsFor?.person ?? null;
  const messages = readInput(facts);
  const phase: Phase = hold ? { name: "held" } : call === null ? { name: "ready" } : { name: "prepared" };
  const turn = new Turn(
    {
      v: STATE_VERSION,
      facts,
      phase,
      step: 0,
      startedAt: null,
      usage: { steps: 0, toolCalls: 0, inputTokens: 0, outputTokens: 0, costMicros: 0, estimated: false },
      usedBelow: { inputTokens: 0, outputTokens: 0, costMicros: 0 },
      permit: null,
      turnedAway: null,
      model: { index: 0, since: now },
      contextTokens: estimateMessages(
        [{ role: "system", content: facts.agent.config.instructions }, ...toPromptMessages(messages, facts)],
        getEncoding(facts.models[0]?.name ?? ""),
      ),
      isContextCounted: false,
      windowTokens: null,
      compactedThrough: 0,
      steeredBy: joinLabels(facts.label, joinMessages(messages)),
      clock: { activeMs: 0, since: null },
      batch: [],
      loaded: [],
      actors: facts.actors ?? startActors(caller, caller),
      steering: [],
      attachments: [],
      settledWaits: {},
      subtasks: [],
      tree: [],
      waitsBelow: {},
      uncounted: [],
      toCancel: [],
      adopted: [],
      disowned: [],
      requests: [],
      repeat: null,
      warned: [],
    },
    now,
  );
  const agent = { id: facts.agent.id, version: facts.agent.version };
  const parent = facts.parentId === null ? {} : { parent_id: facts.parentId };
  const skills = facts.skills.length === 0 ? {} : { skills: facts.skills.map(formatSkill) };
  const label = getLabelName(turn.state.steeredBy);
  turn.emit("task.created", { agent, input: facts.input, label, project: facts.project, ...parent, ...skills });
  if (call !== null) {
    turn.set({ step: 1 });
    openBatch(turn, [call]);
  }
  return { ...turn.decision(), messages: messages.map((message) => ({ step: 0, message })) };
}

/** Applies a command to a task. A repeated command, and one of an ended runner call, change nothing. */
export function decide(state: TaskState, command: Command, now: number): Decision {
  const turn = new Turn(state, now, "maxParallel" in command ? command.maxParallel : undefined);
  const request = "request" in command ? command.request : null;
  if (request !== null && state.requests.includes(request)) return turn.decision();
  const refused = applyCommand(turn, command);
  if (refused !== null) return turn.refuse(refused);
  if (request !== null) turn.set({ requests: [...state.requests, request].slice(-MAX_REQUESTS) });
  return turn.decision();
}

/** Applies a second command to a decision, as one decision: both are stored or neither is. */
export function decideBoth(first: Decision, command: Command, now: number): Decision {
  const then = decide(first.state, command, now);
  if (then.refused !== null) return first;
  // The first decision's work remains unless the phase has changed.
  const work = then.work ?? (then.state.phase === first.state.phase ? first.work : null);
  return { ...joinDecisions(first, then), work };
}

/** Joins what two successive decisions store. */
export function joinDecisions(first: Decision, then: Decision): Decision {
  return {
    ...then,
    events: [...first.events, ...then.events],
    messages: [...first.messages, ...then.messages],
    ledger: [...first.ledger, ...then.ledger],
    spent: [...first.spent, ...then.spent],
    below: [...first.below, ...then.below],
    compaction: then.compaction ?? first.compaction,
  };
}

/** Applies a command to the turn, or returns why it is refused; then the turn is discarded. */
function applyCommand(turn: Turn, command: Command): Failure | null {
  const { state } = turn;
  const { phase } = state;
  switch (command.type) {
    case "wake":
      wake(turn, command.incarnation);
      return null;

    case "start":
      if (phase.name !== "held") return conflict("The task has already started.");
      turn.set({ phase: { name: "ready" } });
      return null;

    case "admitted":
      if (isBusy(phase)) admit(turn, command);
      return null;

    case "turned_away":
      if (isBusy(phase) && !isUnderWay(phase)) turnAway(turn, command);
      return null;

    case "exhausted":
      if (isBusy(phase)) {
        turn.cutOff();
        turn.end("failed", "budget_exceeded", null, { code: "budget_exceeded", message: command.message });
      }
      return null;

    case "called":
      if (state.turnedAway !== null) turn.set({ turnedAway: { ...state.turnedAway, askAgainAt: turn.now } });
      return null;

    case "halt":
      halt(turn, command.message);
      return null;

    case "model_replied":
      if (isCurrentModelCall(state, phase, command)) applyReply(turn, phase, command);
      return null;

    case "model_failed":
      if (isCurrentModelCall(state, phase, command)) applyFailure(turn, phase, command);
      return null;

    case "calls_starting":
      if (isCurrentRunnerCall(state, command)) startCalls(turn, command.callIds);
      return null;

    case "model_progressed":
    case "request_measured":
    case "request_refused":
      if (isCurrentModelCall(state, phase, command)) applyReport(turn, phase, command);
      return null;

    case "call_settled":
    case "call_bound":
    case "call_uploaded":
    case "call_accounted":
      if (isCurrentRunnerCall(state, command)) endCall(turn, command);
      return null;

    case "result_condensed":
      if (isCurrentRunnerCall(state, command)) applySummary(turn, command);
      return null;

    case "history_progressed":
      if (isCurrentRunnerCall(state, command)) storeHistoryProgress(turn, command);
      return null;

    case "history_condensed":
      if (isCurrentRunnerCall(state, command)) applyHistory(turn, command);
      return null;

    case "runner_call_ended":
      if (!isCurrentRunnerCall(state, command)) return null;
      if (phase.name === "condensing") endCondensing(turn, phase);
      else endActing(turn);
      return null;

    case "runner_call_refused":
      if (isCurrentRunnerCall(state, command)) refusePhase(turn, command.callIds);
      return null;

    case "message":
    case "answer":
    case "approval_decided":
    case "unknown_decided":
    case "skip_connection":
      return applyPersonCommand(turn, command);

    case "connect":
      endConnectionWait(turn, command);
      return null;

    case "subtask_opened":
      markSubtaskCreated(turn, command.callId);
      return null;

    case "subtask_refused":
      rejectSubtask(turn, command);
      return null;

    case "subtask_ended":
      applySubtaskEnd(turn, command.ending);
      return null;

    case "subtask_waits":
      applySubtaskWaits(turn, command);
      return null;

    case "enroll":
      if (phase.name === "ended" && !state.tree.includes(command.subtask)) {
        return conflict(`The task is ${phase.status}: its tree takes no more subtasks.`);
      }
      return enrollSubtask(turn, command.subtask);

    case "cancelled_below":
      if (!state.toCancel.includes(command.task)) return null;
      turn.set({ toCancel: state.toCancel.filter((task) => task !== command.task) });
      return null;

    case "attach":
      if (state.attachments.some(({ path }) => path === command.file.path)) return attach(turn, command.file);
      if (phase.name === "ended") return conflict(`The task is ${phase.status}: no file can be attached.`);
      return attach(turn, command.file);

    case "adopt":
      if (phase.name === "ended") return conflict(`The task is ${phase.status}: no call can be made for it.`);
      if (state.adopted.includes(command.task)) return null;
      if (state.adopted.length >= MAX_ADOPTED) return conflict(`${MAX_ADOPTED} calls are open for this task already.`);
      turn.set({ adopted: [...state.adopted, command.task] });
      return null;

    case "disown":
      if (!state.adopted.includes(command.task)) return null;
      turn.set({ adopted: state.adopted.filter((task) => task !== command.task) });
      turn.set({ disowned: [...state.disowned, command.task].slice(-MAX_DISOWNED) });
      return null;

    case "cancel":
      if (phase.name === "ended") {
        return phase.status === "cancelled" ? null : conflict(`The task is ${phase.status} already.`);
      }
      turn.cutOff();
      turn.end("cancelled", "cancelled", null, null);
      return null;
  }
}

/** Returns when the alarm is due, in milliseconds since the epoch; null while the task waits for an outside event. */
export function findNextWake(state: TaskState, now: number): number | null {
  const { phase } = state;
  const mayBegin = state.turnedAway?.askAgainAt ?? now;
  switch (phase.name) {
    case "held":
      return null;
    case "ended":
      return state.toCancel.length > 0 ? now : getExpiry(state);
    case "ready":
    case "prepared":
    case "dispatching":
      return mayBegin;
    case "thinking":
    case "acting":
    case "condensing":
      return Math.max(phase.since + LEASE_MS, mayBegin);
    case "backing_off":
      return Math.max(Math.min(phase.until, now + getTimeLeftMs(state, now)), mayBegin);
    case "parked": {
      const ends = state.batch.flatMap((call) => (call.wait === null ? [] : [getWaitEnd(call.wait)]));
      const moments = ends.filter((at) => at !== null);
      if (state.clock.since !== null) moments.push(now + getTimeLeftMs(state, now));
      const first = Math.min(...moments);
      return Number.isFinite(first) ? first : null;
    }
  }
}

/** Returns when an ended task is deleted; null: never. Only the hidden task of a call expires. */
export function getExpiry(state: TaskState): number | null {
  if (state.phase.name !== "ended" || state.facts.kind !== "call") return null;
  return state.phase.at + HIDDEN_RETENTION_MS;
}

/** Begins or continues a run: recovers an interrupted call, expires waits, and begins the next runner call with a permit. */
function wake(turn: Turn, incarnation: string): void {
  if (turn.state.phase.name === "parked") expireWaits(turn);
  const { phase, turnedAway, toCancel } = turn.state;
  if (phase.name === "ended" && toCancel.length > 0) turn.work = { kind: "cancel", tasks: toCancel };
  if (phase.name === "held" || phase.name === "ended") return;
  if ("incarnation" in phase && phase.incarnation === incarnation) return;
  turn.cutOff();
  if (getTimeLeftMs(turn.state, turn.now) <= 0) return turn.exceed("duration");
  if (!isBusy(phase) || (phase.name === "backing_off" && phase.until > turn.now)) return;
  if (turnedAway !== null && turnedAway.askAgainAt > turn.now) return;
  if (phase.name === "ready") returnToFirstModel(turn);
  turn.work = getPermitRequest(turn.state, turn.now);
  if (turn.work === null) begin(turn, incarnation, phase);
}

/** Begins the runner call of the phase. */
function begin(turn: Turn, incarnation: string, phase: Phase): void {
  switch (phase.name) {
    case "ready":
      return condenseFirst(turn, incarnation) ? undefined : beginStep(turn, incarnation);
    case "prepared":
      turn.markStarted();
      return beginActing(turn, incarnation);
    case "dispatching":
      turn.work = { kind: "dispatch", step: turn.state.step, subtasks: listNewSubtasks(turn.state, turn.now) };
      return;
    case "thinking":
      return recoverModelCall(turn, incarnation, phase);
    case "acting":
      return beginActing(turn, incarnation);
    case "condensing":
      return resumeCondensing(turn, incarnation, phase);
    case "backing_off":
      return retryModel(turn, incarnation, phase);
    case "held":
    case "parked":
    case "ended":
      return;
  }
}

function isCurrentRunnerCall(state: TaskState, command: { step: number; incarnation: string }): boolean {
  const { phase } = state;
  const isRunnerPhase = phase.name === "acting" || phase.name === "condensing";
  return isRunnerPhase && phase.incarnation === command.incarnation && state.step === command.step;
}

function conflict(message: string): Failure {
  return { code: "conflict", message };
}
