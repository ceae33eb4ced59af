/**
 * A Markdown text in pieces that can be laid out one by one: of a text that grows only the last ones change, and of a
 * long one a browser lays out what is seen. They are divided at empty lines outside of fenced code, where a new block begins.
 */

/** Characters from which on a piece ends at the next fitting line. */
const FITTING = 1_500;
/** Characters after which it ends at any line that may end it, also between two entries of a list. */
const LONG = 6_000;
/** A piece never has more: a line of megabytes is divided wherever that is. */
const MOST = 20_000;

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/** Begins what belongs to nothing before it: no entry of a list, nothing indented, no row of a table, no quote. */
const FRESH = /^(?![-*+>|]|\d+[.)]|\s)/;

/** The pieces; joined they are the text. A beginning of the text has the same pieces, but for its last two. */
export function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  let piece = "";
  let fence: string | null = null;
  let isAfterGap = false;
  for (const line of splitLines(text)) {
    const mayEnd = fence === null && isAfterGap;
    const isFull = piece.length + line.length > MOST;
    if (piece !== "" && (isFull || (mayEnd && piece.length > (FRESH.test(line) ? FITTING : LONG)))) {
      pieces.push(piece);
      piece = "";
      if (isFull) fence = null;
    }
    piece += line;
    const mark = FENCE.exec(line)?.[1];
    if (mark !== undefined) {
      if (fence === null) fence = mark;
      else if (mark.startsWith(fence)) fence = null;
    }
    isAfterGap = line.trim() === "";
  }
  return piece === "" ? pieces : [...pieces, piece];
}

/** Lines with their ends, those of megabytes in parts. */
function splitLines(text: string): readonly string[] {
  return text.match(/[^\n]{0,19999}\n|[^\n]{1,20000}/g) ?? [];
}
