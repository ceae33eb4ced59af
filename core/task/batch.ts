/** The calls of one step: how a batch opens, runs, is taken up after a crash, and ends the step when all are settled. */
import { HOP_TIMEOUT_MS, timeLeftMs } from "./budget.ts";
import { confirmedOutcome, failedOutcome, intend, unknownOutcome } from "./ledger.ts";
import type { Failure } from "../base/errors.ts";
import { hashApproved, sameFiles } from "../gateway/bind-files.ts";
import { markSent, pickTerms, toKeyFacts } from "./key-lifetime.ts";
import { chooseRecovery, giveUp } from "../gateway/outcome.ts";
import { dispatch } from "./subtasks.ts";
import { HeldResources } from "./call-order.ts";
import { advance, canRun, findRunnable, isOpen } from "./advance.ts";
import { goOn } from "./answers.ts";
import type { CallOutcome, Command, PreparedCall } from "./commands.ts";
import type { CallToMake } from "./decision.ts";
import { labelName, OUTSIDE } from "../provenance/label.ts";
import { finish, load } from "./skills.ts";
import type { Attachment, BatchCall } from "./state.ts";
import { formatFile } from "./view.ts";
import type { BoundFile } from "../sandbox/bind-copy.ts";
import type { Turn } from "./turn.ts";
import { derivedId } from "../base/ids.ts";
import { expiredOutcome, openWait, toldOfQuestion, waitEndsAt } from "./waits.ts";

/** Files that one task may deliver. */
const MAX_ATTACHMENTS = 500;
/** Attempts of one call that may be cut off before it is given up. */
const MAX_CALL_ATTEMPTS = 50;

