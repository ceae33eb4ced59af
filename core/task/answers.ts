/** Decisions of people: answers to questions, approvals, and unknown outcomes. Each decision counts once. */
import { getOwn } from "../base/own-field.ts";
import { getApprovalExpiryMs } from "../agents/agent.ts";
import { failed, type Failure } from "../base/errors.ts";
import type { Actor } from "../connections/actors.ts";
import { hashApproved } from "../gateway/bind-files.ts";
import { pickTerms } from "./key-lifetime.ts";
import { confirmedOutcome, failedOutcome, unknownOutcome } from "./ledger.ts";
import { advance } from "./advance.ts";
import type { ApprovalDecision, Command, RevisedCall } from "./commands.ts";
import type { BatchCall } from "./state.ts";
import type { Resumed } from "../tool/tool.ts";
import type { Turn } from "./turn.ts";
import { formatFile } from "./view.ts";
import type { SettledWait, Wait } from "./wait.ts";
import { answeredOutcome, explainOwner, findWaitingCall, toDecidesField, toQuestionFields } from "./waits.ts";

type ApprovalWait = Extract<Wait, { kind: "approval" }>;

/**
 * Applies an answer to a question, or returns why it is refused. The first answer counts; a later one is a conflict
 * that names who was first.
 */
export function answerQuestion(turn: Turn, command: Extract<Command, { type: "answer" }>): Failure | null {
  const call = findWaitingCall(turn.state.batch, "question", command.question);
  if (call?.wait?.kind !== "question") return explainSettled(turn, command.question, "question");
  const { choices, expiresAt } = call.wait;
  if (expiresAt !== null && expiresAt <= turn.now) return { code: "gone", message: "The question has expired." };
  if (command.isChoice && !choices?.includes(command.answer)) {
    const message =
      choices === null ? "The question has no choices: answer with text." : `Choose one of: ${choices.join(", ")}.`;
    return { code: "invalid_input", message, field: "choice" };
  }
  turn.closeWait(command.question, "answered", command.by);
  turn.addActor(toActor(command));
  turn.emit("question.answered", {
    question_id: command.question,
    call_id: call.id,
    ...toQuestionFields(call.wait),
    answer: command.answer,
    by: command.by,
    by_person_id: command.person ?? null,
  });
  const { state } = call.wait;
  if (state === undefined) turn.settle(call, answeredOutcome(command.answer, command.by));
  else resumeCall(turn, call, { state, answer: command.answer });
  advance(turn);
  return null;
}

/** The author of an answer or a decision. Without an id, the author is unknown. */
function toActor({ by, person = null }: { readonly by: string; readonly person?: string | null }): Actor {
  return { person, name: by };
}

/** Runs a call again with a person's answer. The call asked instead of acting, so no attempt of it happened. */
export function resumeCall(turn: Turn, call: BatchCall, answered: Pick<Resumed, "state" | "answer">): void {
  const resumed = { ...answered, questions: (call.resumed?.questions ?? 0) + 1 };
  const { sentAt: _, ...unsent } = call;
  turn.replace({ ...unsent, wait: null, attempts: 0, resumed });
}

/**
 * Applies a decision on an approval, or returns why it is refused. An approved call runs with exactly the approved
 * arguments, which the person may have changed. The model reads why a call was refused.
 */
export function decideApproval(turn: Turn, command: Extract<Command, { type: "approval_decided" }>): Failure | null {
  const call = findWaitingCall(turn.state.batch, "approval", command.approval);
  if (call?.wait?.kind !== "approval") return explainSettled(turn, command.approval, "approval");
  const { expiresAt } = call.wait;
  if (expiresAt !== null && expiresAt <= turn.now) return { code: "gone", message: "The approval has expired." };
  const refused = refuseOthers(call.wait, command);
  if (refused !== null) return refused;
  const { decision, revised, reason, by } = command;
  if (revised !== null && revised.revisedFrom !== call.argumentsHash) {
    return { code: "conflict", message: "The approval is for other arguments than these were made from." };
  }
  const isApproved = decision === "approve";
  const decided = revised === null || !isApproved ? call : reviseCall(turn, call, revised);
  const { consent } = isApproved ? getConsent(turn, decided, call.wait, revised) : {};
  const files = consent === undefined ? call.wait.files : (consent.approved ?? []);
  turn.closeWait(command.approval, "answered", by);
  // The model reads changed arguments and the reason of a refusal, and nothing of another decision.
  if (revised !== null || reason !== null) turn.addActor(toActor(command));
  turn.emit("approval.decided", {
    approval_id: command.approval,
    call_id: call.id,
    tool: call.tool,
    decision,
    reason,
    by,
    by_person_id: command.person ?? null,
    arguments_hash: decided.argumentsHash,
    approved_hash: hashApproved(decided.argumentsHash, files),
    ...toDecidesField(call.wait),
    ...(files === undefined || files.length === 0 ? {} : { files: files.map(formatFile) }),
    ...(revised === null ? {} : { arguments: revised.arguments }),
  });
  if (isApproved) {
    const byOwner = markOwnersApproval(decided, call.wait, command);
    turn.replace({ ...decided, wait: null, ...(consent === undefined ? {} : { consent }), ...byOwner });
  }
  // An earlier attempt of a retried call may have happened.
  else if (call.attempts > 0) turn.settle(call, unknownOutcome(call.tool));
  else {
    const why = reason === null ? "." : `: ${reason}`;
    turn.settle(call, failedOutcome("refused", "permission_denied", `A person refused this${why}`));
  }
  advance(turn);
  return null;
}

