/** The calls of one step: how a batch opens, runs, recovers after a crash, and ends the step when all are settled. */
import { RUNNER_CALL_TIMEOUT_MS, getTimeLeftMs } from "./budget.ts";
import { confirmedOutcome, failedOutcome, createLedgerRow, unknownOutcome } from "./ledger.ts";
import type { Failure } from "../base/errors.ts";
import { NO_USAGE } from "../model/messages.ts";
import { markSent, pickTerms, toKeyFacts } from "./key-lifetime.ts";
import { chooseRecovery, giveUp } from "../gateway/outcome.ts";
import { dispatchSubtask } from "./subtasks.ts";
import { HeldResources } from "./call-order.ts";
import { advance, canRun, findRunnable, isOpen } from "./advance.ts";
import { resumeCall } from "./answers.ts";
import { requestApproval, requestFileApproval } from "./approvals.ts";
import { reserveBeforeStart, settleModelUse, settleCutOffModelUse } from "./model-use.ts";
import { applyAccount, reconnect, requestConnection } from "./connections.ts";
import type { CallOutcome, Command, PreparedCall } from "./commands.ts";
import type { CallToMake } from "./decision.ts";
import { getLabelName, OUTSIDE } from "../provenance/label.ts";
import { finishTask, loadSkill } from "./skills.ts";
import type { Attachment, BatchCall } from "./state.ts";
import { toAccountField } from "./view.ts";
import type { Turn } from "./turn.ts";
import { expiredOutcome, hasSettlement, openWait, toDecidesField, toQuestionFields, getWaitEnd } from "./waits.ts";

/** The most files that one task delivers. */
const MAX_ATTACHMENTS = 500;
/** Interrupted attempts after which a call fails. */
const MAX_CALL_ATTEMPTS = 50;
/** The same for a call that asks a model: each attempt is charged its whole reservation. */
const MAX_ASKING_ATTEMPTS = 3;

/** Writes the batch of a step. A call that ran in the model phase has had its attempt. */
export function openBatch(turn: Turn, calls: readonly PreparedCall[]): void {
  const { step, usage, repeat } = turn.state;
  const batch = calls.map((call): BatchCall => {
    const { id, tool, argumentsHash, outcome } = call;
    const attempts = outcome !== null && outcome.state !== "refused" ? 1 : 0;
    const rest = { wait: null, note: call.note ?? null, mayRepeat: false, toSummarise: false } as const;
    const copies = call.copiesRecord === undefined ? {} : { copiesRecord: call.copiesRecord };
    const dispatches = call.dispatches === true ? { dispatches: true, ...copies } : {};
    const label = turn.state.steeredBy;
    const { approval } = call;
    const isAsked = outcome === null && approval !== null && call.namesFiles === true;
    const consent = isAsked ? { consent: { ...approval, rounds: 0, approved: null } } : {};
    const touches = call.touches === undefined || call.touches.length === 0 ? {} : { touches: call.touches };
    const entry = { id, tool, ...pickTerms(call), argumentsHash, state: "intended", attempts, label } as const;
    const files = call.namesFiles === true ? { namesFiles: true } : {};
    const uploads = call.hasUploads === true ? { uploads: null } : {};
    const level = call.security === undefined ? {} : { security: call.security };
    const asks = call.asks === undefined ? {} : { asks: call.asks };
    const known = { ...touches, ...files, ...uploads, ...level, ...asks };
    return { ...entry, ...rest, ...known, ...consent, ...dispatches, ...toAccountState(call) };
  });
  const [only] = calls;
  const hash = only !== undefined && calls.length === 1 ? `${only.tool} ${only.argumentsHash}` : null;
  turn.set({
    batch,
    usage: { ...usage, toolCalls: usage.toolCalls + calls.length },
    repeat: hash === null ? null : { hash, count: repeat?.hash === hash ? repeat.count + 1 : 1 },
  });
  const opened = calls.map((call, index) => ({ call, index, entry: batch[index] }));
  for (const { call, index, entry } of opened) {
    turn.ledger.push({ kind: "insert", row: createLedgerRow(call, step, index, entry?.attempts ?? 0, turn.now) });
    const { id, tool, effect } = call;
    const label = getLabelName(entry?.label ?? OUTSIDE);
    const started = { step, call_id: id, tool, arguments: call.arguments, effect, label };
    turn.emit("call.started", { ...started, ...toAccountField(call) });
  }
  for (const { call, entry } of opened) {
    if (entry === undefined) continue;
    if (call.outcome !== null) applyOutcome(turn, entry, call.outcome);
    else if (call.connect !== undefined) requestConnection(turn, entry, call.connect);
    else if (call.approval !== null && entry.consent === undefined) requestApproval(turn, entry, call, call.approval);
  }
}

