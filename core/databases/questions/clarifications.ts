/** Gives the needs of a question ids that say what they are about: a later call sends its answers with these ids alone. Pure. */
import type { Need } from "./answer-question.ts";

const MAX_CHARACTERS = 60;

/** A need with an id. */
export interface Clarification {
  readonly id: string;
  readonly question: string;
  readonly options: string[];
}

/** The id is the question in lower case, with _ between its words. Equal ones get a number. */
export function toClarifications(needs: readonly Need[]): Clarification[] {
  const taken = new Set<string>();
  return needs.map(({ question, options }) => {
    const words = question
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? ["question"];
    const plain = Array.from(words.join("_")).slice(0, MAX_CHARACTERS).join("");
    let id = plain;
    for (let more = 2; taken.has(id); more += 1) id = `${plain}_${more}`;
    taken.add(id);
    return { id, question, options: [...options] };
  });
}
