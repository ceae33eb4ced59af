/** What the model reads of a result: short ones whole, longer ones by head and tail, with a word on what is left out. */
import type { ToolError } from "../tool/tool.ts";

/** Characters; document 000's MEDIUM_RESULT_THRESHOLD and LARGE_RESULT_THRESHOLD. */
export interface ShapeLimits {
  readonly mediumCharacters: number;
  readonly largeCharacters: number;
}

/**
 * Where the rest of a shortened text is: `expand_result` reads it; it is kept, and this task has not that tool; or it
 * could not be kept.
 */
export type RestOfText = "expandable" | "kept" | "lost";

/** The tool that reads a kept result. */
export const EXPAND_RESULT = "expand_result";

/** Of what is shown, the share that comes from the head. */
const HEAD_SHARE = 0.75;
/** Of the medium threshold, what is shown of a text over the large one: the more there is, the less a glimpse tells. */
const LARGE_SHARE = 0.5;

/** Shortens a text over the medium threshold to its head and tail, with the call whose result it is part of. */
export function shapeText(
  text: string,
  { mediumCharacters, largeCharacters }: ShapeLimits,
  callId: string,
  rest: RestOfText = "expandable",
): string {
  if (text.length <= mediumCharacters) return text;
  const shown = text.length > largeCharacters ? Math.floor(mediumCharacters * LARGE_SHARE) : mediumCharacters;
  const { head, tail } = headAndTail(text, shown);
  const left = text.length - head.length - tail.length;
  return `${head}\n[… ${left} of ${text.length} characters left out; ${whereRestIs(callId, rest)} …]\n${tail}`;
}

/** Where the whole of a shortened result is, as the end of a sentence. */
export function whereRestIs(callId: string, rest: RestOfText): string {
  switch (rest) {
    case "expandable":
      return `read them with ${EXPAND_RESULT}, result_id "${callId}"`;
    case "kept":
      return `the whole is kept as "${callId}"`;
    case "lost":
      return "they could not be kept";
  }
}

/** The first and last characters of a text, at most `shown` of them; never half of a surrogate pair. */
export function headAndTail(text: string, shown: number): { readonly head: string; readonly tail: string } {
  const fromHead = Math.floor(shown * HEAD_SHARE);
  return { head: cutBefore(text, fromHead), tail: cutAfter(text, text.length - (shown - fromHead)) };
}

/** The beginning of a text, up to `end`; never half of a surrogate pair. */
export function cutBefore(text: string, end: number): string {
  return text.slice(0, isInsidePair(text, end) ? end - 1 : end);
}

/** An error as the model reads it. */
export function shapeError(error: ToolError): string {
  const field = error.field === undefined ? "" : ` in ${error.field}`;
  return `Error (${error.code}${field}): ${error.message}`;
}

function cutAfter(text: string, start: number): string {
  return text.slice(isInsidePair(text, start) ? start + 1 : start);
}

/** True when a cut at `at` falls between the halves of a surrogate pair. */
function isInsidePair(text: string, at: number): boolean {
  const [before, after] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}
