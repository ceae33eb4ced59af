/**
 * Pieces as the model reads them: a heading line of our own, and the text behind `> `. Nothing in a document can form a
 * heading line: each line of it is quoted, its title and headings are one line without brackets, and a number in it
 * loses its brackets.
 */

/** Characters of a title and of the headings in a heading line. */
const MAX_TITLE = 120;
const MAX_HEADING = 160;

/** What ends a line anywhere, and what a terminal or a reader may take for an end. */
const LINE_ENDS = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;
const [OPENING, CLOSING] = [String.raw`\[［【〔〚⟦❲⁅﹝`, String.raw`\]］】〕〛⟧❳⁆﹞`];
/** A text in brackets, as long as the longest list of sources that an answer cites. */
const BRACKETED = new RegExp(`[${OPENING}]([^${OPENING}${CLOSING}]{1,500})[${CLOSING}]`, "gu");
/** Control and format characters, and brackets, in any script's form. */
const UNSAFE_IN_LINE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;
const OPENING_BRACKET = new RegExp(`[${OPENING}]`, "gu");
const CLOSING_BRACKET = new RegExp(`[${CLOSING}]`, "gu");

/** The place of a piece. */
export interface SourcePlace {
  readonly n: number;
  readonly relevance: number | null;
  readonly title: string;
  readonly page: number | null;
  readonly heading: readonly string[];
  readonly piece: string;
}

/** Formats the line above a piece: `[Source 3] (93.1%) Lease · page 4 / Terms > Notice · pce_…`. */
export function formatSourceLine({ n, relevance, title, page, heading, piece }: SourcePlace): string {
  const where = [
    ...(page === null ? [] : [`page ${page}`]),
    ...(heading.length === 0 ? [] : [toOneLine(heading.join(" > "), MAX_HEADING)]),
  ].join(" / ");
  const share = relevance === null ? "" : ` (${relevance.toFixed(1)}%)`;
  return [`[Source ${n}]${share} ${toOneLine(title, MAX_TITLE)}`, ...(where === "" ? [] : [where]), piece].join(" · ");
}

/** Quotes a text of a document: each of its lines behind `> `. */
export function quoteText(text: string): string {
  return text
    .replaceAll(BRACKETED, (whole, inside: string) => (readsAsSource(inside) ? `(${inside})` : whole))
    .split(LINE_ENDS)
    .map((line) => `> ${line}`)
    .join("\n");
}

/** True for a number of a source as a reader sees it: in any form of the letters, and with invisible characters in between. */
function readsAsSource(text: string): boolean {
  const seen = text.normalize("NFKC").replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "");
  return /^\s*sources?[\s:#.]*\d/iu.test(seen);
}

/** Makes a short text of a document a part of one line. */
export function toOneLine(text: string, most: number): string {
  const plain = text
    .replaceAll(UNSAFE_IN_LINE, " ")
    .replaceAll(OPENING_BRACKET, "(")
    .replaceAll(CLOSING_BRACKET, ")")
    .replaceAll("·", "-")
    .replaceAll(/\s+/g, " ")
    .trim();
  const cut = Array.from(plain);
  return cut.length > most ? `${cut.slice(0, most - 1).join("")}…` : plain;
}
