/**
 * Shell-style patterns with the rules of CPython's `fnmatch.fnmatchcase`: `*` matches any characters (even `/`), `?`
 * one, `[seq]` one of a set or of ranges, `[!seq]` one outside of it. An unclosed bracket is literal, there is no
 * quoting and no brace expansion, and case matters. A character is a Unicode code point. No regular expression is
 * built, so a pattern of a tenant or a model cannot be slow.
 */

import { accepts, type Automaton, createAutomaton } from "./automaton.ts";

type Range = readonly [low: number, high: number];

/** The condition for one character; null for any. */
type Piece = { readonly negated: boolean; readonly ranges: readonly Range[] } | null;

/** A compiled pattern. */
export type CompiledPattern = Automaton;

const HYPHEN = 0x2d;

/** Compiles a pattern. Every string is valid. */
export function compilePattern(pattern: string): CompiledPattern {
  const points = toCodePoints(pattern);
  const pieces: Piece[] = [];
  const stars: number[] = [];
  let at = 0;
  while (at < points.length) {
    const point = points[at] ?? 0;
    at += 1;
    const end = point === 0x5b ? findClosingBracket(points, at) : -1;
    if (point === 0x2a) stars.push(pieces.length);
    else if (point === 0x3f) pieces.push(null);
    else if (end < 0) pieces.push({ negated: false, ranges: [[point, point]] });
    else {
      pieces.push(parseSet(points.slice(at, end)));
      at = end + 1;
    }
  }
  return createAutomaton(pieces.length, stars, (piece, character) =>
    matchesPoint(pieces[piece] ?? null, character.codePointAt(0) ?? 0),
  );
}

/**
 * True when the whole of `name` matches. Time is proportional to its length times the pattern's length divided by 32.
 */
export function matchesPattern(name: string, pattern: CompiledPattern): boolean {
  return accepts(name, pattern);
}

/** `fnmatch.fnmatchcase(name, pattern)`. */
export function fnmatch(name: string, pattern: string): boolean {
  return matchesPattern(name, compilePattern(pattern));
}

/** A compiled list of patterns; those without a wildcard are names. */
interface PatternList {
  readonly names: ReadonlySet<string>;
  readonly patterns: readonly CompiledPattern[];
}

/** Cached compiled lists, because a list is matched against every tool. */
const lists = new WeakMap<readonly string[], PatternList>();

/** True when one of the patterns matches the whole of `name`. The list must not change after the first call. */
export function matchesOneOf(name: string, patterns: readonly string[]): boolean {
  const list = lists.get(patterns) ?? compileList(patterns);
  return list.names.has(name) || list.patterns.some((pattern) => matchesPattern(name, pattern));
}

function compileList(patterns: readonly string[]): PatternList {
  const isName = (pattern: string) => !/[*?[]/.test(pattern);
  const list = {
    names: new Set(patterns.filter(isName)),
    patterns: patterns.filter((pattern) => !isName(pattern)).map(compilePattern),
  };
  lists.set(patterns, list);
  return list;
}

function matchesPoint(piece: Piece, point: number): boolean {
  return piece === null || piece.negated !== piece.ranges.some(([low, high]) => low <= point && point <= high);
}

/** Finds the closing bracket; a first `]` is literal. Negative if the bracket is unclosed. */
function findClosingBracket(points: readonly number[], start: number): number {
  let at = start;
  if (points[at] === 0x21) at += 1;
  if (points[at] === 0x5d) at += 1;
  return points.indexOf(0x5d, at);
}

/** Parses the inside of a bracket, which is never empty. */
function parseSet(inside: readonly number[]): Piece {
  const chunks = dropEmptyRanges(splitAtRanges(inside));
  const negated = chunks[0]?.[0] === 0x21;
  const rest = negated ? [chunks[0]?.slice(1) ?? [], ...chunks.slice(1)] : chunks;
  return { negated, ranges: toRanges(rest) };
}

/**
 * Splits at the hyphens that form a range: each gap between two chunks is a range from the last character of the first
 * to the first of the second. A hyphen at either end, or right after a range, is a character.
 */
function splitAtRanges(inside: readonly number[]): number[][] {
  const chunks: number[][] = [];
  let start = 0;
  let hyphen = inside.indexOf(HYPHEN, inside[0] === 0x21 ? 2 : 1);
  while (hyphen >= 0) {
    chunks.push(inside.slice(start, hyphen));
    start = hyphen + 1;
    hyphen = inside.indexOf(HYPHEN, hyphen + 3);
  }
  const last = inside.slice(start);
  if (last.length > 0) chunks.push(last);
  else chunks.at(-1)?.push(HYPHEN);
  return chunks;
}

/** Removes descending ranges with both ends, as CPython does. */
function dropEmptyRanges(chunks: readonly number[][]): number[][] {
  const remaining = chunks.map((chunk) => [...chunk]);
  for (let i = remaining.length - 1; i > 0; i -= 1) {
    const left = remaining[i - 1] ?? [];
    const right = remaining[i] ?? [];
    if ((left.at(-1) ?? 0) > (right[0] ?? 0)) remaining.splice(i - 1, 2, [...left.slice(0, -1), ...right.slice(1)]);
  }
  return remaining;
}

function toRanges(chunks: readonly (readonly number[])[]): Range[] {
  const ranges: Range[] = [];
  chunks.forEach((chunk, index) => {
    for (const point of chunk) ranges.push([point, point]);
    const low = chunk.at(-1);
    const high = chunks[index + 1]?.[0];
    if (low !== undefined && high !== undefined) ranges.push([low, high]);
  });
  return ranges;
}

function toCodePoints(text: string): number[] {
  return Array.from(text, (character) => character.codePointAt(0) ?? 0);
}
