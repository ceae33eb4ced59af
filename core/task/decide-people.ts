/** What people send to a task: messages, answers and decisions. */
import type { Failure } from "../base/errors.ts";
import { answerQuestion, decideApproval, decideUnknown } from "./answers.ts";
import type { Command } from "./commands.ts";
import { skipConnection } from "./connections.ts";
import { addMessage } from "./messages.ts";
import type { Turn } from "./turn.ts";

/** A command that a person sends. */
type PersonCommand = Extract<
  Command,
  { readonly type: "message" | "answer" | "approval_decided" | "unknown_decided" | "skip_connection" }
>;

/** Applies a person's command, or returns why it is refused. */
export function applyPersonCommand(turn: Turn, command: PersonCommand): Failure | null {
  switch (command.type) {
    case "message":
      return addMessage(turn, command);
    case "answer":
      return answerQuestion(turn, command);
    case "approval_decided":
      return decideApproval(turn, command);
    case "unknown_decided":
      return decideUnknown(turn, command);
    case "skip_connection":
      return skipConnection(turn, command);
  }
}
