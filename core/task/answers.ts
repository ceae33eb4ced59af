/** What people decide: answers to questions and decisions on approvals and on unknown outcomes. Each counts once. */
import { getOwn } from "../base/own-field.ts";
import { approvalExpiryMs } from "../agents/agent.ts";
import type { Failure } from "../base/errors.ts";
import { hashApproved } from "../gateway/bind-files.ts";
import { pickTerms } from "./key-lifetime.ts";
import { confirmedOutcome, failedOutcome, unknownOutcome } from "./ledger.ts";
import { advance } from "./advance.ts";
import type { Command, RevisedCall } from "./commands.ts";
import type { BatchCall, SettledWait, Wait } from "./state.ts";
import type { Resumed } from "../tool/tool.ts";
import type { Turn } from "./turn.ts";
import { formatFile } from "./view.ts";
import { answeredOutcome, callWaitingOn, toldOfQuestion } from "./waits.ts";

type ApprovalWait = Extract<Wait, { kind: "approval" }>;

/** An answer to a question (a failure: it is refused): the first counts, a later one is a conflict that says who was first. */
export function answerQuestion(turn: Turn, command: Extract<Command, { type: "answer" }>): Failure | null {
  const call = callWaitingOn(turn.state.batch, "question", command.question);
  if (call?.wait?.kind !== "question") return whyOver(turn, command.question, "question");
  const { choices, expiresAt } = call.wait;
  if (expiresAt !== null && expiresAt <= turn.now) return { code: "gone", message: "The question has expired." };
  if (command.isChoice && !choices?.includes(command.answer)) {
    const message =
      choices === null ? "The question has no choices: answer with text." : `Choose one of: ${choices.join(", ")}.`;
    return { code: "invalid_input", message, field: "choice" };
  }
  turn.closeWait(command.question, "answered", command.by);
  turn.emit("question.answered", {
    question_id: command.question,
    call_id: call.id,
    ...toldOfQuestion(call.wait),
    answer: command.answer,
    by: command.by,
  });
  const { state } = call.wait;
  if (state === undefined) turn.settle(call, answeredOutcome(command.answer, command.by));
  else goOn(turn, call, { state, answer: command.answer });
  advance(turn);
  return null;
}

/** Makes a call again that asked a person instead of doing anything: no attempt of it can have happened. */
export function goOn(turn: Turn, call: BatchCall, answered: Pick<Resumed, "state" | "answer">): void {
  const resumed = { ...answered, questions: (call.resumed?.questions ?? 0) + 1 };
  const { sentAt: _, ...unsent } = call;
  turn.replace({ ...unsent, wait: null, attempts: 0, resumed });
}

/**
 * A decision on an approval (a failure: it is refused): approved, the call runs with exactly the arguments that were shown,
 * or with those that the person put in their place; refused, the model reads why.
 */
export function decideApproval(turn: Turn, command: Extract<Command, { type: "approval_decided" }>): Failure | null {
  const call = callWaitingOn(turn.state.batch, "approval", command.approval);
  if (call?.wait?.kind !== "approval") return whyOver(turn, command.approval, "approval");
  const { expiresAt } = call.wait;
  if (expiresAt !== null && expiresAt <= turn.now) return { code: "gone", message: "The approval has expired." };
  const { decision, revised, reason, by } = command;
  if (revised !== null && revised.revisedFrom !== call.argumentsHash) {
    return { code: "conflict", message: "The approval is for other arguments than these were made from." };
  }
  const isApproved = decision === "approve";
  const decided = revised === null || !isApproved ? call : revise(turn, call, revised);
  const { consent } = isApproved ? consentTo(turn, decided, call.wait, revised) : {};
  const files = consent === undefined ? call.wait.files : (consent.approved ?? []);
  turn.closeWait(command.approval, "answered", by);
  turn.emit("approval.decided", {
    approval_id: command.approval,
    call_id: call.id,
    tool: call.tool,
    decision,
    reason,
    by,
    arguments_hash: decided.argumentsHash,
    approved_hash: hashApproved(decided.argumentsHash, files),
    ...(files === undefined || files.length === 0 ? {} : { files: files.map(formatFile) }),
    ...(revised === null ? {} : { arguments: revised.arguments }),
  });
  if (isApproved) turn.replace({ ...decided, wait: null, ...(consent === undefined ? {} : { consent }) });
  // Of a retry, an earlier attempt may have happened.
  else if (call.attempts > 0) turn.settle(call, unknownOutcome(call.tool));
  else {
    const why = reason === null ? "." : `: ${reason}`;
    turn.settle(call, failedOutcome("refused", "permission_denied", `A person refused this${why}`));
  }
  advance(turn);
  return null;
}

