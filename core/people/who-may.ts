/** Who may answer a question, and who may decide an approval. */
import type { PendingView } from "../task/view.ts";
import { explainOwner } from "../task/waits.ts";
import type { PersonRecord } from "./person.ts";

type Voter = Pick<PersonRecord, "id" | "mayAnswer" | "mayApprove">;

/**
 * Why a person may not decide, in a sentence for that person; null when allowed. `person` is null for a key that belongs
 * to no person, whose scopes alone decide. `pending` is null when it has ended or is unknown.
 *
 * The owner of the account that a call uses comes first: the owner decides, and others who may approve only if the owner
 * delegates.
 */
export function findDecisionRefusal(
  person: Voter | null,
  kind: "question" | "approval",
  pending: PendingView | null,
): string | null {
  const owner = pending?.kind === "approval" ? (pending.decides ?? null) : null;
  if (owner !== null) {
    const isDelegate = owner.delegates && person?.mayApprove === true;
    return person?.id === owner.person_id || isDelegate ? null : explainOwner(owner.name);
  }
  if (person === null || person.mayApprove) return null;
  if (kind === "approval")
    return "You cannot approve this. Ask a person who can, or ask an administrator for the permission.";
  if (!person.mayAnswer) return "You cannot answer this. Ask an administrator for the permission.";
  if (pending?.kind !== "question" || pending.person_id === undefined || pending.person_id === person.id) return null;
  return `This question is for ${pending.person ?? "somebody else"}.`;
}
