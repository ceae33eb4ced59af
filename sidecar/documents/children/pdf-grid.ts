/** Finds tables on a PDF page by their rules, and gives each column the whole text of its header. */
import {
  type Box,
  getCentre,
  groupLines,
  groupWords,
  joinWords,
  type Rule,
  type Rules,
  type Word,
} from "./pdf-page.ts";

/** Rules this near are one, and this near to each other they touch. */
const TOLERANCE = 2.5;
const MAX_RULES = 1_000;
const MAX_CELLS = 4_000;
/** A grid with fewer cells that have a text may be a form or a chart. */
const MIN_FILLED = 0.5;

/** A table: its place, the text above it that spans all columns, and its rows, the first of which is the header. */
export interface GridTable {
  readonly box: Box;
  readonly caption: string;
  readonly rows: readonly (readonly string[])[];
  /** True if a cell spans columns. */
  readonly isMerged: boolean;
}

interface Grid {
  readonly xs: readonly number[];
  readonly ys: readonly number[];
  /** The number of the merged cell by row and column. */
  readonly cells: readonly (readonly number[])[];
}

/** Returns the tables that rules divide into rows and columns. */
export function findGridTables(rules: Rules, words: readonly Word[]): GridTable[] {
  if (rules.across.length + rules.down.length > MAX_RULES) return [];
  return clusterRules(rules).flatMap((cluster) => {
    const grid = buildGrid(cluster);
    const table = grid === null ? null : readTable(grid, words);
    return table === null ? [] : [table];
  });
}

/** Groups rules that touch each other. */
function clusterRules({ across, down }: Rules): Rules[] {
  const groups: { across: Rule[]; down: Rule[] }[] = [];
  for (const rule of down) {
    const touched = groups.filter((group) => group.across.some((one) => isTouching(one, rule)));
    const known = new Set(touched.flatMap((group) => group.across));
    const own = across.filter((one) => isTouching(one, rule) && !known.has(one));
    const merged = {
      across: [...known, ...own],
      down: [...touched.flatMap((group) => group.down), rule],
    };
    for (const group of touched) groups.splice(groups.indexOf(group), 1);
    groups.push(merged);
  }
  return groups;
}

function isTouching(across: Rule, down: Rule): boolean {
  return isWithin(down.at, across) && isWithin(across.at, down);
}

function isWithin(at: number, { from, to }: Rule): boolean {
  return at >= from - TOLERANCE && at <= to + TOLERANCE;
}

/** Null if the rules are not those of a table of several rows and columns. */
function buildGrid({ across, down }: Rules): Grid | null {
  const [xs, ys] = [mergePlaces(down), mergePlaces(across)];
  const [columns, rows] = [xs.length - 1, ys.length - 1];
  if (columns < 2 || rows < 2 || columns * rows > MAX_CELLS) return null;
  const hasRule = (rules: readonly Rule[], at: number, middle: number) =>
    rules.some((rule) => Math.abs(rule.at - at) <= TOLERANCE && middle > rule.from && middle < rule.to);
  const cells = Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (__, column) => row * columns + column),
  );
  const join = (one: number, other: number) => {
    if (one === other) return;
    for (const line of cells) for (const [at, cell] of line.entries()) if (cell === other) line[at] = one;
  };
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1) {
      const [middleX, middleY] = [mean(xs, column), mean(ys, row)];
      const own = cells[row]?.[column] ?? 0;
      const [right, below] = [cells[row]?.[column + 1], cells[row + 1]?.[column]];
      if (right !== undefined && !hasRule(down, xs[column + 1] ?? 0, middleY)) join(own, right);
      if (below !== undefined && !hasRule(across, ys[row + 1] ?? 0, middleX)) join(cells[row]?.[column] ?? own, below);
    }
  return { xs, ys, cells };
}

function mergePlaces(rules: readonly Rule[]): number[] {
  const places: number[] = [];
  for (const at of rules.map((rule) => rule.at).toSorted((one, other) => one - other))
    if (at - (places.at(-1) ?? Number.NEGATIVE_INFINITY) > TOLERANCE) places.push(at);
  return places;
}

function mean(places: readonly number[], at: number): number {
  return ((places[at] ?? 0) + (places[at + 1] ?? 0)) / 2;
}

