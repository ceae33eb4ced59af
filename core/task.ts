/**
 * The life of a task, as a pure state machine. Read this file first.
 *
 * `decide(state, command, now)` says what a task becomes and what has to be stored with it; `nextWake(state)` says when
 * the object's one alarm is due. A step has two hops: `think` (the model call, whose calls come back prepared) and `act`
 * (the calls themselves). Both begin from a stored state that names the object instance that runs them, the
 * `incarnation`. When the alarm finds a hop of another incarnation, that hop was cut off by a crash: the normal path and
 * the recovery path are the same path.
 */
import { reserveModelCall, settleInterrupted, settleModelCall, timeLeftMs } from "./budget.ts";
import type { Failure } from "./errors.ts";
import { nextModelTry } from "./model-retry.ts";
import { STATE_VERSION, type Command, type Decision, type NewTask, type Phase, type TaskState } from "./task-state.ts";
import { advance, applyOutcome, attach, beginActing, endHop, expireWaits, openBatch } from "./task-batch.ts";
import { answerQuestion, decideApproval } from "./task-answers.ts";
import { estimateMessages, estimateTokens } from "./tokens.ts";
import { Turn } from "./turn.ts";
import { waitEndsAt } from "./waits.ts";

/** The alarm that guards a running hop. It cannot fire beside a running handler, so it fires only after a crash. */
const LEASE_MS = 1000;
/** Attempts of one step's model call that a crash may cut off before the task is given up. */
const MAX_CUT_OFF_ATTEMPTS = 50;
/** What the tool list of a first request is taken to hold; later requests are measured by the one before. */
const TOOL_LIST_TOKENS = 1500;
/** Steering that may wait for the next step, all messages together: they stand in the state's one row of at most 2 MB. */
const MAX_STEERING_CHARACTERS = 200_000;

/** The state of a task that was just made, and its first events. */
export function createTask(input: NewTask, now: number): Decision {
  const { facts, hold, call } = input;
  const messages =
    typeof facts.input === "string" ? [{ role: "user" as const, content: facts.input }] : [...facts.input];
  const phase: Phase = hold ? { name: "held" } : call === null ? { name: "ready" } : { name: "prepared" };
  const turn = new Turn(
    {
      v: STATE_VERSION,
      facts,
      phase,
      step: 0,
      startedAt: null,
      usage: { steps: 0, toolCalls: 0, inputTokens: 0, outputTokens: 0, costMicros: 0, estimated: false },
      contextTokens: TOOL_LIST_TOKENS + estimateTokens(facts.agent.config.instructions) + estimateMessages(messages),
      clock: { activeMs: 0, since: null },
      batch: [],
      steering: [],
      attachments: [],
      settledWaits: {},
      repeat: null,
      warned: false,
    },
    now,
  );
  turn.emit("task.created", {
    agent: { id: facts.agent.id, version: facts.agent.version },
    input: facts.input,
    project: facts.project,
  });
  if (call !== null) {
    turn.set({ step: 1 });
    openBatch(turn, [call], false);
  }
  return { ...turn.decision(), messages };
}

