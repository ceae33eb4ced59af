/**
 * Shell-style patterns with the rules of CPython's `fnmatch.fnmatchcase`: `*` matches any characters (`/` too), `?` one,
 * `[seq]` one of a set or of ranges, `[!seq]` one outside of it. An unclosed bracket is literal, there is no quoting and
 * no brace expansion, and case counts. A character is a Unicode code point. No regular expression is built, so that
 * no pattern of a tenant or a model is slow.
 */

type Range = readonly [low: number, high: number];

/** What one character has to be; null: anything. */
type Piece = { readonly negated: boolean; readonly ranges: readonly Range[] } | null;

/**
 * A pattern, ready to be matched against any number of names: an automaton whose state i means that i pieces have
 * matched. A star before piece i lets state i stay.
 */
export interface CompiledPattern {
  readonly pieces: readonly Piece[];
  /** Bit i: state i may stay. */
  readonly stays: Uint32Array;
  /** For a character, bit i: piece i takes it. */
  readonly taking: Map<number, Uint32Array>;
}

const HYPHEN = 0x2d;
const WORD_BITS = 32;
/** Characters that a pattern remembers its answer for. */
const MAX_REMEMBERED = 512;

/** Parses a pattern. Every string is one. */
export function compilePattern(pattern: string): CompiledPattern {
  const points = codePoints(pattern);
  const pieces: Piece[] = [];
  const stars: number[] = [];
  let at = 0;
  while (at < points.length) {
    const point = points[at] ?? 0;
    at += 1;
    const end = point === 0x5b ? closingBracket(points, at) : -1;
    if (point === 0x2a) stars.push(pieces.length);
    else if (point === 0x3f) pieces.push(null);
    else if (end < 0) pieces.push({ negated: false, ranges: [[point, point]] });
    else {
      pieces.push(parseSet(points.slice(at, end)));
      at = end + 1;
    }
  }
  const stays = new Uint32Array(Math.floor(pieces.length / WORD_BITS) + 1);
  for (const state of stars) setBit(stays, state);
  return { pieces, stays, taking: new Map() };
}

/** True when the whole of `name` matches. Takes time by the length of the name and, in words of 32, of the pattern. */
export function matchesPattern(name: string, pattern: CompiledPattern): boolean {
  const { stays, pieces } = pattern;
  const states = new Uint32Array(stays.length);
  states[0] = 1;
  for (const character of name) {
    const takes = takingOf(pattern, character.codePointAt(0) ?? 0);
    let carry = 0;
    let alive = 0;
    for (let word = 0; word < states.length; word += 1) {
      const now = states[word] ?? 0;
      const moving = now & (takes[word] ?? 0);
      const next = (moving << 1) | carry | (now & (stays[word] ?? 0));
      carry = moving >>> (WORD_BITS - 1);
      states[word] = next;
      alive |= next;
    }
    if (alive === 0) return false;
  }
  return hasBit(states, pieces.length);
}

/** `fnmatch.fnmatchcase(name, pattern)`. */
export function fnmatch(name: string, pattern: string): boolean {
  return matchesPattern(name, compilePattern(pattern));
}

function takingOf({ pieces, stays, taking }: CompiledPattern, point: number): Uint32Array {
  const known = taking.get(point);
  if (known !== undefined) return known;
  const takes = new Uint32Array(stays.length);
  pieces.forEach((piece, index) => {
    if (takesPoint(piece, point)) setBit(takes, index);
  });
  if (taking.size >= MAX_REMEMBERED) taking.clear();
  taking.set(point, takes);
  return takes;
}

function takesPoint(piece: Piece, point: number): boolean {
  return piece === null || piece.negated !== piece.ranges.some(([low, high]) => low <= point && point <= high);
}

function setBit(words: Uint32Array, bit: number): void {
  const word = Math.floor(bit / WORD_BITS);
  words[word] = (words[word] ?? 0) | (1 << (bit % WORD_BITS));
}

function hasBit(words: Uint32Array, bit: number): boolean {
  return (((words[Math.floor(bit / WORD_BITS)] ?? 0) >>> (bit % WORD_BITS)) & 1) === 1;
}

/** Where the bracket closes; `]` is literal when it comes first. Negative: it does not. */
function closingBracket(points: readonly number[], start: number): number {
  let at = start;
  if (points[at] === 0x21) at += 1;
  if (points[at] === 0x5d) at += 1;
  return points.indexOf(0x5d, at);
}

/** The inside of a bracket, never empty. */
function parseSet(inside: readonly number[]): Piece {
  const chunks = dropEmptyRanges(splitAtRanges(inside));
  const negated = chunks[0]?.[0] === 0x21;
  const rest = negated ? [chunks[0]?.slice(1) ?? [], ...chunks.slice(1)] : chunks;
  return { negated, ranges: rangesOf(rest) };
}

/**
 * Cuts at the hyphens that make a range: between two chunks stands one from the last character of the first to the first
 * of the second. A hyphen at either end, or right behind a range, is a character.
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

/** Takes out ranges that run backwards, both ends with them, as CPython does. */
function dropEmptyRanges(chunks: readonly number[][]): number[][] {
  const kept = chunks.map((chunk) => [...chunk]);
  for (let i = kept.length - 1; i > 0; i -= 1) {
    const left = kept[i - 1] ?? [];
    const right = kept[i] ?? [];
    if ((left.at(-1) ?? 0) > (right[0] ?? 0)) kept.splice(i - 1, 2, [...left.slice(0, -1), ...right.slice(1)]);
  }
  return kept;
}

function rangesOf(chunks: readonly (readonly number[])[]): Range[] {
  const ranges: Range[] = [];
  chunks.forEach((chunk, index) => {
    for (const point of chunk) ranges.push([point, point]);
    const low = chunk.at(-1);
    const high = chunks[index + 1]?.[0];
    if (low !== undefined && high !== undefined) ranges.push([low, high]);
  });
  return ranges;
}

function codePoints(text: string): number[] {
  return Array.from(text, (character) => character.codePointAt(0) ?? 0);
}
