/**
 * Sets the column widths and letter sizes of tables by their content. pandoc would use the number of dashes in the Markdown
 * (https://pandoc.org/MANUAL.html#extension-pipe_tables).
 */
import { type Node, getNodes, getParts, extractText } from "./ast.ts";

/** Letters of the default size per line of a page. */
const LETTERS_PER_LINE = 90;
/** Horizontal padding of a cell, in letters. */
const PADDING = 3;
const LONGEST_WORD = 18;
const LONGEST_LINE = 80;
const DEFAULT_POINTS = 10;
const EAST_ASIAN = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/gu;

/** Letter sizes in points of tables with more than this many columns, the largest number first. */
export const LETTER_SIZES: readonly { readonly columns: number; readonly points: number }[] = [
  { columns: 14, points: 6 },
  { columns: 11, points: 7 },
  { columns: 7, points: 8 },
];

/** Null means the default size. */
export function getSmallerPoints(columns: number): number | null {
  return LETTER_SIZES.find((size) => columns > size.columns)?.points ?? null;
}

/** Sets automatic widths if the content fits the page, otherwise widths relative to the page. */
export function setColumnWidths(table: Node): Node {
  const parts = getParts(table);
  const specs = toList(parts[2]);
  const rows = getRows(parts);
  // Cells that span columns cannot be measured.
  if (rows.some((cells) => cells.length !== specs.length || cells.some((cell) => cell[2] !== 1 || cell[3] !== 1)))
    return table;
  const columns = specs.map((_, index) => {
    const texts = rows.map((cells) => extractText(getNodes(cells[index]?.[4]).map(({ c }) => c)));
    const widest = (of: readonly string[]) => of.reduce((most, text) => Math.max(most, countLetters(text)), 1);
    const line = Math.min(widest(texts), LONGEST_LINE);
    return { line, word: Math.min(line, LONGEST_WORD, widest(texts.flatMap((text) => text.split(/[\s-]+/)))) };
  });
  const widths = computeWidths(columns);
  const sized = specs.map((spec, index) => [
    toList(spec)[0],
    widths === null ? { t: "ColWidthDefault" } : { t: "ColWidth", c: widths[index] },
  ]);
  return { t: table.t, c: [...parts.slice(0, 2), sized, ...parts.slice(3)] };
}

/** Returns widths that sum to 1, or null if the longest lines fit. Space beyond the words goes to long lines. */
function computeWidths(columns: readonly { readonly line: number; readonly word: number }[]): readonly number[] | null {
  const sum = (of: readonly number[]) => of.reduce((total, one) => total + one, 0);
  const room = (LETTERS_PER_LINE * DEFAULT_POINTS) / (getSmallerPoints(columns.length) ?? DEFAULT_POINTS);
  const lines = sum(columns.map(({ line }) => line + PADDING));
  if (lines <= room) return null;
  const words = sum(columns.map(({ word }) => word + PADDING));
  const share = Math.max(0, room - words) / Math.max(1, lines - words);
  const widths = columns.map(({ line, word }) => word + PADDING + (line - word) * share);
  return widths.map((width) => width / sum(widths));
}

/** Returns the cells of the head and of the bodies. */
function getRows([, , , head, bodies]: readonly unknown[]): readonly (readonly unknown[])[][] {
  const rows = [...toList(toList(head)[1]), ...toList(bodies).flatMap((body) => toList(toList(body)[3]))];
  return rows.map((row) => toList(toList(row)[1]).map(toList));
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function countLetters(text: string): number {
  return text.length + (text.match(EAST_ASIAN)?.length ?? 0);
}
