/** Tables, pictures and formulas as results. */
import { z } from "zod";
import type { PieceData } from "../../core/knowledge/piece.ts";
import { cutText, MAX_QUOTE } from "../../core/knowledge/sources.ts";
import { toOneLine } from "../../core/knowledge/render-source.ts";
import { toTerms } from "../../core/lib/tool-search/words.ts";

const MAX_ROWS = 20;
const MAX_COLUMNS = 50;
const MAX_CELL = 300;
const MAX_NEARBY = 600;
const MAX_TEX = 2_000;

export const tableFields = {
  caption: z.string().nullable(),
  columns: z.array(z.string()),
  rows: z.array(z.array(z.string())).describe("At most 20: those with words of the query, then the first"),
  row_count: z.int(),
};

/** Returns a table with the rows that fit the query, in their order. */
export function toTableFields({ caption, columns, rows, rowCount }: PieceData["table"], query: string) {
  const cells = (row: readonly string[]) => row.slice(0, MAX_COLUMNS).map((cell) => cutText(cell, MAX_CELL));
  return { caption, columns: cells(columns), rows: pickRows(rows, query).map(cells), row_count: rowCount };
}

function pickRows(rows: readonly (readonly string[])[], query: string): readonly (readonly string[])[] {
  if (rows.length <= MAX_ROWS) return rows;
  const wanted = new Set(toTerms(query));
  const counted = rows.map((row, at) => {
    const terms = new Set(toTerms(row.join(" ")));
    return { row, at, count: [...wanted].filter((term) => terms.has(term)).length };
  });
  const best = counted.sort((a, b) => b.count - a.count || a.at - b.at).slice(0, MAX_ROWS);
  return best.sort((a, b) => a.at - b.at).map(({ row }) => row);
}

interface ShownTable {
  readonly caption: string | null;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly row_count: number;
}

export function formatTable({ caption, columns, rows, row_count: count }: ShownTable): string {
  const line = (cells: readonly string[]) => cells.map((cell) => toOneLine(cell, MAX_CELL)).join(" | ");
  const left = count - rows.length;
  return [
    ...(caption === null ? [] : [caption]),
    line(columns),
    ...rows.map(line),
    ...(left > 0 ? [`(${left} more of ${count} rows)`] : []),
  ].join("\n");
}

export const imageFields = {
  caption: z.string().nullable(),
  alt: z.string().nullable(),
  nearby: z.string().describe("The text next to it"),
  width: z.int().nullable(),
  height: z.int().nullable(),
  path: z.string().nullable().describe("Where it was saved in the sandbox; null: not saved"),
};

export function toImageFields({ caption, alt, nearby, width, height }: PieceData["image"], path: string | null) {
  return { caption, alt, nearby: cutText(nearby, MAX_NEARBY), width, height, path };
}

interface ShownImage {
  readonly caption: string | null;
  readonly alt: string | null;
  readonly nearby: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly path: string | null;
}

export function formatImage({ caption, alt, nearby, width, height, path }: ShownImage): string {
  return [
    `Picture${width === null || height === null ? "" : `, ${width} × ${height}`}${path === null ? "" : `, saved as ${path}`}`,
    ...(caption === null ? [] : [`Caption: ${caption}`]),
    ...(alt === null ? [] : [`Alternative text: ${alt}`]),
    ...(nearby === "" ? [] : [`Next to it: ${nearby}`]),
  ].join("\n");
}

export const formulaFields = { tex: z.string(), context: z.string().describe("The text around it") };

export function toFormulaFields({ tex, context }: PieceData["formula"]) {
  return { tex: cutText(tex, MAX_TEX), context: cutText(context, MAX_QUOTE) };
}

export function formatFormula({ tex, context }: { readonly tex: string; readonly context: string }): string {
  return context === "" ? `$${tex}$` : `$${tex}$\n${context}`;
}