/** Writes the batch of a step. A call that hop one made has had its attempt. */
export function openBatch(turn: Turn, calls: readonly PreparedCall[]): void {
  const { step, usage, repeat } = turn.state;
  const batch = calls.map((call): BatchCall => {
    const { id, tool, argumentsHash, outcome } = call;
    const attempts = outcome !== null && outcome.state !== "refused" ? 1 : 0;
    const rest = { wait: null, note: null, mayRepeat: false, toSummarise: false } as const;
    const copies = call.copiesRecord === undefined ? {} : { copiesRecord: call.copiesRecord };
    const dispatches = call.dispatches === true ? { dispatches: true, ...copies } : {};
    const label = turn.state.steeredBy;
    const { approval } = call;
    const isAsked = outcome === null && approval !== null && call.namesFiles === true;
    const consent = isAsked ? { consent: { ...approval, rounds: 0, approved: null } } : {};
    const touches = call.touches === undefined || call.touches.length === 0 ? {} : { touches: call.touches };
    const entry = { id, tool, ...pickTerms(call), argumentsHash, state: "intended", attempts, label } as const;
    const files = call.namesFiles === true ? { namesFiles: true } : {};
    return { ...entry, ...rest, ...touches, ...files, ...consent, ...dispatches };
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
    turn.ledger.push({ kind: "insert", row: intend(call, step, index, entry?.attempts ?? 0, turn.now) });
    const { id, tool, effect } = call;
    const label = labelName(entry?.label ?? OUTSIDE);
    turn.emit("call.started", { step, call_id: id, tool, arguments: call.arguments, effect, label });
  }
  for (const { call, entry } of opened) {
    if (entry === undefined) continue;
    if (call.outcome !== null) applyOutcome(turn, entry, call.outcome);
    else if (call.approval !== null && entry.consent === undefined) askApproval(turn, entry, call, call.approval);
  }
}

/** The call waits for a person's yes to exactly these arguments. */
function askApproval(
  turn: Turn,
  entry: BatchCall,
  { id, tool, arguments: given, argumentsHash }: Pick<PreparedCall, "id" | "tool" | "arguments" | "argumentsHash">,
  { reason, expiresInMs }: NonNullable<PreparedCall["approval"]>,
  bound: readonly BoundFile[] = [],
) {
  const expiresAt = turn.now + expiresInMs;
  const approvalId = derivedId("approval", id, entry.consent?.rounds ?? 0);
  const files = bound.length === 0 ? {} : { files: bound };
  turn.replace({ ...entry, wait: { kind: "approval", id: approvalId, reason, expiresAt, since: turn.now, ...files } });
  turn.emit("approval.requested", {
    step: turn.state.step,
    call_id: id,
    approval_id: approvalId,
    tool,
    arguments: given,
    arguments_hash: argumentsHash,
    approved_hash: hashApproved(argumentsHash, bound),
    reason,
    expires_at: new Date(expiresAt).toISOString(),
    ...(bound.length === 0 ? {} : { files: bound.map(formatFile) }),
  });
}

/**
 * Requests the approval of a call with the known content of its files. Nothing was sent. After an approval of other content,
 * the reason names the file that changed.
 */
function askAboutFiles(
  turn: Turn,
  call: BatchCall,
  { files, arguments: given }: Extract<Command, { type: "call_bound" }>,
): void {
  const { consent } = call;
  if (consent === undefined) return;
  const before = new Map(consent.approved?.map((file) => [file.path, file]));
  const changed = files.find((file) => !sameFiles([before.get(file.path) ?? file], [file]));
  const reason = changed === undefined ? consent.reason : `${consent.reason} ${describeChange(changed)}`;
  const attempts = countEarlierAttempts(call);
  if (call.attempts !== attempts) turn.ledger.push({ kind: "attempt", callId: call.id, attempts });
  const uncounted = { ...call, attempts, mayRepeat: attempts > 0 };
  askApproval(turn, uncounted, { ...call, arguments: given }, { ...consent, reason }, files);
  const asked = turn.state.batch.find(({ id }) => id === call.id);
  if (asked !== undefined)
    turn.replace({ ...asked, consent: { ...consent, approved: null, rounds: consent.rounds + 1 } });
  advance(turn);
}

/** The attempts that may have happened: of a person's retry the earlier ones, and not the one that brought the content. */
function countEarlierAttempts({ attempts, effect, consent }: BatchCall): number {
  if (effect === "none") return 0;
  return consent?.approved === null ? attempts : Math.max(0, attempts - 1);
}

function describeChange({ path, fileCount }: BoundFile): string {
  if (fileCount === undefined) return `${path} changed after it was approved.`;
  return `${path === "./" ? "The files that it is given" : `Files in ${path}`} changed after they were approved.`;
}

/**
 * Makes every call that can run the work of hop two. Only the calls that start at once have their attempts stored with
 * this decision: of a batch that a crash cuts off, the others cannot have left. Calls without an effect are repeated
 * freely: the runner starts them without asking, and their attempts are stored when they settle.
 */
export function beginActing(turn: Turn, incarnation: string): void {
  const { step } = turn.state;
  settleCutOff(turn);
  const { batch } = turn.state;
  const first = new Set(findRunnable(batch).slice(0, turn.maxParallel));
  const calls: CallToMake[] = [];
  const later: CallToMake[] = [];
  for (const call of findReachable(batch)) {
    const isUnbound = call.consent?.approved === null;
    const mode = isUnbound ? "bind" : wasCutOff(call) && chooseRecovery(call, turn.now) === "probe" ? "probe" : "run";
    const key = toKeyFacts({ ...call, ...markSent(call, turn.now) });
    const retry = call.mayRepeat ? { isRetry: true } : {};
    const toMake: CallToMake = { callId: call.id, mode, attempt: call.attempts + 1, ...retry, ...key };
    const startsNow = first.has(call) && !isUnbound;
    if (startsNow) turn.countAttempt(call);
    (startsNow || (call.effect === "none" && !isUnbound) ? calls : later).push(toMake);
  }
  if (calls.length + later.length === 0) return advance(turn);
  turn.set({ phase: { name: "acting", incarnation, since: turn.now } });
  turn.useLeave();
  const timeoutMs = Math.min(HOP_TIMEOUT_MS, timeLeftMs(turn.state, turn.now));
  turn.work = { kind: "act", step, calls, later, timeoutMs };
}

/** Settles the calls that were cut off and that their effect class does not allow to repeat. */
function settleCutOff(turn: Turn): void {
  for (const call of turn.state.batch) {
    if (!canRun(call)) continue;
    if (wasCutOff(call) && chooseRecovery(call, turn.now) === "unknown") {
      settleUnknown(turn, call);
    } else if (call.attempts >= MAX_CALL_ATTEMPTS) {
      const gaveUp = failedOutcome("failed", "internal", `The call was cut off ${call.attempts} times.`);
      turn.settle(call, giveUp(call.effect !== "none") === "unknown" ? unknownOutcome(call.tool) : gaveUp);
    }
  }
}

function wasCutOff({ attempts, mayRepeat }: BatchCall): boolean {
  return attempts > 0 && !mayRepeat;
}

/** Returns the calls that one hop can make, in order: neither they nor the earlier calls that they follow are waiting. */
function findReachable(batch: readonly BatchCall[]): BatchCall[] {
  const held = new HeldResources();
  return batch.filter(isOpen).filter((call) => {
    const isReachable = call.wait === null && !held.blocks(call);
    if (!isReachable) held.add(call);
    return isReachable;
  });
}

/**
 * Counts the attempts of calls that the runner is about to start: from now on each of them may have left. A call that an
 * earlier one still blocks is not counted, and so not granted.
 */
export function startCalls(turn: Turn, callIds: readonly string[]): void {
  for (const call of findRunnable(turn.state.batch)) {
    if (callIds.includes(call.id) && call.consent?.approved !== null) turn.countAttempt(call);
  }
}

/** A call of the hop under way ended: it settled, or the content of the files that it names is known. */
export function endCall(turn: Turn, command: Extract<Command, { type: "call_settled" | "call_bound" }>): void {
  const call = turn.state.batch.find(({ id }) => id === command.callId);
  if (call === undefined || !canRun(call)) return;
  if (command.type === "call_bound") askAboutFiles(turn, call, command);
  else settleCall(turn, call, command.outcome);
}

/** A call without an effect may not have had its attempt stored yet. */
function settleCall(turn: Turn, call: BatchCall, outcome: CallOutcome): void {
  // A call whose files could not be bound was not attempted.
  if (call.attempts === 0 && call.consent?.approved !== null) turn.countAttempt(call);
  applyOutcome(turn, turn.state.batch.find(({ id }) => id === call.id) ?? call, outcome);
  advance(turn);
}

/** What a call brought: its control opens a wait or marks a file, anything else settles it. */
function applyOutcome(turn: Turn, call: BatchCall, brought: CallOutcome): void {
  // A runner of an earlier release says nothing of labels.
  const outcome = { ...brought, label: brought.label ?? OUTSIDE };
  const { control } = outcome;
  if (control === null) return outcome.state === "unknown" ? settleUnknown(turn, call) : turn.settle(call, outcome);
  if (control.kind === "dispatch") return dispatch(turn, call, control);
  if (control.kind === "load") return load(turn, call, control, outcome.durationMs);
  if (control.kind === "finish") return finish(turn, call, control, outcome.durationMs);
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
        ...toldOfQuestion(wait),
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
      ...toldOfQuestion(control),
      wait: false,
      expires_at: null,
    });
    turn.settle(call, confirmedOutcome({ delivered: true, person }, "The message was delivered.", outcome.durationMs));
  }
}

