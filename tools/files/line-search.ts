/**
 * Finds the lines of a text that a pattern matches. A line ends at `\n` or `\r\n`, `^` and `$` are its ends, and no match
 * goes from one line to the next.
 *
 * A text is first asked in chunks of whole lines whether it can match at all, which RE2 answers fastest; only the lines of a
 * chunk that can are looked at one by one.
 */
import type { YieldTurn } from "../../core/base/turns.ts";
import { ok, type Result } from "../../core/base/errors.ts";
import type { Pattern, PatternsPort } from "../../core/lib/patterns.ts";
import { compileSearch, TURN_WORK } from "./re2-pattern.ts";

/** Characters of a chunk, which is looked through twice without a pause. The larger the pattern, the fewer. */
const MAX_CHUNK = 50_000;
const MIN_CHUNK = 1_000;
/** A longer line is searched in pieces of a chunk's length, of which two neighbours share this many characters. */
const OVERLAP = 500;
/** What one look costs beside its characters, in characters. */
const LOOK_CHARACTERS = 100;
/** Of a line that matches, what is given of it; when it is longer, from this much before the match. */
const SHOWN_CHARACTERS = 500;
const BEFORE_MATCH = 100;

/** A pattern, ready to be searched for in lines. */
export interface LinePattern {
  readonly compiled: Pattern;
  readonly size: number;
  readonly chunkCharacters: number;
  /** False: what matches a line need not match it inside of a chunk, as with `\A`. */
  readonly fitsChunks: boolean;
}

/** A line that matches. Numbers begin at 1. */
export interface FoundLine {
  readonly number: number;
  readonly text: string;
}

/** Compiles a pattern; `invalid_input` says what is wrong with it. */
export function compileLinePattern(
  pattern: string,
  isCaseSensitive: boolean,
  patterns: PatternsPort,
): Result<LinePattern> {
  const compiled = compileSearch(pattern, { isMultiline: true, ignoresCase: !isCaseSensitive }, patterns);
  if (!compiled.ok) return compiled;
  const { size } = compiled.value;
  const chunkCharacters = Math.min(MAX_CHUNK, Math.max(MIN_CHUNK, Math.floor(TURN_WORK / 2 / size)));
  // `(?-m)` takes the meaning of `^` away that holds inside of a chunk.
  const hasTextEnds = pattern.includes("\\A") || pattern.includes("\\z");
  const fitsChunks = !hasTextEnds && !(pattern.includes("(?") && pattern.includes("-"));
  return ok({ compiled: compiled.value, size, chunkCharacters, fitsChunks });
}

/** What a search may still spend. It pauses for others when it has worked for a turn, and ends when its time is over. */
export class SearchTime {
  readonly #isOver: () => boolean;
  readonly #giveWay: YieldTurn;
  #left = TURN_WORK;

  constructor(isOver: () => boolean, giveWay: YieldTurn) {
    this.#isOver = isOver;
    this.#giveWay = giveWay;
  }

  /** Others had their turn. */
  rest(): void {
    this.#left = TURN_WORK;
  }

  /** Takes so much work, after a pause when one is due. False: the time is over. */
  async take(work: number): Promise<boolean> {
    if (work > this.#left && this.#left < TURN_WORK) {
      await this.#giveWay();
      this.rest();
    }
    this.#left -= work;
    return !this.#isOver();
  }
}