const NO_ACCOUNT = {};

/** Returns the fields of a call of a tool with `app`. */
function toAccountState({ account, connect, askFirst }: PreparedCall): Pick<BatchCall, "account" | "accountRounds"> {
  if (account === undefined && connect === undefined) return NO_ACCOUNT;
  const reason = askFirst === undefined ? {} : { askFirst };
  return { ...(account === undefined ? {} : { account }), accountRounds: { ...reason, rounds: 0 } };
}

/**
 * Starts the tool phase with every call that can run. Stores the attempts of only the calls that start at once, so that
 * after a crash the others are known not to have left. Calls without an effect may be repeated: the runner starts them
 * without asking, and their attempts are stored when they settle. One that may ask a model starts once that is reserved.
 */
export function beginActing(turn: Turn, incarnation: string): void {
  const { step } = turn.state;
  settleCutOff(turn);
  const { batch } = turn.state;
  const first = new Set(findRunnable(batch).slice(0, turn.maxParallel));
  const calls: CallToMake[] = [];
  const later: CallToMake[] = [];
  for (const call of findReachable(batch)) {
    const mode = getMode(turn, call);
    const isUnbound = isVisit(mode);
    const startsNow = first.has(call) && !isUnbound;
    if (startsNow && !reserveBeforeStart(turn, call)) continue;
    const key = toKeyFacts({ ...call, ...markSent(call, turn.now) });
    const retry = call.mayRepeat ? { isRetry: true } : {};
    const toMake: CallToMake = { callId: call.id, mode, attempt: call.attempts + 1, ...retry, ...key };
    if (startsNow) turn.countAttempt(getCall(turn, call));
    const startsUncounted = call.effect === "none" && !isUnbound && call.asks === undefined;
    (startsNow || startsUncounted ? calls : later).push(toMake);
  }
  if (calls.length + later.length === 0) return advance(turn);
  turn.set({ phase: { name: "acting", incarnation, since: turn.now } });
  turn.usePermit();
  const timeoutMs = Math.min(RUNNER_CALL_TIMEOUT_MS, getTimeLeftMs(turn.state, turn.now));
  turn.work = { kind: "act", step, calls, later, timeoutMs };
}

function getMode({ now }: Turn, call: BatchCall): CallToMake["mode"] {
  if (call.accountRounds?.isDue === true) return "account";
  if (call.consent?.approved === null) return "bind";
  if (call.uploads === null) return "upload";
  return wasCutOff(call) && chooseRecovery(call, now) === "probe" ? "probe" : "run";
}

/** True for a visit of the runner that sends nothing, which is no attempt. */
export function isVisit(mode: CallToMake["mode"]): boolean {
  return mode === "bind" || mode === "account" || mode === "upload";
}

/** True for a call whose account or files have to be known, or its files uploaded, before an attempt begins. */
function mustBeBound({ accountRounds, consent, uploads }: BatchCall): boolean {
  return accountRounds?.isDue === true || consent?.approved === null || uploads === null;
}

/** Settles the interrupted calls that their effect class forbids to repeat. */
function settleCutOff(turn: Turn): void {
  for (const call of turn.state.batch) {
    if (!canRun(call)) continue;
    if (wasCutOff(call) && chooseRecovery(call, turn.now) === "unknown") {
      settleUnknown(turn, call);
    } else if (call.attempts >= (call.asks === undefined ? MAX_CALL_ATTEMPTS : MAX_ASKING_ATTEMPTS)) {
      const gaveUp = failedOutcome("failed", "internal", `The call was cut off ${call.attempts} times.`);
      turn.settle(call, giveUp(call.effect !== "none") === "unknown" ? unknownOutcome(call.tool) : gaveUp);
    }
  }
}

function wasCutOff({ attempts, mayRepeat }: BatchCall): boolean {
  return attempts > 0 && !mayRepeat;
}

/**
 * Returns the calls that one tool phase can run, in order: neither they nor the earlier calls that they follow are
 * waiting.
 */
