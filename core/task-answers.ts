/** What people decide: answers to questions and decisions on approvals. Each counts once. */
import type { Failure } from "./errors.ts";
import { failedOutcome } from "./ledger.ts";
import { advance } from "./task-batch.ts";
import type { Command, SettledWait } from "./task-state.ts";
import type { Turn } from "./turn.ts";
import { answeredOutcome, callWaitingOn } from "./waits.ts";

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
    answer: command.answer,
    by: command.by,
  });
  turn.settle(call, answeredOutcome(command.answer, command.by));
  advance(turn);
  return null;
}

/** A decision on an approval (a failure: it is refused): approved, the call runs; refused, the model reads why. */
export function decideApproval(turn: Turn, command: Extract<Command, { type: "approval_decided" }>): Failure | null {
  const call = callWaitingOn(turn.state.batch, "approval", command.approval);
  if (call?.wait?.kind !== "approval") return whyOver(turn, command.approval, "approval");
  const { expiresAt } = call.wait;
  if (expiresAt !== null && expiresAt <= turn.now) return { code: "gone", message: "The approval has expired." };
  turn.closeWait(command.approval, "answered", command.by);
  const { decision, reason, by } = command;
  turn.emit("approval.decided", { approval_id: command.approval, call_id: call.id, decision, reason, by });
  if (decision === "approve") turn.replace({ ...call, wait: null });
  else
    turn.settle(
      call,
      failedOutcome("refused", "permission_denied", `A person refused this${reason === null ? "." : `: ${reason}`}`),
    );
  advance(turn);
  return null;
}

/** Why there is nothing to decide under this id. */
function whyOver(turn: Turn, id: string, kind: "question" | "approval"): Failure {
  const settled: SettledWait | undefined = turn.state.settledWaits[id];
  if (settled === undefined) return { code: "not_found", message: `This task has no ${kind} with that id.` };
  switch (settled.outcome) {
    case "answered":
      return {
        code: "conflict",
        message: `The ${kind} was settled already by ${settled.by ?? "somebody"}.`,
        details: { by: settled.by },
      };
    case "expired":
      return { code: "gone", message: `The ${kind} has expired.` };
    case "closed":
      return { code: "gone", message: `The task ended before the ${kind} was settled.` };
  }
}
