/** Converts the tables of a Markdown text to sheets, each named after the heading above it. */
import type { Cell, Sheet } from "../../../core/documents/make.ts";
import { type Node, getNodes, getParts, extractText } from "./ast.ts";

const MAX_SHEETS = 50;
const MAX_NAME_CHARACTERS = 31;
/** Matches a number. A leading zero, as in a code or a telephone number, makes it a text. */
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/;
const GROUPED = /^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

export function toSheets(blocks: readonly Node[]): readonly Sheet[] {
  const sheets: Sheet[] = [];
  const taken = new Set<string>();
  let heading = "";
  for (const block of blocks) {
    if (block.t === "Header") heading = extractText(getParts(block)[2]).trim();
    if (block.t !== "Table" || sheets.length >= MAX_SHEETS) continue;
    sheets.push({ ...toSheet(block), name: makeSheetName(heading, sheets.length + 1, taken) });
  }
  return sheets;
}

function toSheet(table: Node): Omit<Sheet, "name"> {
  const [, , , head, bodies] = getParts(table);
  const header = getRows(getListAt(head, 1)).at(-1)?.map(getCellText);
  const rows = toList(bodies).flatMap((body) => getRows(getListAt(body, 3)));
  const hasDates = (index: number) => rows.length > 0 && rows.every((row) => DATE.test(getCellText(row[index])));
  const isEmpty = header === undefined || header.every((text) => text === "");
  const columns = isEmpty
    ? {}
    : {
        columns: header.map((text, index) => ({ header: text, ...(hasDates(index) ? { type: "date" as const } : {}) })),
      };
  return { ...columns, rows: rows.map((row) => row.map((cell) => toCell(getCellText(cell)))) };
}

function getRows(rows: readonly unknown[]): (readonly unknown[])[] {
  return rows.map((row) => getListAt(row, 1));
}

function getCellText(cell: unknown): string {
  return getNodes(getListAt(cell, 4))
    .map((block) => extractText(block.c))
    .join("\n")
    .trim();
}

function toCell(text: string): Cell {
  if (text === "") return null;
  const signed = text.replace(/^−/, "-");
  const isGrouped = GROUPED.test(signed);
  const plain = isGrouped ? signed.replaceAll(",", "") : signed;
  if (!NUMBER.test(plain)) return text;
  const places = plain.split(".")[1]?.length ?? 0;
  // Keep the way it was written.
  const format = `${isGrouped ? "#,##0" : "0"}${places === 0 ? "" : `.${"0".repeat(places)}`}`;
  return format === "0" ? Number(plain) : { value: Number(plain), format };
}

function makeSheetName(heading: string, number: number, taken: Set<string>): string {
  const base = heading
    .replaceAll(/[[\]:*?/\\]|\p{Cc}/gu, " ")
    .replaceAll(/\s+/g, " ")
    .trim()
    .replaceAll(/^'+|'+$/g, "");
  const wanted = truncate(base, MAX_NAME_CHARACTERS) || `Sheet${number}`;
  let name = wanted;
  for (let suffix = 2; taken.has(name.toLowerCase()); suffix += 1)
    name = `${truncate(wanted, MAX_NAME_CHARACTERS - 5)} (${suffix})`;
  taken.add(name.toLowerCase());
  return name;
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function getListAt(value: unknown, index: number): readonly unknown[] {
  return toList(toList(value)[index]);
}

/** Counts UTF-16 units, as Excel does, and never splits a surrogate pair. */
function truncate(text: string, length: number): string {
  return text
    .slice(0, length)
    .replace(/[\uD800-\uDBFF]$/, "")
    .trim();
}
