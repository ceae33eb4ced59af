/** Who may answer a question, and who may decide an approval. */
import type { PendingView } from "../task/view.ts";
import type { PersonRecord } from "./person.ts";

type Voter = Pick<PersonRecord, "id" | "mayAnswer" | "mayApprove">;

/**
 * Why a person may not decide, in a sentence for that person; null when allowed. `pending` is null when it has ended or
 * is unknown.
 */
export function findDecisionRefusal(
  person: Voter,
  kind: "question" | "approval",
  pending: PendingView | null,
): string | null {
  if (person.mayApprove) return null;
  if (kind === "approval")
    return "You cannot approve this. Ask a person who can, or ask an administrator for the permission.";
  if (!person.mayAnswer) return "You cannot answer this. Ask an administrator for the permission.";
  if (pending?.kind !== "question" || pending.person_id === undefined || pending.person_id === person.id) return null;
  return `This question is for ${pending.person ?? "somebody else"}.`;
}
