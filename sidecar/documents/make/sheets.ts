/** The tables of a Markdown text as sheets: one each, named after the heading above it. */
import type { Cell, Sheet } from "../../../core/documents/make.ts";
import { type Node, nodesOf, partsOf, textOf } from "./ast.ts";

const MAX_SHEETS = 50;
const MAX_NAME_CHARACTERS = 31;
/** What a text must look like to be a number: a zero in front, as in a code or a telephone number, makes it a text. */
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/;
const GROUPED = /^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

export function sheetsOf(blocks: readonly Node[]): readonly Sheet[] {
  const sheets: Sheet[] = [];
  const taken = new Set<string>();
  let heading = "";
  for (const block of blocks) {
    if (block.t === "Header") heading = textOf(partsOf(block)[2]).trim();
    if (block.t !== "Table" || sheets.length >= MAX_SHEETS) continue;
    sheets.push({ ...sheetOf(block), name: sheetName(heading, sheets.length + 1, taken) });
  }
  return sheets;
}

function sheetOf(table: Node): Omit<Sheet, "name"> {
  const [, , , head, bodies] = partsOf(table);
  const header = rowsOf(listAt(head, 1)).at(-1)?.map(textOfCell);
  const rows = listOf(bodies).flatMap((body) => rowsOf(listAt(body, 3)));
  const hasDates = (index: number) => rows.length > 0 && rows.every((row) => DATE.test(textOfCell(row[index])));
  const isEmpty = header === undefined || header.every((text) => text === "");
  const columns = isEmpty
    ? {}
    : {
        columns: header.map((text, index) => ({ header: text, ...(hasDates(index) ? { type: "date" as const } : {}) })),
      };
  return { ...columns, rows: rows.map((row) => row.map((cell) => valueOf(textOfCell(cell)))) };
}

function rowsOf(rows: readonly unknown[]): (readonly unknown[])[] {
  return rows.map((row) => listAt(row, 1));
}

function textOfCell(cell: unknown): string {
  return nodesOf(listAt(cell, 4))
    .map((block) => textOf(block.c))
    .join("\n")
    .trim();
}

function valueOf(text: string): Cell {
  if (text === "") return null;
  const signed = text.replace(/^−/, "-");
  const isGrouped = GROUPED.test(signed);
  const plain = isGrouped ? signed.replaceAll(",", "") : signed;
  if (!NUMBER.test(plain)) return text;
  const places = plain.split(".")[1]?.length ?? 0;
  // It is shown as it was written.
  const format = `${isGrouped ? "#,##0" : "0"}${places === 0 ? "" : `.${"0".repeat(places)}`}`;
  return format === "0" ? Number(plain) : { value: Number(plain), format };
}

function sheetName(heading: string, number: number, taken: Set<string>): string {
  const base = heading
    .replaceAll(/[[\]:*?/\\]|\p{Cc}/gu, " ")
    .replaceAll(/\s+/g, " ")
    .trim()
    .replaceAll(/^'+|'+$/g, "");
  const wanted = cut(base, MAX_NAME_CHARACTERS) || `Sheet${number}`;
  let name = wanted;
  for (let again = 2; taken.has(name.toLowerCase()); again += 1)
    name = `${cut(wanted, MAX_NAME_CHARACTERS - 5)} (${again})`;
  taken.add(name.toLowerCase());
  return name;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function listAt(value: unknown, index: number): readonly unknown[] {
  return listOf(listOf(value)[index]);
}

/** In UTF-16, as Excel counts, and no letter cut in two. */
function cut(text: string, length: number): string {
  return text
    .slice(0, length)
    .replace(/[\uD800-\uDBFF]$/, "")
    .trim();
}
