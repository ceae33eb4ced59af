/** The lines of a message that its writer quotes: somebody else's words, in the form in which Slack and mail programs write them. */
import type { TextRange } from "../../model/label-parts.ts";

/** A line with its end, by any reader's rule. */
const LINE = /[^\n\r\v\f\u0085\u2028\u2029]*(?:\r\n|[\n\r\v\f\u0085\u2028\u2029]|$)/g;
const QUOTE = /^[^\S\n\r\v\f\u0085\u2028\u2029]*[>＞]/u;
/** Slack's sign for: everything from here on is quoted. */
const REST = /^\s*>>>/;

/** The places of the quoted lines in a message, whose `&gt;` is read already, in order. */
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
