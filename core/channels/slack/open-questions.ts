/** Decides which question a message in Slack answers. Only questions: an approval is decided by its buttons. */
import { findDecisionRefusal } from "../../people/who-may.ts";
import type { PersonRecord } from "../../people/person.ts";
import type { PendingView } from "../../task/view.ts";

export type OpenQuestion = Extract<PendingView, { kind: "question" }>;

type Writer = Pick<PersonRecord, "id" | "mayAnswer" | "mayApprove">;

/** A question that was open when the message arrived. `pending` is null if it has ended since. */
export interface QuestionThen {
  readonly id: string;
  readonly pending: OpenQuestion | null;
}

/** `several`: Otto asks which is meant. `open` are those that are still open. */
export type QuestionChoice =
  | { readonly kind: "none" }
  | { readonly kind: "one"; readonly question: QuestionThen }
  | { readonly kind: "several"; readonly open: readonly OpenQuestion[] };

/**
 * Chooses the question that a message answers: the only one that was open to its writer when it arrived. What ended since
 * counts, so that a repeated message chooses no other question than before.
 */
export function chooseQuestion(writer: Writer, then: readonly QuestionThen[]): QuestionChoice {
  const own = then.filter(({ pending }) => pending === null || isOpenTo(writer, pending));
  const [question, ...others] = own;
  if (question === undefined) return { kind: "none" };
  if (others.length === 0) return { kind: "one", question };
  return { kind: "several", open: own.flatMap(({ pending }) => pending ?? []) };
}

/** Whether the question is this person's to answer: nobody else's, and the person may. */
export function isOpenTo(writer: Writer, question: OpenQuestion): boolean {
  const isForOther = question.person_id !== undefined && question.person_id !== writer.id;
  return !isForOther && findDecisionRefusal(writer, "question", question) === null;
}

/** Whether a message was posted before another one. Both are Slack's `ts`. */
export function isBefore(ts: string, other: string): boolean {
  return Number(ts) < Number(other);
}

/** A text as an answer: one of the choices in any case, or text. */
export function toAnswer(
  text: string,
  choices: readonly string[] | null,
): { readonly text: string } | { readonly choice: string } {
  const choice = choices?.find((one) => one.toLowerCase() === text.trim().toLowerCase());
  return choice === undefined ? { text } : { choice };
}