/** What a command makes of a task. Commands of a hop that is over change nothing. */
export function decide(state: TaskState, command: Command, now: number): Decision {
  const turn = new Turn(state, now);
  const { phase } = state;
  switch (command.type) {
    case "wake":
      return wake(turn, command.incarnation);

    case "start":
      if (phase.name !== "held") return turn.refuse(conflict("The task was started already."));
      turn.set({ phase: { name: "ready" } });
      return turn.decision();

    case "model_replied": {
      if (phase.name !== "thinking" || !isSameHop(state, phase, command)) return turn.decision();
      const { reply } = command;
      turn.set({
        usage: settleModelCall(state, reply.usage),
        contextTokens: reply.usage.inputTokens + reply.usage.outputTokens,
      });
      if (!phase.final) turn.set({ usage: { ...turn.state.usage, steps: turn.state.usage.steps + 1 } });
      const calls = phase.final ? [] : reply.requested;
      turn.messages.push({ role: "assistant", content: reply.text, ...(calls.length > 0 ? { calls } : {}) });
      turn.emit("message.completed", { role: "assistant", step: state.step, attempt: phase.attempt, text: reply.text });
      if (calls.length > 0) {
        openBatch(turn, reply.calls, true);
        beginActing(turn, command.incarnation, "begun");
        return turn.decision();
      }
      turn.set({ batch: [] });
      turn.emit("step.completed", { step: state.step });
      if (state.steering.length > 0 && !phase.final) turn.set({ phase: { name: "ready" } });
      else
        turn.end(
          "completed",
          phase.final ? "iteration_limit" : reply.finish === "length" ? "output_limit" : null,
          reply.text,
          null,
        );
      return turn.decision();
    }

    case "model_failed": {
      if (phase.name !== "thinking" || !isSameHop(state, phase, command)) return turn.decision();
      const failures = phase.failures + 1;
      const firstFailureAt = phase.firstFailureAt ?? now;
      const until = nextModelTry(command.failure, failures, firstFailureAt, now);
      if (until === null) {
        turn.end("failed", "model_unavailable", null, { code: "upstream_failed", message: command.failure.message });
      } else {
        const { attempt, final } = phase;
        turn.set({ phase: { name: "backing_off", attempt, final, failures, firstFailureAt, until } });
      }
      return turn.decision();
    }

    case "call_settled": {
      if (phase.name !== "acting" || phase.incarnation !== command.incarnation || state.step !== command.step)
        return turn.decision();
      const call = state.batch.find((other) => other.id === command.callId);
      if (call === undefined || call.state !== "intended" || call.wait !== null) return turn.decision();
      applyOutcome(turn, call, command.outcome);
      advance(turn);
      return turn.decision();
    }

    case "hop_ended":
      if (phase.name === "acting" && phase.incarnation === command.incarnation && state.step === command.step)
        endHop(turn);
      return turn.decision();

    case "message":
      if (phase.name === "ended")
        return turn.refuse(conflict(`The task is ${phase.status}: it reads no more messages.`));
      if (state.steering.join("").length + command.text.length > MAX_STEERING_CHARACTERS) {
        return turn.refuse(
          conflict("The task has not read its last messages yet. Send this again after its next step."),
        );
      }
      turn.set({ steering: [...state.steering, command.text] });
      turn.emit("message.completed", { role: "user", text: command.text });
      return turn.decision();

    case "answer":
      return answerQuestion(turn, command);

    case "approval_decided":
      return decideApproval(turn, command);

    case "subtask_ended": {
      const call = state.batch.find((other) => other.wait?.kind === "subtask" && other.wait.id === command.subtask);
      if (call === undefined || phase.name === "ended") return turn.decision();
      turn.settle(call, command.outcome);
      turn.emit("subtask.ended", { subtask_id: command.subtask, ok: command.outcome.result.ok });
      advance(turn);
      return turn.decision();
    }

    case "attach":
      if (phase.name === "ended") return turn.refuse(conflict(`The task is ${phase.status}: no file can be attached.`));
      attach(turn, command.file);
      return turn.decision();

    case "cancel":
      if (phase.name === "ended") {
        return phase.status === "cancelled"
          ? turn.decision()
          : turn.refuse(conflict(`The task is ${phase.status} already.`));
      }
      if (phase.name === "thinking") turn.set({ usage: settleInterrupted(state.usage, phase.reserved) });
      turn.end("cancelled", "cancelled", null, null);
      return turn.decision();
  }
}