/** Null if no cell spans columns and few have a text. */
function readTable(grid: Grid, words: readonly Word[]): GridTable | null {
  const { xs, ys, cells } = grid;
  const last = xs.length - 1;
  const byCell = new Map<number, Word[]>();
  for (const word of words) {
    const { x, y } = getCentre(word);
    const cell = cells[findSpan(ys, y)]?.[findSpan(xs, x)];
    if (cell !== undefined) byCell.set(cell, [...(byCell.get(cell) ?? []), word]);
  }
  const isMerged = cells.some((row) => row.some((cell, column) => cell === row[column + 1]));
  const needed = isMerged ? 1 : new Set(cells.flat()).size * MIN_FILLED;
  if (byCell.size < needed) return null;
  const texts = new Map([...byCell].map(([cell, own]) => [cell, joinWords(own)]));
  const isTitle = cells[0]?.every((cell) => cell === cells[0]?.[0]) === true;
  const first = isTitle ? countTitleRows(cells) : 0;
  const lower = readRowsBelow(words, grid);
  const headers = countHeaderRows(cells, first, lower.rows.length > 0 ? cells.length : cells.length - 1);
  const header = Array.from({ length: last }, (_, column) => {
    const own = cells.slice(first, first + headers).map((row) => row[column] ?? -1);
    return [...new Set(own)]
      .map((cell) => texts.get(cell) ?? "")
      .filter((text) => text !== "")
      .join(" ");
  });
  const body = cells.slice(first + headers).map((row, index) => readRow(row, first + headers + index));
  const [left = 0, top = 0] = [xs[0], ys[0]];
  const box = { x: left, y: top, width: (xs.at(-1) ?? 0) - left, height: lower.end - top };
  const caption = isTitle ? (texts.get(cells[0]?.[0] ?? -1) ?? "") : "";
  const rows = [header, ...body.filter((row) => row.some((text) => text !== "")), ...lower.rows];
  return { box, caption, rows, isMerged };

  /** A row whose cells only look merged, since no rule or colour separates them, is divided by its gaps. */
  function readRow(row: readonly number[], at: number): string[] {
    return row.map((cell, column) => {
      const isFirst = cells[at - 1]?.[column] !== cell && (column === 0 || row[column - 1] !== cell);
      const spans = row.filter((one) => one === cell).length;
      if (spans === 1) return isFirst ? (texts.get(cell) ?? "") : "";
      const divided = divideByColumns(byCell.get(cell) ?? [], xs);
      if (divided !== null) return divided[column] ?? "";
      return isFirst ? (texts.get(cell) ?? "") : "";
    });
  }
}

/** Returns the index of the span that contains a place. -1 if none does. */
function findSpan(places: readonly number[], at: number): number {
  const after = places.findIndex((place) => place > at);
  return after < 0 ? places.length : after - 1;
}

function countTitleRows(cells: Grid["cells"]): number {
  const rest = cells.findIndex((row) => row[0] !== cells[0]?.[0]);
  return rest < 0 ? 0 : rest;
}

/** A header's rows have cells that span columns or rows; the row below them is its last. The header ends before `end`. */
function countHeaderRows(cells: Grid["cells"], first: number, end: number): number {
  let count = 1;
  while (first + count < end) {
    const row = cells[first + count - 1] ?? [];
    const below = cells[first + count] ?? [];
    const isMerged = row.some((cell, column) => cell === below[column] || cell === row[column + 1]);
    const isOne = row.every((cell) => cell === row[0]);
    if (!isMerged || (isOne && count > 1)) break;
    count += 1;
  }
  return count;
}

/** Returns the text of each column. Null if the words are one text, or a group of them crosses columns. */
function divideByColumns(words: readonly Word[], xs: readonly number[]): string[] | null {
  const texts: string[] = Array.from({ length: xs.length - 1 }, () => "");
  let filled = 0;
  for (const line of groupLines(words))
    for (const group of groupWords(line)) {
      const column = findSpan(xs, getCentre(group).x);
      const [from = 0, to = 0] = [xs[column], xs[column + 1]];
      if (texts[column] === undefined || group.x < from - TOLERANCE || group.x + group.width > to + TOLERANCE)
        return null;
      filled += texts[column] === "" ? 1 : 0;
      texts[column] = `${texts[column]} ${group.text}`.trim();
    }
  return filled > 1 ? texts : null;
}

/** Reads rows directly below the last rule: a table with coloured rows may end with one without a colour. */
function readRowsBelow(words: readonly Word[], { xs, ys }: Grid): { readonly rows: string[][]; readonly end: number } {
  const [last = 0, before = 0] = [ys.at(-1), ys.at(-2)];
  const [left = 0, right = 0] = [xs[0], xs.at(-1)];
  const inside = words.filter(({ x, width }) => x >= left - TOLERANCE && x + width <= right + TOLERANCE);
  const rows: string[][] = [];
  let end = last;
  for (const line of groupLines(inside.filter((word) => getCentre(word).y > last))) {
    const [word] = line;
    const texts = divideByColumns(line, xs);
    if (word === undefined || texts === null || word.y - end > last - before) break;
    if (texts.filter((text) => text !== "").length < texts.length / 2) break;
    rows.push(texts);
    end = word.y + word.height;
  }
  return { rows, end };
}