/** The lines that match, the first `most` of them. `isCut`: the time was over before the text was. */
export async function findLines(
  whole: string,
  pattern: LinePattern,
  most: number,
  time: SearchTime,
): Promise<{ readonly lines: readonly FoundLine[]; readonly isCut: boolean }> {
  const text = whole.includes("\r") ? whole.replaceAll("\r\n", "\n") : whole;
  const lines: FoundLine[] = [];
  const lineNumber = counterOf(text);
  const found = (at: number, line: string) => lines.push({ number: lineNumber(at), text: shownOf(line, pattern) });
  for (let start = 0; start < text.length && lines.length < most; ) {
    const end = chunkEnd(text, start, pattern.chunkCharacters);
    const chunk = text.slice(start, end);
    if (chunk.length > pattern.chunkCharacters) {
      const matches = await matchesLongLine(chunk, pattern, time);
      if (matches === null) return { lines, isCut: true };
      if (matches) found(start, chunk);
    } else {
      // The chunk as a whole, and then perhaps each of its lines.
      if (!(await time.take(2 * workOf(pattern, chunk.length)))) return { lines, isCut: true };
      if (canMatch(chunk, pattern)) {
        for (let at = start; at <= end && lines.length < most; ) {
          const lineEnd = Math.min(end, endOfLine(text, at));
          const line = text.slice(at, lineEnd);
          if (pattern.compiled.test(line)) found(at, line);
          at = lineEnd + 1;
        }
      }
    }
    start = end + 1;
  }
  return { lines, isCut: false };
}

function canMatch(chunk: string, { compiled, fitsChunks }: LinePattern): boolean {
  return !fitsChunks || compiled.test(chunk);
}

/** Whether a line that is longer than a chunk matches; null: the time was over. */
async function matchesLongLine(line: string, pattern: LinePattern, time: SearchTime): Promise<boolean | null> {
  const { chunkCharacters } = pattern;
  for (let start = 0; ; start += chunkCharacters - OVERLAP) {
    if (!(await time.take(2 * workOf(pattern, chunkCharacters)))) return null;
    if (matchesPiece(line, start, pattern)) return true;
    if (start + chunkCharacters >= line.length) return false;
  }
}

/**
 * Whether a piece of a line matches. What touches an edge that the line does not have may be a match of `^`, `$` or `\b`
 * there alone: the neighbour that shares the edge has seen it whole, unless it is longer than what they share.
 */
function matchesPiece(line: string, start: number, { compiled, chunkCharacters }: LinePattern): boolean {
  const piece = line.slice(start, start + chunkCharacters);
  const isLast = start + piece.length === line.length;
  const matcher = compiled.matcher(piece);
  while (matcher.find()) {
    const touchesEdge = (start > 0 && matcher.start() === 0) || (!isLast && matcher.end() === piece.length);
    if (!touchesEdge || matcher.end() - matcher.start() > OVERLAP) return true;
  }
  return false;
}

function workOf({ size }: LinePattern, characters: number): number {
  return (characters + LOOK_CHARACTERS) * size;
}

/** The end of the last whole line of a chunk, or of the one line that is longer than a chunk. */
function chunkEnd(text: string, start: number, characters: number): number {
  if (text.length - start <= characters) return text.endsWith("\n") ? text.length - 1 : text.length;
  const found = text.lastIndexOf("\n", start + characters);
  return found >= start ? found : endOfLine(text, start);
}

function endOfLine(text: string, from: number): number {
  const found = text.indexOf("\n", from);
  return found < 0 ? text.length : found;
}

/** Gives the number of the line that begins at an offset; asked for one after the other. */
function counterOf(text: string): (offset: number) => number {
  let number = 1;
  let counted = 0;
  return (offset) => {
    for (let at = text.indexOf("\n", counted); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) number += 1;
    counted = offset;
    return number;
  };
}

/** A line as it is given: of a long one the part around the match. */
function shownOf(line: string, { compiled, chunkCharacters }: LinePattern): string {
  if (line.length <= SHOWN_CHARACTERS) return line;
  const matcher = compiled.matcher(line.slice(0, chunkCharacters));
  const start = matcher.find() ? Math.max(0, matcher.start() - BEFORE_MATCH) : 0;
  const end = start + SHOWN_CHARACTERS;
  return `${start > 0 ? "…" : ""}${line.slice(start, end).toWellFormed()}${end < line.length ? "…" : ""}`;
}
