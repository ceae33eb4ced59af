/**
 * Whether a text can be laid out as Markdown without a page standing still. The parser's time grows with the square of what can
 * pair up (brackets, stars), with how deep lists and quotations stand in each other times the lines below them, and a table
 * has its columns times its rows as cells, so that a few thousand hostile characters would take it seconds. It, and what
 * makes elements of its tree, call themselves for each depth and end in a stack overflow.
 */

/** Characters. On a machine of 2026 ordinary prose of this length takes about a tenth of a second. */
const LAID_OUT = 20_000;
/** Quotations and lists in each other; two columns in front of a list count as one, as it may stand in another so. */
const MOST_DEEP = 24;
/** The marks of quotations and lists of all lines together. */
const MOST_MARKS = 800;
/** Of the squares of what may pair up, by paragraph: about a thousand brackets in one. */
const MOST_PAIRS = 1_000_000;
/** Of cells that tables may have: lines of a paragraph times the columns of its widest. */
const MOST_CELLS = 2_500;
/** Characters of link definitions times the brackets that may stand for one. */
const MOST_REPEATED = 1_000_000;

const CONTAINERS = /^(?:[ \t]*(?:>|[-+*](?=[ \t]|$)|\d{1,9}[.)](?=[ \t]|$)))*/;
const MARK = />|[-+*]|\d{1,9}[.)]/g;
/** Between letters, a line below is one of a name. */
const PAIRING = /[[\]*~`<]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;
/** What may end an address, which is looked through from each of its characters. */
const TRAILING = /[!"',.:;?_~*)\]&<]{2,}/g;
const DEFINITION = /\[[^\]\n]*\]:[^\n]*/g;

interface Paragraph {
  lines: number;
  pairing: number;
  columns: number;
}

/** True when `text` may be laid out. */
export function isQuickMarkdown(text: string): boolean {
  if (text.length > LAID_OUT) return false;
  const definitions = [...text.matchAll(DEFINITION)].reduce((sum, [found]) => sum + found.length, 0);
  if (definitions * occurrences(text, "[") > MOST_REPEATED) return false;
  return isFlat(text) && costOfParagraphs(text);
}

function isFlat(text: string): boolean {
  let marks = 0;
  for (const line of text.split("\n")) {
    const containers = CONTAINERS.exec(line)?.[0] ?? "";
    const its = containers.match(MARK)?.length ?? 0;
    const columns = containers.replaceAll("\t", "    ").length;
    // A mark and its space are two columns themselves.
    if (Math.max(its, its === 0 ? 0 : columns / 2) > MOST_DEEP) return false;
    marks += its;
  }
  return marks <= MOST_MARKS;
}

function costOfParagraphs(text: string): boolean {
  let pairs = 0;
  let cells = 0;
  let paragraph: Paragraph = { lines: 0, pairing: 0, columns: 0 };
  const end = (): void => {
    pairs += paragraph.pairing ** 2;
    if (paragraph.columns > 0) cells += paragraph.lines * paragraph.columns;
    paragraph = { lines: 0, pairing: 0, columns: 0 };
  };
  for (const line of text.split("\n")) {
    const containers = CONTAINERS.exec(line)?.[0] ?? "";
    const rest = line.slice(containers.length);
    // A blank line ends a paragraph, and so does a bullet with something after it (https://spec.commonmark.org/0.31.2/#paragraphs).
    if (rest.trim() === "" || /[-+*]$/.test(containers)) end();
    paragraph.lines += 1;
    paragraph.pairing += rest.match(PAIRING)?.length ?? 0;
    paragraph.columns = Math.max(paragraph.columns, occurrences(rest, "|"));
    for (const [run] of rest.matchAll(TRAILING)) pairs += run.length ** 2 / 4;
  }
  end();
  return pairs <= MOST_PAIRS && cells <= MOST_CELLS;
}

function occurrences(text: string, character: string): number {
  return text.split(character).length - 1;
}