/**
 * Returns the file content that an approval covers: the shown content of files on the card, and for files in the person's
 * own arguments the content at their check. A runner of an earlier release checks none: the call asks again.
 */
function consentTo(
  turn: Turn,
  { consent }: BatchCall,
  wait: ApprovalWait,
  revised: RevisedCall | null,
): Pick<BatchCall, "consent"> {
  const { files = [], reason } = wait;
  if (consent === undefined && (revised?.files ?? []).length === 0) return {};
  const named = revised === null ? files : (revised.files ?? null);
  const approved = named?.map((file) => files.find(({ path }) => path === file.path) ?? file) ?? null;
  // Arguments that named no file when the person was asked: other content is asked about as the first time.
  const asked = consent ?? { reason, expiresInMs: timeToDecideMs(turn, wait), rounds: 1 };
  return { consent: { ...asked, approved } };
}

/** How long a person had to decide, in ms. A wait of an earlier release does not say when it began. */
function timeToDecideMs({ state }: Turn, { expiresAt, since }: ApprovalWait): number {
  return expiresAt === null || since === undefined
    ? approvalExpiryMs(state.facts.agent.config.approval)
    : expiresAt - since;
}

/** A person's word on a call whose outcome nobody knows (a failure: it is refused). */
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
    const message = "Nobody knows whether this happened, and a person decided to leave it at that. Go on without it.";
    turn.settle(call, failedOutcome("unknown", "outcome_unknown", message));
  }
  advance(turn);
  return null;
}

/** Puts a person's arguments in the place of those that were asked for; the model is told with the result. */
function revise(turn: Turn, call: BatchCall, revised: RevisedCall & { readonly note: string }): BatchCall {
  const { argumentsHash, effect, note, touches = call.touches } = revised;
  turn.ledger.push({ kind: "revise", callId: call.id, arguments: revised.arguments, argumentsHash, effect });
  const { keyedForMs: _, canProbe: __, ...rest } = call;
  return { ...rest, argumentsHash, ...pickTerms(revised), note, ...(touches === undefined ? {} : { touches }) };
}

/** Why there is nothing to decide under this id. */
function whyOver(turn: Turn, id: string, kind: "question" | "approval"): Failure {
  const settled: SettledWait | undefined = getOwn(turn.state.settledWaits, id);
  if (settled === undefined) return { code: "not_found", message: `This task has no ${kind} with that id.` };
  switch (settled.outcome) {
    case "answered":
      return {
        code: "conflict",
        message: `The ${kind} was settled already by ${settled.by ?? "somebody"}.`,
        ...(settled.by === null ? {} : { cause: { kind: "decided", by: settled.by } }),
        details: { by: settled.by },
      };
    case "expired":
      return { code: "gone", message: `The ${kind} has expired.` };
    case "replaced":
      return {
        code: "gone",
        message: `The ${kind} was requested again, with the content of its files. Decide the new one.`,
      };
    case "closed":
      return { code: "gone", message: `The task ended before the ${kind} was settled.` };
  }
}

/** Characters of the arguments that a note quotes; the ledger has them whole. */
const NOTE_CHARACTERS = 500;

/** What the model reads before the result of a call whose arguments a person changed. */
export function revisionNote(given: unknown): string {
  const text = JSON.stringify(given);
  const quoted = text.length > NOTE_CHARACTERS ? `${text.slice(0, NOTE_CHARACTERS)}…` : text;
  return `A person approved this with other arguments, and it was done with those: ${quoted.toWellFormed()}`;
}
