/**
 * Searches a text by a pattern of a model. The pattern runs in RE2, whose time grows with the text's length times the
 * pattern's size and never faster, and one search does a bounded amount of it.
 */
import { RE2JS, RE2JSException } from "re2js";
import { failed, ok, type Result } from "../../core/errors.ts";

/** Instructions that a compiled pattern may have. */
const MAX_PROGRAM = 5_000;
/** Characters times instructions of one search; about a second and a half. */
const MAX_WORK = 100_000_000;
/** Characters of one search, however small the pattern. */
const MAX_CHARACTERS = 1_000_000;
/** A longer line is searched in pieces, which overlap so that a match up to this long is found wherever it lies. */
const MAX_PIECE = 10_000;
const OVERLAP = 1_000;

/** A pattern, ready to be searched for. */
export interface TextPattern {
  readonly compiled: RE2JS;
  readonly maxCharacters: number;
}

/** Where a pattern matched: offsets in characters (UTF-16 units) of the text, `end` exclusive. */
export interface TextMatch {
  readonly start: number;
  readonly end: number;
}

/** What a search found. `next` is where to go on; null: it reached the end of the text. */
export interface Found {
  readonly matches: readonly TextMatch[];
  readonly next: number | null;
}

/** Compiles a pattern; `invalid_input` says what is wrong with it. */
export function compileTextPattern(pattern: string): Result<TextPattern> {
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(pattern);
  } catch (thrown) {
    if (!(thrown instanceof RE2JSException)) throw thrown;
    return invalid(
      `${sentence(thrown.message)} Patterns are RE2's: no look-around, no back references, repeats up to 1000.`,
    );
  }
  const size = compiled.programSize();
  if (size > MAX_PROGRAM) return invalid("The pattern is too large. Use fewer or smaller repeats.");
  if (compiled.test("")) return invalid("The pattern matches the empty text. Let it match at least one character.");
  return ok({ compiled, maxCharacters: Math.min(MAX_CHARACTERS, Math.floor(MAX_WORK / size)) });
}

/**
 * The matches of a pattern from an offset on, line by line: none holds a line break. It stops after `maxMatches`, or when
 * it has read as much as one search may.
 */
export function searchText(text: string, from: number, pattern: TextPattern, maxMatches: number): Found {
  const matches: TextMatch[] = [];
  let left = pattern.maxCharacters;
  for (const piece of piecesOf(text, from)) {
    const matcher = pattern.compiled.matcher(text.slice(piece.start, piece.end));
    let at = piece.start;
    // Each look may read the rest of the piece, also one that finds nothing of use.
    for (; at < piece.end && left > 0; left -= 1) {
      left -= piece.end - at;
      const match = matcher.find() ? { start: piece.start + matcher.start(), end: piece.start + matcher.end() } : null;
      if (match === null || match.start >= piece.nextStart) {
        at = piece.end;
        break;
      }
      at = Math.max(match.end, match.start + 1);
      const isNew = match.start >= (matches.at(-1)?.end ?? from) && match.start < match.end;
      if (isNew && matches.push(match) === maxMatches) return { matches, next: at < text.length ? at : null };
    }
    const reached = at < piece.end ? at : piece.nextStart;
    if (left <= 0) return { matches, next: reached < text.length ? reached : null };
  }
  return { matches, next: null };
}

/** A part of one line; the next one begins at `nextStart`. */
interface Piece {
  readonly start: number;
  readonly end: number;
  readonly nextStart: number;
}

function* piecesOf(text: string, from: number): Generator<Piece> {
  for (let lineStart = from; lineStart < text.length; ) {
    const found = text.indexOf("\n", lineStart);
    const lineEnd = found < 0 ? text.length : found;
    let start = lineStart;
    for (; lineEnd - start > MAX_PIECE; start += MAX_PIECE - OVERLAP) {
      yield { start, end: start + MAX_PIECE, nextStart: start + MAX_PIECE - OVERLAP };
    }
    if (lineEnd > start) yield { start, end: lineEnd, nextStart: lineEnd + 1 };
    lineStart = lineEnd + 1;
  }
}

function invalid(message: string): Result<never> {
  return failed("invalid_input", message, { field: "pattern" });
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
