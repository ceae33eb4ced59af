/** Commands that may come to a task at any moment: fitting ones, late ones, and ones that were never asked for. */
import { confirmedOutcome } from "../../../core/task/ledger.ts";
import type { Account, ConnectNeed } from "../../../core/connections/account.ts";
import type { AccountedCall, CallOutcome, Command } from "../../../core/task/commands.ts";
import type { TaskState } from "../../../core/task/state.ts";
import type { Control } from "../../../core/tool/tool.ts";
import { toSkillInForce } from "../../../core/task/skills-in-force.ts";
import { makeSkill } from "../../fakes/skill-texts.ts";
import { createEnding, preparedCall } from "./play-task.ts";
import { ADMITTED, ASK, answer, DISPATCH, SLEEP } from "./world.ts";

type Draw = () => number;
type Make = (state: TaskState, draw: Draw) => Command;

const pick = <T>(list: readonly [T, ...T[]], draw: Draw): T => list[Math.floor(draw() * list.length)] ?? list[0];
const usage = { inputTokens: 10, outputTokens: 5, estimated: false };

/** One command, chosen by the draws for a task in this state: often what would come next, else anything. */
export function anyCommand(state: TaskState, draw: Draw): Command {
  const make = draw() < 0.4 ? nextFor(state, draw) : pick(MAKERS, draw);
  return make(state, draw);
}

/** What comes next to a task when nothing is in its way. */
function nextFor({ phase, permit, turnedAway }: TaskState, draw: Draw): Make {
  if (turnedAway !== null) return () => ({ type: "called" });
  switch (phase.name) {
    case "thinking":
      return phase.incarnation === "" ? woken : modelReplied;
    case "acting":
      return phase.incarnation === "" ? woken : pick([callSettled, callSettled, callAccounted, hopEnded], draw);
    case "condensing":
      return pick([woken, historyCondensed, hopEnded], draw);
    case "parked":
      return pick([decided, connected, subtaskEnded], draw);
    case "held":
    case "ended":
      return woken;
    default:
      return permit === null ? () => ADMITTED : woken;
  }
}

/** The hop that is under way, or now and then another. */
function hopOf({ phase, step }: TaskState, draw: Draw) {
  const isOpen = "incarnation" in phase && phase.incarnation !== "";
  const incarnation = isOpen && draw() < 0.9 ? phase.incarnation : "late";
  const attempt = "attempt" in phase ? phase.attempt : 1;
  return { step: draw() < 0.95 ? step : step + 1, attempt, incarnation };
}

function callOf({ batch }: TaskState, draw: Draw) {
  return batch[Math.floor(draw() * batch.length)] ?? null;
}

const MAKERS: readonly [Make, ...Make[]] = [
  woken,
  woken,
  () => ADMITTED,
  (_, draw) => ({
    ...ADMITTED,
    forMs: Math.floor(draw() * 3000),
    grant: { tokens: Math.floor(draw() * 40_000), costMicros: null },
  }),
  (_, draw) => ({
    type: "turned_away",
    why: pick(["queue", "stopped", "budget"], draw),
    message: draw() < 0.5 ? null : "later",
    askAgainAfterMs: Math.floor(draw() * 5000),
  }),
  () => ({ type: "called" }),
  () => ({ type: "halt", message: "stopped" }),
  (_, draw) => (draw() < 0.1 ? { type: "exhausted", message: "used up" } : { type: "called" }),
  (_, draw) => (draw() < 0.1 ? { type: "cancel", by: "ana" } : { type: "start", request: null }),
  modelReplied,
  modelReplied,
  (state, draw) => ({
    type: "model_failed",
    ...hopOf(state, draw),
    failure: {
      kind: pick(["unavailable", "cut_off", "context_overflow", "refused"], draw),
      retryable: draw() < 0.9,
      retryAfterMs: null,
      message: "it failed",
    },
  }),
  callSettled,
  callSettled,
  callAccounted,
  connected,
  hopEnded,
  (state, draw) => ({
    type: "result_condensed",
    ...hopOf(state, draw),
    callId: callOf(state, draw)?.id ?? "",
    content: "short",
    usage,
  }),
  historyCondensed,
  (_, draw) => ({ type: "message", text: "hello", request: draw() < 0.5 ? null : pick(["r", "s"], draw) }),
  decided,
  decided,
  (state, draw) => ({ type: "subtask_opened", callId: callOf(state, draw)?.id ?? "" }),
  (state, draw) => ({
    type: "subtask_refused",
    callId: callOf(state, draw)?.id ?? "",
    failure: { code: "quota_exceeded", message: "full" },
  }),
  subtaskEnded,
  (state, draw) => ({
    type: "subtask_waits",
    subtask: subtaskOf(state, draw),
    version: Math.floor(draw() * 5),
    pending: draw() < 0.5 ? [] : [{ kind: "unknown", call_id: "call_below", tool: "t" }],
    stands: draw() < 0.5,
  }),
  (_, draw) => ({ type: "enroll", subtask: `task_${Math.floor(draw() * 60)}` }),
  (state, draw) => ({ type: "cancelled_below", task: state.toCancel[0] ?? pick(["task_x", "task_y"], draw) }),
  (_, draw) => ({ type: "adopt", task: pick(["task_h", "task_i"], draw) }),
  (_, draw) => ({ type: "disown", task: pick(["task_h", "task_i"], draw) }),
  (_, draw) => ({ type: "attach", file: { path: pick(["a", "b"], draw), size: 1, contentType: "text/plain" } }),
];