/** When the alarm is due, in milliseconds since the epoch; null: the task waits for something from outside, at no cost. */
export function nextWake(state: TaskState, now: number): number | null {
  const { phase } = state;
  switch (phase.name) {
    case "held":
    case "ended":
      return null;
    case "ready":
    case "prepared":
      return now;
    case "thinking":
    case "acting":
      return phase.since + LEASE_MS;
    case "backing_off":
      return Math.min(phase.until, now + timeLeftMs(state, now));
    case "parked": {
      const ends = state.batch
        .flatMap((call) => (call.wait === null ? [] : [waitEndsAt(call.wait)]))
        .filter((at) => at !== null);
      if (state.clock.since !== null) ends.push(now + timeLeftMs(state, now));
      const first = Math.min(...ends);
      return Number.isFinite(first) ? first : null;
    }
  }
}

/** The alarm fired: what was cut off is taken up, what is due happens, and the next hop begins. */
function wake(turn: Turn, incarnation: string): Decision {
  const { phase } = turn.state;
  if (phase.name === "held" || phase.name === "ended") return turn.decision();
  if (phase.name === "parked") expireWaits(turn);
  if (phase.name === "thinking") {
    if (phase.incarnation === incarnation) return turn.decision();
    turn.set({ usage: settleInterrupted(turn.state.usage, phase.reserved) });
  }
  if (timeLeftMs(turn.state, turn.now) <= 0) {
    turn.exceed("duration");
    return turn.decision();
  }
  const found = turn.state.phase;
  switch (found.name) {
    case "ready":
      beginStep(turn, incarnation);
      break;
    case "prepared":
      start(turn);
      beginActing(turn, incarnation, "prepared");
      break;
    case "thinking":
      if (found.attempt >= MAX_CUT_OFF_ATTEMPTS) {
        const message = `Step ${turn.state.step} was cut off ${found.attempt} times.`;
        turn.end("failed", "internal", null, { code: "internal", message });
      } else think(turn, incarnation, found.attempt + 1, found.final, found.failures, found.firstFailureAt);
      break;
    case "acting":
      if (found.incarnation !== incarnation) beginActing(turn, incarnation, "recover");
      break;
    case "backing_off":
      if (found.until <= turn.now)
        think(turn, incarnation, found.attempt + 1, found.final, found.failures, found.firstFailureAt);
      break;
    default:
      break;
  }
  return turn.decision();
}

/** Begins the next step; at the limit of steps, the one last call without tools. */
function beginStep(turn: Turn, incarnation: string): void {
  start(turn);
  for (const text of turn.state.steering) turn.say({ role: "user", content: text });
  turn.set({ step: turn.state.step + 1, batch: [], steering: [] });
  const final = turn.state.usage.steps >= turn.state.facts.limits.maxSteps;
  think(turn, incarnation, 1, final, 0, null);
}

/** Reserves a model call and makes it the work, or ends the task when a limit is used up. */
function think(
  turn: Turn,
  incarnation: string,
  attempt: number,
  final: boolean,
  failures: number,
  firstFailureAt: number | null,
): void {
  const allowance = reserveModelCall(turn.state, turn.now);
  if (!allowance.ok) return turn.exceed(allowance.exceeded);
  const { reserved, timeoutMs } = allowance;
  turn.set({
    phase: { name: "thinking", attempt, incarnation, since: turn.now, final, reserved, failures, firstFailureAt },
  });
  turn.emit("step.started", { step: turn.state.step, attempt, final });
  turn.work = {
    kind: "think",
    step: turn.state.step,
    attempt,
    final,
    maxOutputTokens: reserved.outputTokens,
    timeoutMs,
  };
}

function start(turn: Turn): void {
  if (turn.state.startedAt !== null) return;
  turn.set({ startedAt: turn.now });
  turn.emit("task.started");
}

function isSameHop(
  state: TaskState,
  phase: { attempt: number; incarnation: string },
  command: { step: number; attempt: number; incarnation: string },
): boolean {
  return state.step === command.step && phase.attempt === command.attempt && phase.incarnation === command.incarnation;
}

function conflict(message: string): Failure {
  return { code: "conflict", message };
}