/**
 * Returns why a decision is not this person's; null if it is. The owner of the call's account decides, from any channel;
 * others who may approve only if the owner delegates.
 */
export function refuseOthers(
  { owner }: Pick<ApprovalWait, "owner">,
  { person = null, mayApprove = false }: Pick<ApprovalDecision, "person" | "mayApprove">,
): Failure | null {
  if (owner === undefined || person === owner.person) return null;
  if (owner.mayDelegate && mayApprove && person !== null) return null;
  return { code: "forbidden", message: explainOwner(owner.name) };
}

/** What the owner approved needs no other approval of the owner, also after others write to the task. */
function markOwnersApproval(
  { accountRounds }: BatchCall,
  { owner }: ApprovalWait,
  { person = null }: Extract<Command, { type: "approval_decided" }>,
): Pick<BatchCall, "accountRounds"> {
  if (accountRounds === undefined || owner === undefined || owner.person !== person) return {};
  return { accountRounds: { ...accountRounds, isApprovedByOwner: true } };
}

/**
 * Returns the file content that an approval covers: the shown content of files on the card, and for files in the person's
 * own arguments the content at their check. A runner of an earlier release checks none: the call asks again.
 */
function getConsent(
  turn: Turn,
  { consent }: BatchCall,
  wait: ApprovalWait,
  revised: RevisedCall | null,
): Pick<BatchCall, "consent"> {
  const { files = [], reason, owner } = wait;
  if (consent === undefined && (revised?.files ?? []).length === 0) return {};
  const named = revised === null ? files : (revised.files ?? null);
  const approved = named?.map((file) => files.find(({ path }) => path === file.path) ?? file) ?? null;
  // The first arguments named no file: other content is requested as the first approval.
  const decides = owner === undefined ? {} : { owner };
  const request = consent ?? { reason, expiresInMs: getDecisionTimeMs(turn, wait), rounds: 1, ...decides };
  return { consent: { ...request, approved } };
}

/** Returns how long a person had to decide, in ms. A wait of an earlier release does not store when it began. */
function getDecisionTimeMs({ state }: Turn, { expiresAt, since }: ApprovalWait): number {
  return expiresAt === null || since === undefined
    ? getApprovalExpiryMs(state.facts.agent.config.approval)
    : expiresAt - since;
}

/** Applies a person's decision on a call of unknown outcome, or returns why it is refused. */
export function decideUnknown(turn: Turn, command: Extract<Command, { type: "unknown_decided" }>): Failure | null {
  const { callId, decision, by } = command;
  const call = turn.state.batch.find(({ id }) => id === callId);
  if (call?.wait?.kind !== "unknown") {
    return { code: "conflict", message: "The task does not wait for a decision on this call." };
  }
  if (decision === "retry") {
    turn.replace({ ...call, wait: null, mayRepeat: true });
    turn.ledger.push({ kind: "mark", callId, state: "intended" });
  } else if (decision === "done") {
    turn.settle(call, confirmedOutcome({ decided: "done", by }, "A person says that this was done.", 0));
  } else {
    const message = "It is unknown whether this happened, and a person decided to skip it. Continue without it.";
    turn.settle(call, failedOutcome("unknown", "outcome_unknown", message));
  }
  advance(turn);
  return null;
}

/** Replaces the model's arguments with a person's. The result tells the model. */
function reviseCall(turn: Turn, call: BatchCall, revised: RevisedCall & { readonly note: string }): BatchCall {
  const { argumentsHash, effect, note, hasUploads = false } = revised;
  const { touches = call.touches, security = call.security } = revised;
  turn.ledger.push({ kind: "revise", callId: call.id, arguments: revised.arguments, argumentsHash, effect });
  const { keyedForMs: _, canProbe: __, uploads: ___, asks: ____, ...rest } = call;
  const uploads = hasUploads ? { uploads: null } : {};
  return {
    ...rest,
    argumentsHash,
    ...pickTerms(revised),
    note,
    ...uploads,
    ...(touches === undefined ? {} : { touches }),
    ...(security === undefined ? {} : { security }),
    ...(revised.asks === undefined ? {} : { asks: revised.asks }),
  };
}

/** Explains why nothing is open under this id. */
export function explainSettled(
  turn: Turn,
  id: string,
  kind: "question" | "approval" | "request to connect an account",
): Failure {
  const settled: SettledWait | undefined = getOwn(turn.state.settledWaits, id);
  if (settled === undefined) return { code: "not_found", message: `This task has no ${kind} with that id.` };
  switch (settled.outcome) {
    case "answered":
      return failed("conflict", `The ${kind} was settled already by ${settled.by ?? "somebody"}.`, {
        ...(settled.by === null ? {} : { cause: { kind: "decided", by: settled.by } }),
        details: { by: settled.by },
      }).error;
    case "expired":
      return { code: "gone", message: `The ${kind} has expired.` };
    case "replaced":
      return {
        code: "gone",
        message: `The ${kind} was requested again, with another account or the content of its files. Decide the new one.`,
      };
    case "closed":
      return { code: "gone", message: `The task ended before the ${kind} was settled.` };
  }
}

/** Characters of the arguments that a note quotes; the ledger has all of them. */
const NOTE_CHARACTERS = 500;

/** Returns the note that the model reads before the result of a call whose arguments a person changed. */
export function formatRevisionNote(given: unknown): string {
  const text = JSON.stringify(given);
  const quoted = text.length > NOTE_CHARACTERS ? `${text.slice(0, NOTE_CHARACTERS)}…` : text;
  return `A person approved this with other arguments, and the call ran with them: ${quoted.toWellFormed()}`;
}
