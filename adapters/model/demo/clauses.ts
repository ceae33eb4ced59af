/**
 * Cuts a request into clauses. Quoted texts and URLs are taken out first, so that nothing inside them is read as a
 * separator or a verb, and stand in the clause as marks.
 */

import { HANDING_OVER, handsOverMore, inlineLists } from "./delegation.ts";

/** Characters of a message that are read; what is beyond is data rather than a request. */
const MAX_CHARACTERS = 4_000;
/** Stands around the number of a mark. A private-use character, removed from the text first. */
const MARK = "\uE000";

const QUOTED = /"([^"]*)"|“([^”]*)”|`([^`]*)`|(?<=^|[\s(:])'([^']+)'(?=$|[\s.,;:!?)])/g;
const URL_TEXT = /https?:\/\/[^\s"'<>]+/gi;
const VERBS =
  "ask|dispatch|delegate|spawn|launch|write|save|store|create|put|make|draft|compose|record|read|open|show|print|display|list|wait|sleep|pause|fetch|get|download|request|post|call|attach|deliver|send|tell|what|look|check|summari[sz]e|answer|reply|say|report|give|finish";
const BEGINS = `(?:finally\\s+|please\\s+|also\\s+)?(?:(?:${VERBS})\\b|${HANDING_OVER})`;
const SEPARATOR = new RegExp(
  [
    "(?<then>,?\\s*\\b(?:and\\s+)?(?:then|after that|afterwards)\\b,?\\s+)",
    "[.;!?]+\\s+",
    "[.;!?]+$",
    "\\s*\\n+\\s*",
    `(?<joint>,\\s+(?:and\\s+)?|\\s+and\\s+)(?=${BEGINS})`,
  ].join("|"),
  "gi",
);
const FILLER =
  /^(?:please|kindly|firstly|first|secondly|second|finally|lastly|next|also|now|then|and|after that|afterwards|could you|can you|would you|will you|i want you to|i would like you to|i'd like you to|you should|let's|in parallel|at the same time|(?:when|once|as soon as)\s+(?:they|all|both|everything|the sub-?agents)\b[^,]{0,40}?\b(?:done|finished|ready|back|ended|answered)|hello|hi|hey|otto|ok|okay)\b[,:!]?\s*/i;

/** A quoted text or a URL. */
export interface Mark {
  readonly kind: "quote" | "url";
  readonly text: string;
}

/** A clause: its words with marks in place, and whether it says that what is before comes first. */
export interface Clause {
  readonly words: string;
  readonly after: boolean;
  /** The text as it was, for repeating it. */
  readonly original: string;
  readonly marks: readonly Mark[];
}

/** The clauses of a message, in order. */
export function splitClauses(message: string): Clause[] {
  const marks: Mark[] = [];
  const mark = (kind: Mark["kind"], text: string): string => `${MARK}${marks.push({ kind, text }) - 1}${MARK}`;
  const marked = message
    .slice(0, MAX_CHARACTERS)
    .replaceAll(MARK, "")
    .replaceAll(QUOTED, (_, ...groups: (string | undefined)[]) =>
      mark("quote", groups.slice(0, 4).find((g) => g !== undefined) ?? ""),
    )
    .replaceAll(URL_TEXT, (url) => {
      const bare = url.replace(/[.,;:!?)\]]+$/, "");
      return mark("url", bare) + url.slice(bare.length);
    });
  const text = inlineLists(marked, (task) => mark("quote", restore(task, marks)));

  const clauses: Clause[] = [];
  let after = false;
  let from = 0;
  const take = (to: number): void => {
    const clause = toClause(text.slice(from, to), after, marks);
    if (clause !== null) clauses.push(clause);
    // A separator of its own kind, such as ". Then ", leaves an empty clause that must not lose the word.
    else if (after) return;
    after = false;
  };
  for (const match of text.matchAll(SEPARATOR)) {
    const end = match.index + match[0].length;
    if (match.groups?.["joint"] !== undefined && handsOverMore(text.slice(from, match.index), text.slice(match.index)))
      continue;
    take(match.index);
    after ||= match.groups?.["then"] !== undefined;
    from = end;
  }
  take(text.length);
  return clauses;
}

function toClause(raw: string, after: boolean, marks: readonly Mark[]): Clause | null {
  let words = raw.trim();
  let comesAfter = after;
  for (;;) {
    const filler = FILLER.exec(words);
    if (filler === null) break;
    if (/then|next|after|finally|lastly/i.test(filler[0])) comesAfter = true;
    words = words.slice(filler[0].length);
  }
  words = words.replace(/[\s.,;:!?]+$/, "");
  if (words === "") return null;
  return { words, after: comesAfter, original: restore(words, marks), marks };
}

/** The marks of some words, in order. */
export function marksIn(words: string, marks: readonly Mark[]): Mark[] {
  const found: Mark[] = [];
  for (const match of words.matchAll(/\uE000(\d+)\uE000/g)) {
    const mark = marks[Number(match[1])];
    if (mark !== undefined) found.push(mark);
  }
  return found;
}

/** The words with every mark replaced by what stood there; quotes come back in quotation marks. */
export function restore(words: string, marks: readonly Mark[]): string {
  return words.replaceAll(/\uE000(\d+)\uE000/g, (_, index: string) => {
    const mark = marks[Number(index)];
    if (mark === undefined) return "";
    return mark.kind === "quote" ? `“${mark.text}”` : mark.text;
  });
}
