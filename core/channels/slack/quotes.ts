/** Finds the quoted lines of a message: other people's words, in the format of Slack and mail clients. */
import type { TextRange } from "../../model/label-parts.ts";

/** A line with its end, including all Unicode line breaks. */
const LINE = /[^\n\r\v\f\u0085\u2028\u2029]*(?:\r\n|[\n\r\v\f\u0085\u2028\u2029]|$)/g;
const QUOTE = /^[^\S\n\r\v\f\u0085\u2028\u2029]*[>＞]/u;
/** Slack's mark that quotes the rest of the message. */
const REST = /^\s*>>>/;

/** The ranges of the quoted lines, in order. `&gt;` has to be unescaped already. */
export function findQuotes(text: string): TextRange[] {
  const places: [number, number][] = [];
  for (const { 0: line, index } of text.matchAll(LINE)) {
    if (!QUOTE.test(line)) continue;
    const end = REST.test(line) ? text.length : index + line.length;
    const last = places.at(-1);
    if (last?.[1] === index) last[1] = end;
    else places.push([index, end]);
    if (end === text.length) break;
  }
  return places;
}