/** Marks a file for delivery with its content; a file marked twice is delivered once, as it was last. A failure: there are too many. */
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

/** Nobody knows whether the call happened: the model reads that, or a person decides when the agent wants that. */
function settleUnknown(turn: Turn, call: BatchCall): void {
  if (turn.state.facts.agent.config.on_unknown !== "ask") return turn.settle(call, unknownOutcome(call.tool));
  turn.replace({ ...call, wait: { kind: "unknown", since: turn.now } });
  turn.ledger.push({ kind: "mark", callId: call.id, state: "unknown" });
  turn.emit("call.unknown", { step: turn.state.step, call_id: call.id, tool: call.tool });
}

/**
 * Hop two ended. Calls that started and brought nothing were cut off: the next alarm takes them up like after a crash.
 * Calls that have not started, such as one that was approved while the hop was under way, are due at once.
 */
export function endHop(turn: Turn): void {
  const left = findReachable(turn.state.batch);
  // A runner of an earlier release binds no files: asking it again at once would be a busy loop.
  if (left.some((call) => wasCutOff(call) || call.consent?.approved === null)) {
    turn.set({ phase: { name: "acting", incarnation: "", since: turn.now } });
  } else if (left.length > 0) turn.set({ phase: { name: "prepared" } });
  else advance(turn);
}

/**
 * The runner refused the hop before anything began: the attempts that were stored for it did not happen, and the next alarm
 * makes it again, a moment later.
 */
export function refuseHop(turn: Turn, callIds: readonly string[]): void {
  for (const call of turn.state.batch) {
    if (canRun(call) && call.attempts > 0 && callIds.includes(call.id)) turn.takeBackAttempt(call);
  }
  const { phase } = turn.state;
  if (phase.name === "acting") turn.set({ phase: { ...phase, incarnation: "", since: turn.now } });
  if (phase.name === "condensing") {
    const reserved = { inputTokens: 0, outputTokens: 0, costMicros: 0 };
    turn.set({ phase: { ...phase, incarnation: "", since: turn.now, reserved } });
  }
}

/** Settles what has waited long enough. */
export function expireWaits(turn: Turn): void {
  for (const call of turn.state.batch) {
    const { wait } = call;
    const endsAt = wait === null ? null : waitEndsAt(wait);
    if (wait === null || endsAt === null || endsAt > turn.now) continue;
    if (wait.kind === "question" || wait.kind === "approval") {
      turn.closeWait(wait.id, "expired", null);
      const told =
        wait.kind === "question" ? { ...toldOfQuestion(wait), answer: wait.defaultAnswer } : { tool: call.tool };
      turn.emit(`${wait.kind}.expired`, { [`${wait.kind}_id`]: wait.id, call_id: call.id, ...told });
    }
    if (wait.kind === "question" && wait.state !== undefined) {
      goOn(turn, call, { state: wait.state, answer: wait.defaultAnswer });
    } else {
      // Of a retry, an earlier attempt may have happened.
      const mayHaveHappened = wait.kind === "approval" && call.attempts > 0;
      turn.settle(call, mayHaveHappened ? unknownOutcome(call.tool) : expiredOutcome(wait));
    }
  }
  advance(turn);
}