function woken(_: TaskState, draw: Draw): Command {
  return { type: "wake", incarnation: pick(["a", "b", "c"], draw) };
}

function hopEnded(state: TaskState, draw: Draw): Command {
  return { type: "runner_call_ended", ...hopOf(state, draw) };
}

function historyCondensed(state: TaskState, draw: Draw): Command {
  return {
    type: "history_condensed",
    ...hopOf(state, draw),
    through: state.phase.name === "condensing" ? (state.phase.history ?? 1) : 1,
    text: "short",
    contextTokens: 100,
    usage: draw() < 0.5 ? null : usage,
  };
}

function subtaskEnded(state: TaskState, draw: Draw): Command {
  return { type: "subtask_ended", ending: createEnding(subtaskOf(state, draw)) };
}

function modelReplied(state: TaskState, draw: Draw): Command {
  const calls = Array.from({ length: Math.floor(draw() * 4) }, (_, index) => {
    const dispatches = draw() < 0.3;
    const done = { ...confirmedOutcome({}, "early", 1), control: dispatches ? DISPATCH : null };
    return preparedCall(state, index, {
      tool: dispatches ? "dispatch_subagent" : "t",
      effect: pick(["none", "keyed", "probe", "once"], draw),
      approval: draw() < 0.2 ? { reason: "asked", expiresInMs: 4000 } : null,
      outcome: draw() < 0.4 ? { ...done, isLarge: draw() < 0.5 } : null,
      ...(draw() < 0.2 ? pick([{ connect: NEED }, { account: ACCOUNT }], draw) : {}),
    });
  });
  const requested = calls.map(({ id, tool }) => ({ id, name: tool, arguments: "{}" }));
  const text = draw() < 0.3 ? "" : "words";
  return {
    type: "model_replied",
    ...hopOf(state, draw),
    reply: { text, calls, requested, usage, finish: pick(["stop", "calls", "length"], draw) },
  };
}

const STATES: readonly [CallOutcome["state"], ...CallOutcome["state"][]] = ["confirmed", "failed", "unknown"];
const CONTROLS: readonly [Control | null, ...(Control | null)[]] = [
  null,
  null,
  null,
  { ...ASK, deadlineSeconds: 3 },
  SLEEP,
  DISPATCH,
  {
    kind: "load",
    skill: toSkillInForce(makeSkill("a", { allowedTools: ["x"] }), "load"),
    result: {},
    content: "# Skill: a",
  },
  { kind: "finish", summary: "It is done." },
  { kind: "connect", app: "crm", reason: "expired" },
];

const NEED: ConnectNeed = { app: "crm", reason: "missing", person: "per_ana" };
const ACCOUNT: Account = {
  connection: "con_1",
  app: "crm",
  provider: "oauth",
  owner: { kind: "person", id: "per_ana", name: "Ana" },
  label: null,
  consent: 1,
  delegates: false,
};

function callAccounted(state: TaskState, draw: Draw): Command {
  const consent = Math.floor(draw() * 3);
  const account = { ...ACCOUNT, consent };
  const approval = draw() < 0.5 ? { reason: "asked", expiresInMs: 4000 } : null;
  const bound = { kind: "account", account, argumentsHash: `h${consent}`, touches: [], approval } as const;
  const ruling: AccountedCall = draw() < 0.3 ? { kind: "needed", need: NEED } : bound;
  return {
    type: "call_accounted",
    ...hopOf(state, draw),
    callId: callOf(state, draw)?.id ?? "",
    arguments: {},
    ruling,
  };
}

/** The connection of a wait may be usable, or of one that is not open. */
function connected({ batch }: TaskState, draw: Draw): Command {
  const open = batch.flatMap(({ wait }) => (wait?.kind === "connection" ? [wait.id] : []));
  return { type: "connect", wait: open[Math.floor(draw() * open.length)] ?? "cnw_x" };
}

function callSettled(state: TaskState, draw: Draw): Command {
  const outcome: CallOutcome = {
    ...confirmedOutcome({}, "done", 1),
    state: pick(STATES, draw),
    control: pick(CONTROLS, draw),
    isLarge: draw() < 0.2,
  };
  return { type: "call_settled", ...hopOf(state, draw), callId: callOf(state, draw)?.id ?? "", outcome };
}

/** What people decide: on what is asked, or on something else. */
function decided(state: TaskState, draw: Draw): Command {
  const call = callOf(state, draw);
  const id = call?.wait !== null && call?.wait !== undefined && "id" in call.wait ? call.wait.id : "qst_x";
  const by = "ana";
  if (draw() < 0.3) return answer(id);
  if (draw() < 0.2) return { type: "skip_connection", wait: id, by, request: null };
  if (draw() < 0.3) {
    return {
      type: "unknown_decided",
      callId: call?.id ?? "",
      decision: pick(["done", "retry", "skip"], draw),
      by,
      request: null,
    };
  }
  const revisedFrom = draw() < 0.7 ? (call?.argumentsHash ?? "") : "stale";
  const revised = { arguments: {}, argumentsHash: "edited", effect: "keyed", revisedFrom, note: "edited" } as const;
  return {
    type: "approval_decided",
    approval: id,
    decision: pick(["approve", "refuse"], draw),
    revised: draw() < 0.3 ? revised : null,
    reason: null,
    by,
    request: null,
  };
}

function subtaskOf({ batch }: TaskState, draw: Draw): string {
  const open = batch.flatMap(({ wait }) => (wait?.kind === "subtask" ? [wait.id] : []));
  return open[Math.floor(draw() * open.length)] ?? "task_none";
}
