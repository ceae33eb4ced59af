/** Who may answer a question, and who may decide an approval. */
import type { PendingView } from "../task/view.ts";
import type { PersonRecord } from "./person.ts";

type Voter = Pick<PersonRecord, "id" | "mayAnswer" | "mayApprove">;

/**
 * Why a person may not decide what a task waits for, in a sentence for that person; null: this person may. `pending` null:
 * it is over, or not known any more.
 */
export function whyMayNot(person: Voter, kind: "question" | "approval", pending: PendingView | null): string | null {
  if (person.mayApprove) return null;
  if (kind === "approval") return "You may not approve this. Ask somebody who may, or an administrator to allow it.";
  if (!person.mayAnswer) return "Your answers do not count here. Ask an administrator to allow them.";
  if (pending?.kind !== "question" || pending.person_id === undefined || pending.person_id === person.id) return null;
  return `This question is for ${pending.person ?? "somebody else"}.`;
}