function findReachable(batch: readonly BatchCall[]): BatchCall[] {
  const held = new HeldResources();
  return batch.filter(isOpen).filter((call) => {
    const isReachable = call.wait === null && !held.blocks(call);
    if (!isReachable) held.add(call);
    return isReachable;
  });
}

/**
 * Counts the attempts of calls that the runner is about to start, because each may leave from now on. Does not count a
 * call that an earlier one blocks, or whose questions to a model cannot be reserved, which denies it.
 */
export function startCalls(turn: Turn, callIds: readonly string[]): void {
  const starting = findRunnable(turn.state.batch).filter((call) => callIds.includes(call.id) && !mustBeBound(call));
  // The runner starts all of them or none, and a call without an attempt is known not to have left.
  const denied = starting.findIndex((call) => !reserveBeforeStart(turn, call));
  if (denied < 0) for (const call of starting) turn.countAttempt(getCall(turn, call));
  else for (const call of starting.slice(0, denied)) settleModelUse(turn, call, NO_USAGE);
}

/** Returns the call as it is now. */
function getCall({ state }: Turn, call: BatchCall): BatchCall {
  return state.batch.find(({ id }) => id === call.id) ?? call;
}

/** Ends a call of the current tool phase: it settled, its account or files are known, or its files were uploaded. */
export function endCall(
  turn: Turn,
  command: Extract<Command, { type: "call_settled" | "call_bound" | "call_uploaded" | "call_accounted" }>,
): void {
  const open = turn.state.batch.find(({ id }) => id === command.callId);
  if (open === undefined || !canRun(open)) return;
  settleModelUse(turn, open, command.type === "call_settled" ? command.outcome.asked : NO_USAGE);
  const call = getCall(turn, open);
  if (command.type === "call_bound") requestFileApproval(turn, call, command);
  else if (command.type === "call_settled") settleCall(turn, call, command.outcome);
  else if (command.type === "call_uploaded") {
    turn.replace({ ...call, uploads: command.uploads });
    advance(turn);
  } else {
    if (!applyAccount(turn, call, command)) settleUnknown(turn, call);
    advance(turn);
  }
}

/** Settles a call. A call without an effect may not have its attempt stored yet. */
function settleCall(turn: Turn, call: BatchCall, outcome: CallOutcome): void {
  // A call whose files could not be read or uploaded, or that got no account, was not attempted.
  if (call.attempts === 0 && !mustBeBound(call)) turn.countAttempt(call);
  applyOutcome(turn, getCall(turn, call), outcome);
  advance(turn);
}

/** Applies the outcome of a call: its control opens a wait or marks a file; anything else settles the call. */
function applyOutcome(turn: Turn, call: BatchCall, brought: CallOutcome): void {
  // A runner of an earlier release sends no label.
  const outcome = { ...brought, label: brought.label ?? OUTSIDE };
  const { control } = outcome;
  if (control === null) return outcome.state === "unknown" ? settleUnknown(turn, call) : turn.settle(call, outcome);
  if (control.kind === "dispatch") return dispatchSubtask(turn, call, control);
  if (control.kind === "load") return loadSkill(turn, call, control, outcome.durationMs);
  if (control.kind === "finish") return finishTask(turn, call, control, outcome.durationMs);
  if (control.kind === "connect") return reconnect(turn, call, control) ? undefined : settleUnknown(turn, call);
  const wait = openWait(control, call.id, turn.now, call.resumed?.questions ?? 0);
  if (wait !== null) {
    turn.replace({ ...call, wait });
    if (wait.kind === "question") {
      const { id, choices } = wait;
      const expires_at = wait.expiresAt === null ? null : new Date(wait.expiresAt).toISOString();
      turn.emit("question.asked", {
        step: turn.state.step,
        call_id: call.id,
        question_id: id,
        choices,
        ...toQuestionFields(wait),
        wait: true,
        expires_at,
      });
    }
    return;
  }
  if (control.kind === "attach") {
    const { kind: _, ...file } = control;
    const { path, size } = file;
    const refused = attach(turn, file);
    const done = `Attached ${path} (${size} bytes) as it is now. It is delivered when the task ends; attach it again after a change.`;
    if (refused !== null) turn.settle(call, failedOutcome("failed", "quota_exceeded", refused.message));
    else turn.settle(call, confirmedOutcome({ path, size }, done, outcome.durationMs));
  } else if (control.kind === "ask") {
    const { person } = control;
    turn.emit("question.asked", {
      step: turn.state.step,
      call_id: call.id,
      question_id: null,
      choices: null,
      ...toQuestionFields(control),
      wait: false,
      expires_at: null,
    });
    turn.settle(call, confirmedOutcome({ delivered: true, person }, "The message was delivered.", outcome.durationMs));
  }
}

