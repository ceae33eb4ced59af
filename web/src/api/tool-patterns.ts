/**
 * Patterns of tool names as agents and skills hold them: `*` is any characters, `?` one, `[seq]` one of a set or of ranges, `[!seq]`
 * one outside of it; an unclosed bracket is itself. No regular expression is built of a pattern.
 */
import type { Tool } from "./types.generated.ts";

type NameableTool = Pick<Tool, "name" | "also_named">;
export type NamedTool = NameableTool & Pick<Tool, "only_by_name">;

/** What one character has to be; null: any number of any characters. */
type Piece = ((point: number) => boolean) | null;

/** Whether the pattern matches the whole name. Its time grows with the product of both lengths at most. */
export function matchesName(name: string, pattern: string): boolean {
  const points = codePoints(name);
  const pieces = parsePieces(pattern);
  let at = 0;
  let piece = 0;
  // Where the last star stands, and how far into the name it reaches so far.
  let star = -1;
  let reach = 0;
  while (at < points.length) {
    const wanted = pieces[piece];
    if (wanted === null) {
      star = piece++;
      reach = at;
    } else if (wanted !== undefined && wanted(points[at] ?? 0)) {
      at += 1;
      piece += 1;
    } else if (star >= 0) {
      reach += 1;
      at = reach;
      piece = star + 1;
    } else return false;
  }
  while (pieces[piece] === null) piece += 1;
  return piece === pieces.length;
}

/** Whether an agent with these patterns is given the tool, its permissions left aside. */
export function isNamedBy(tool: NamedTool, patterns: readonly string[]): boolean {
  const names = listNames(tool);
  if (tool.only_by_name && !patterns.some((pattern) => names.includes(pattern))) return false;
  return patterns.some((pattern) => names.some((name) => matchesName(name, pattern)));
}

/** Whether a pattern alone takes the tool: for rules of approval and for skills, which mean every tool that they match. */
export function isMatchedBy(tool: NameableTool, pattern: string): boolean {
  return listNames(tool).some((name) => matchesName(name, pattern));
}

/** Every name by which patterns know a tool: a dotted one with underscores too. */
function listNames({ name, also_named }: NameableTool): readonly string[] {
  return [...new Set([name, ...also_named].flatMap((one) => [one, one.replaceAll(".", "_")]))];
}

const STAR = 0x2a;
const QUESTION = 0x3f;
const OPEN = 0x5b;
const CLOSE = 0x5d;
const BANG = 0x21;
const HYPHEN = 0x2d;

function parsePieces(pattern: string): readonly Piece[] {
  const points = codePoints(pattern);
  const pieces: Piece[] = [];
  let at = 0;
  while (at < points.length) {
    const point = points[at] ?? 0;
    const end = point === OPEN ? closingBracket(points, at + 1) : -1;
    if (point === STAR) pieces.push(null);
    else if (point === QUESTION) pieces.push(() => true);
    else if (end < 0) pieces.push((one) => one === point);
    else {
      pieces.push(parseSet(points.slice(at + 1, end)));
      at = end;
    }
    at += 1;
  }
  return pieces;
}

/** Where the bracket closes; `]` is itself when it comes first. Negative: it does not. */
function closingBracket(points: readonly number[], start: number): number {
  let at = points[start] === BANG ? start + 1 : start;
  if (points[at] === CLOSE) at += 1;
  return points.indexOf(CLOSE, at);
}

/** A range that runs backwards holds nothing. */
function parseSet(inside: readonly number[]): (point: number) => boolean {
  const isNegated = inside[0] === BANG;
  const members = isNegated ? inside.slice(1) : inside;
  const ranges: [low: number, high: number][] = [];
  for (let at = 0; at < members.length; at += 1) {
    const low = members[at] ?? 0;
    const high = members[at + 2];
    if (members[at + 1] === HYPHEN && high !== undefined) {
      ranges.push([low, high]);
      at += 2;
    } else ranges.push([low, low]);
  }
  return (point) => isNegated !== ranges.some(([low, high]) => low <= point && point <= high);
}

function codePoints(text: string): readonly number[] {
  return Array.from(text, (character) => character.codePointAt(0) ?? 0);
}
