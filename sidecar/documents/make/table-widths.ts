/**
 * How wide the columns of a table are, and how large its letters. pandoc gives the columns of a wide Markdown table the widths
 * of its dashes (https://pandoc.org/MANUAL.html#extension-pipe_tables), which say nothing of what is in them.
 */
import { type Node, nodesOf, partsOf, textOf } from "./ast.ts";

/** Letters of the usual size that a line of a page holds. */
const LETTERS_OF_A_LINE = 90;
/** What stands free at both sides of a cell, in letters. */
const PADDING = 3;
const LONGEST_WORD = 18;
const LONGEST_LINE = 80;
const USUAL_POINTS = 10;
const EAST_ASIAN = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/gu;

/** The letters of a table with more columns than this are smaller: points, the largest number first. */
export const SMALLER_LETTERS: readonly { readonly columns: number; readonly points: number }[] = [
  { columns: 14, points: 6 },
  { columns: 11, points: 7 },
  { columns: 7, points: 8 },
];

/** Null: the usual ones. */
export function smallerLetters(columns: number): number | null {
  return SMALLER_LETTERS.find((size) => columns > size.columns)?.points ?? null;
}

/** A table whose columns are as wide as what is in them, if together they are no wider than a page; else parts of the page. */
export function withColumnWidths(table: Node): Node {
  const parts = partsOf(table);
  const specs = listOf(parts[2]);
  const rows = rowsOf(parts);
  // Cells that reach over others belong to no one column.
  if (rows.some((cells) => cells.length !== specs.length || cells.some((cell) => cell[2] !== 1 || cell[3] !== 1)))
    return table;
  const columns = specs.map((_, index) => {
    const texts = rows.map((cells) => textOf(nodesOf(cells[index]?.[4]).map(({ c }) => c)));
    const widest = (of: readonly string[]) => of.reduce((most, text) => Math.max(most, lettersOf(text)), 1);
    const line = Math.min(widest(texts), LONGEST_LINE);
    return { line, word: Math.min(line, LONGEST_WORD, widest(texts.flatMap((text) => text.split(/[\s-]+/)))) };
  });
  const widths = widthsOf(columns);
  const sized = specs.map((spec, index) => [
    listOf(spec)[0],
    widths === null ? { t: "ColWidthDefault" } : { t: "ColWidth", c: widths[index] },
  ]);
  return { t: table.t, c: [...parts.slice(0, 2), sized, ...parts.slice(3)] };
}

/** Parts of the page, 1 together; null: each is as wide as its longest line. What room there is beyond words goes to long lines. */
function widthsOf(columns: readonly { readonly line: number; readonly word: number }[]): readonly number[] | null {
  const sum = (of: readonly number[]) => of.reduce((total, one) => total + one, 0);
  const room = (LETTERS_OF_A_LINE * USUAL_POINTS) / (smallerLetters(columns.length) ?? USUAL_POINTS);
  const lines = sum(columns.map(({ line }) => line + PADDING));
  if (lines <= room) return null;
  const words = sum(columns.map(({ word }) => word + PADDING));
  const share = Math.max(0, room - words) / Math.max(1, lines - words);
  const widths = columns.map(({ line, word }) => word + PADDING + (line - word) * share);
  return widths.map((width) => width / sum(widths));
}

/** The cells of the head and of the bodies. */
function rowsOf([, , , head, bodies]: readonly unknown[]): readonly (readonly unknown[])[][] {
  const rows = [...listOf(listOf(head)[1]), ...listOf(bodies).flatMap((body) => listOf(listOf(body)[3]))];
  return rows.map((row) => listOf(listOf(row)[1]).map(listOf));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function lettersOf(text: string): number {
  return text.length + (text.match(EAST_ASIAN)?.length ?? 0);
}
