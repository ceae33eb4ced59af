/** What the model reads of a result: short ones whole, longer ones by head and tail, with a word on what is left out. */
import type { ToolError } from "../tool.ts";

/** Characters; document 000's MEDIUM_RESULT_THRESHOLD and LARGE_RESULT_THRESHOLD. */
export interface ShapeLimits {
  readonly mediumCharacters: number;
  readonly largeCharacters: number;
}

/** Of what is shown, the share that comes from the head. */
const HEAD_SHARE = 0.75;
/** Of the medium threshold, what is shown of a text over the large one: the more there is, the less a glimpse tells. */
const LARGE_SHARE = 0.5;

/** Shortens a text to its head and tail, with the call whose result it is part of. */
export function shapeText(text: string, limits: ShapeLimits, callId: string): string {
  const { mediumCharacters, largeCharacters } = limits;
  if (text.length <= mediumCharacters) return text;
  const shown = text.length > largeCharacters ? Math.floor(mediumCharacters * LARGE_SHARE) : mediumCharacters;
  const fromHead = Math.floor(shown * HEAD_SHARE);
  const head = cutBefore(text, fromHead);
  const tail = cutAfter(text, text.length - (shown - fromHead));
  const left = text.length - head.length - tail.length;
  return `${head}\n[… ${left} of ${text.length} characters left out; the whole is kept as ${callId} …]\n${tail}`;
}

/** An error as the model reads it. */
export function shapeError(error: ToolError): string {
  const field = error.field === undefined ? "" : ` in ${error.field}`;
  return `Error (${error.code}${field}): ${error.message}`;
}

/** Never between the halves of a surrogate pair. */
function cutBefore(text: string, end: number): string {
  const unit = text.charCodeAt(end - 1);
  return text.slice(0, unit >= 0xd800 && unit <= 0xdbff ? end - 1 : end);
}

function cutAfter(text: string, start: number): string {
  const unit = text.charCodeAt(start);
  return text.slice(unit >= 0xdc00 && unit <= 0xdfff ? start + 1 : start);
}
