/**
 * Searches a text by a pattern of a model. The pattern runs in RE2, whose time grows with the text's length times the
 * pattern's size and never faster. One search does a bounded amount of it, and lets others have their turn in between:
 * nothing can interrupt code that does not wait.
 */
import type { YieldTurn } from "../../core/base/turns.ts";
import { ok, type Result } from "../../core/base/errors.ts";
import type { Pattern, PatternsPort } from "../../core/lib/patterns.ts";
import { badPattern, compileSearch, TURN_WORK } from "./re2-pattern.ts";

/** Characters times instructions of one search: each takes up to 20 ns. */
const MAX_WORK = 5_000_000;
/** Characters of one search, however small the pattern. */
const MAX_CHARACTERS = 500_000;
/** What one look into a piece costs beside its characters, in characters. */
const LOOK_CHARACTERS = 4;
/**
 * A longer line is searched in pieces, which overlap so that a match up to this long is found wherever it lies. The pieces
 * of a large pattern are shorter: a look into one cannot be interrupted.
 */
const MAX_PIECE = 10_000;
const MIN_PIECE = 2_000;
const OVERLAP = 1_000;

/** A pattern, ready to be searched for. */
export interface TextPattern {
  readonly compiled: Pattern;
  /** Characters of one search, between two turns of others, and of a piece. */
  readonly maxCharacters: number;
  readonly turnCharacters: number;
  readonly maxPiece: number;
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
export function compileTextPattern(pattern: string, patterns: PatternsPort): Result<TextPattern> {
  const result = compileSearch(pattern, { isMultiline: false, ignoresCase: false }, patterns);
  if (!result.ok) return result;
  const compiled = result.value;
  const { size } = compiled;
  if (compiled.test("")) return badPattern("The pattern matches the empty text. Let it match at least one character.");
  const turnCharacters = Math.floor(TURN_WORK / size);
  return ok({
    compiled,
    maxCharacters: Math.min(MAX_CHARACTERS, Math.floor(MAX_WORK / size)),
    turnCharacters,
    maxPiece: Math.min(MAX_PIECE, Math.max(MIN_PIECE, turnCharacters)),
  });
}

/**
 * The matches of a pattern from an offset on, line by line: none holds a line break. It stops after `maxMatches`, or when
 * it has read as much as one search may.
 */
export async function searchText(
  text: string,
  from: number,
  pattern: TextPattern,
  { maxMatches, giveWay }: { readonly maxMatches: number; readonly giveWay: YieldTurn },
): Promise<Found> {
  const matches: TextMatch[] = [];
  let left = pattern.maxCharacters;
  let turnLeft = pattern.turnCharacters;
  for (const piece of piecesOf(text, from, pattern.maxPiece)) {
    const matcher = pattern.compiled.matcher(text.slice(piece.start, piece.end));
    for (let at = piece.start; at < piece.end; ) {
      // A look may read the rest of the piece, also one that finds nothing of use.
      const cost = piece.end - at + LOOK_CHARACTERS;
      if (cost > left) return { matches, next: goOn(text, Math.max(at, matches.at(-1)?.end ?? 0)) };
      if (cost > turnLeft && turnLeft < pattern.turnCharacters) {
        await giveWay();
        turnLeft = pattern.turnCharacters;
      }
      left -= cost;
      turnLeft -= cost;
      if (!matcher.find()) break;
      const match = { start: piece.start + matcher.start(), end: piece.start + matcher.end() };
      if (match.start >= piece.nextStart) break;
      at = Math.max(match.end, match.start + 1);
      const isNew = match.start >= (matches.at(-1)?.end ?? from) && match.start < match.end;
      if (isNew && matches.push(match) === maxMatches) return { matches, next: goOn(text, at) };
    }
  }
  return { matches, next: null };
}

/** Where the next search begins; null at the end of the text. */
function goOn(text: string, at: number): number | null {
  return at < text.length ? at : null;
}

/** A part of one line; the next one begins at `nextStart`. */
interface Piece {
  readonly start: number;
  readonly end: number;
  readonly nextStart: number;
}

function* piecesOf(text: string, from: number, maxPiece: number): Generator<Piece> {
  for (let lineStart = from; lineStart < text.length; ) {
    const found = text.indexOf("\n", lineStart);
    const lineEnd = found < 0 ? text.length : found;
    let start = lineStart;
    for (; lineEnd - start > maxPiece; start += maxPiece - OVERLAP) {
      yield { start, end: start + maxPiece, nextStart: start + maxPiece - OVERLAP };
    }
    if (lineEnd > start) yield { start, end: lineEnd, nextStart: lineEnd + 1 };
    lineStart = lineEnd + 1;
  }
}