/**
 * Marks a file for delivery with its content, or returns why it is refused. A file marked twice is delivered once, with
 * its last content.
 */
export function attach(turn: Turn, file: Attachment): Failure | null {
  const { path, size, hash } = file;
  if (turn.state.attachments.some((other) => other.path === path && other.size === size && other.hash === hash))
    return null;
  const others = turn.state.attachments.filter((other) => other.path !== path);
  if (others.length >= MAX_ATTACHMENTS) {
    return {
      code: "quota_exceeded",
      message: `A task delivers at most ${MAX_ATTACHMENTS} files. Attach fewer, or an archive.`,
    };
  }
  turn.set({ attachments: [...others, file] });
  const sha256 = hash === undefined ? {} : { sha256: hash };
  turn.emit("file.attached", { path, size, content_type: file.contentType, ...sha256 });
  return null;
}

/**
 * Settles a call of unknown outcome: the model reads so, or a person decides if the agent's configuration says `ask`.
 */
function settleUnknown(turn: Turn, call: BatchCall): void {
  if (turn.state.facts.agent.config.on_unknown !== "ask") return turn.settle(call, unknownOutcome(call.tool));
  turn.replace({ ...call, wait: { kind: "unknown", since: turn.now } });
  turn.ledger.push({ kind: "mark", callId: call.id, state: "unknown" });
  turn.emit("call.unknown", { step: turn.state.step, call_id: call.id, tool: call.tool });
}

/**
 * Ends the tool phase. The next alarm recovers calls that started and reported nothing, as after a crash. Calls that
 * have not started are due at once, such as one that was approved meanwhile.
 */
export function endActing(turn: Turn): void {
  settleCutOffModelUse(turn);
  const left = findReachable(turn.state.batch);
  // A runner of an earlier release reads no file hashes: to call it again at once would be a busy loop.
  if (left.some((call) => wasCutOff(call) || mustBeBound(call))) {
    turn.set({ phase: { name: "acting", incarnation: "", since: turn.now } });
  } else if (left.length > 0) turn.set({ phase: { name: "prepared" } });
  else advance(turn);
}

/**
 * Takes back the stored attempts of a runner call that the runner refused before anything began. The next alarm repeats
 * it.
 */
export function refusePhase(turn: Turn, callIds: readonly string[]): void {
  for (const call of turn.state.batch) {
    if (!canRun(call) || call.attempts === 0 || !callIds.includes(call.id)) continue;
    settleModelUse(turn, call, NO_USAGE);
    turn.takeBackAttempt(getCall(turn, call));
  }
  const { phase } = turn.state;
  if (phase.name === "acting") turn.set({ phase: { ...phase, incarnation: "", since: turn.now } });
  if (phase.name === "condensing") {
    const reserved = { inputTokens: 0, outputTokens: 0, costMicros: 0 };
    turn.set({ phase: { ...phase, incarnation: "", since: turn.now, reserved } });
  }
}

/** Settles the waits that have expired. */
export function expireWaits(turn: Turn): void {
  for (const call of turn.state.batch) {
    const { wait } = call;
    const endsAt = wait === null ? null : getWaitEnd(wait);
    if (wait === null || endsAt === null || endsAt > turn.now) continue;
    if (hasSettlement(wait)) turn.closeWait(wait.id, "expired", null);
    if (wait.kind === "question" || wait.kind === "approval") {
      const fields =
        wait.kind === "question"
          ? { ...toQuestionFields(wait), answer: wait.defaultAnswer }
          : { tool: call.tool, ...toDecidesField(wait) };
      turn.emit(`${wait.kind}.expired`, { [`${wait.kind}_id`]: wait.id, call_id: call.id, ...fields });
    }
    if (wait.kind === "question" && wait.state !== undefined) {
      resumeCall(turn, call, { state: wait.state, answer: wait.defaultAnswer });
    } else {
      // An earlier attempt of a retried call may have happened.
      const mayHaveHappened = wait.kind === "approval" && call.attempts > 0;
      turn.settle(call, mayHaveHappened ? unknownOutcome(call.tool) : expiredOutcome(wait));
    }
  }
  advance(turn);
}
