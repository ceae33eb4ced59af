/**
 * The text of a result that the model reads: short ones whole, longer ones as head and tail with a note on the omitted
 * part.
 */
import type { ToolError } from "../tool/tool.ts";

/** The medium and the large threshold, in characters. */
export interface ShapeLimits {
  readonly mediumCharacters: number;
  readonly largeCharacters: number;
}

/**
 * Where the whole text is: `expand_result` reads it, it is stored but this task lacks that tool, or it could not be
 * stored.
 */
export type RestOfText = "expandable" | "stored" | "lost";

/** The tool that reads a stored result. */
export const EXPAND_RESULT = "expand_result";

/** The share of a shortened text that is its head. */
const HEAD_SHARE = 0.75;
/** The share of the medium threshold for a text over the large threshold, whose excerpt says little. */
const LARGE_SHARE = 0.5;

/** Shortens a text over the medium threshold to its head and tail, with a note that names its call. */
export function shapeText(text: string, limits: ShapeLimits, callId: string, rest: RestOfText = "expandable"): string {
  if (text.length <= limits.mediumCharacters) return text;
  const maxCharacters = getMaxCharacters(text.length, limits);
  const { head, tail } = headAndTail(text, maxCharacters);
  const left = text.length - head.length - tail.length;
  return `${head}\n[… ${left} of ${text.length} characters left out; ${describeRest(callId, rest)} …]\n${tail}`;
}

/** Returns the most characters of a shortened text, by the length of the whole. */
export function getMaxCharacters(length: number, { mediumCharacters, largeCharacters }: ShapeLimits): number {
  return length > largeCharacters ? Math.floor(mediumCharacters * LARGE_SHARE) : mediumCharacters;
}

/** Describes where the whole result is, as the end of a sentence. */
export function describeRest(callId: string, rest: RestOfText): string {
  switch (rest) {
    case "expandable":
      return `read them with ${EXPAND_RESULT}, result_id "${callId}"`;
    case "stored":
      return `the whole is stored as "${callId}"`;
    case "lost":
      return "they could not be stored";
  }
}

/** Returns the first and last characters of a text, at most `maxCharacters` of them; never half of a surrogate pair. */
export function headAndTail(text: string, maxCharacters: number): { readonly head: string; readonly tail: string } {
  const fromHead = Math.floor(maxCharacters * HEAD_SHARE);
  return { head: cutBefore(text, fromHead), tail: cutAfter(text, text.length - (maxCharacters - fromHead)) };
}

/** Returns the start of a text, up to `end`; never half of a surrogate pair. */
export function cutBefore(text: string, end: number): string {
  return text.slice(0, isInsidePair(text, end) ? end - 1 : end);
}

/** Formats an error for the model. */
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
