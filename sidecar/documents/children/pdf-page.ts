/** The used part of a parsed PDF page: its blocks, words and ruled lines. Lengths are points, from the top left corner. */
import type { ParsedPage } from "@llamaindex/liteparse";

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Word extends Box {
  readonly text: string;
}

/** A line along one axis: `at` is its place on the other axis. */
export interface Rule {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

export interface Rules {
  readonly across: readonly Rule[];
  readonly down: readonly Rule[];
}

/** Thicker shapes are areas, whose edges count as rules. */
const MAX_RULE_POINTS = 3;
/** A page with more drawings is a chart or a map. */
const MAX_DRAWINGS = 4_000;
/** An area as large as the page is its background. */
const MAX_AREA_SHARE = 0.9;

export function getWords(page: ParsedPage): Word[] {
  return page.textItems
    .flatMap(({ words = [], ...item }) => (words.length === 0 ? [item] : words))
    .filter(({ text }) => text.trim() !== "")
    .map(({ text, x, y, width, height }) => ({ text: text.trim(), x, y, width, height }));
}

/** Returns the page's rules: drawn lines, and the edges of filled areas. */
export function getRules(page: ParsedPage): Rules {
  const { lines = [], shapes = [] } = page.vectorGraphics ?? {};
  const across: Rule[] = [];
  const down: Rule[] = [];
  if (lines.length + shapes.length > MAX_DRAWINGS) return { across, down };
  for (const { x1, y1, x2, y2 } of lines) {
    if (Math.abs(y1 - y2) < 1) across.push({ at: (y1 + y2) / 2, from: Math.min(x1, x2), to: Math.max(x1, x2) });
    else if (Math.abs(x1 - x2) < 1) down.push({ at: (x1 + x2) / 2, from: Math.min(y1, y2), to: Math.max(y1, y2) });
  }
  for (const { bbox, fill, hasCurve } of shapes) {
    const { x, y, width, height } = bbox;
    if (!fill || hasCurve || width > page.width * MAX_AREA_SHARE || height > page.height * MAX_AREA_SHARE) continue;
    if (height > MAX_RULE_POINTS && width > MAX_RULE_POINTS) {
      for (const at of [y, y + height]) across.push({ at, from: x, to: x + width });
      for (const at of [x, x + width]) down.push({ at, from: y, to: y + height });
    } else if (height <= MAX_RULE_POINTS && width > height) across.push({ at: y + height / 2, from: x, to: x + width });
    else if (width <= MAX_RULE_POINTS) down.push({ at: x + width / 2, from: y, to: y + height });
  }
  return { across, down };
}

export function getCentre({ x, y, width, height }: Box): { readonly x: number; readonly y: number } {
  return { x: x + width / 2, y: y + height / 2 };
}

/** Joins words to lines from top to bottom, each from left to right. */
export function groupLines(words: readonly Word[]): Word[][] {
  const lines: Word[][] = [];
  for (const word of words.toSorted((one, other) => one.y - other.y)) {
    const line = lines.at(-1);
    const first = line?.[0];
    if (line !== undefined && first !== undefined && getCentre(word).y < first.y + first.height) line.push(word);
    else lines.push([word]);
  }
  return lines.map((line) => line.toSorted((one, other) => one.x - other.x));
}

/** Joins words of a line that no column separates: gaps wider than a letter begin a group. */
export function groupWords(line: readonly Word[]): Word[] {
  const groups: Word[] = [];
  for (const word of line) {
    const last = groups.at(-1);
    if (last === undefined || word.x - (last.x + last.width) > word.height) groups.push(word);
    else
      groups[groups.length - 1] = { ...last, text: `${last.text} ${word.text}`, width: word.x + word.width - last.x };
  }
  return groups;
}

export function joinWords(words: readonly Word[]): string {
  return groupLines(words)
    .map((line) => line.map(({ text }) => text).join(" "))
    .join(" ");
}
