/**
 * Markdown as Slack's mrkdwn, in chunks that stand under each other: headings become bold, tables become text of one width.
 * The language of a fence, the title of a link and what Slack has no form for are left out; every other word stays.
 */
import { type Block, splitCells, readBlocks } from "../../lib/markdown-blocks.ts";
import { escapeText } from "./escape.ts";
import { inlineAtoms, plainText } from "./inline.ts";

/** A part of a text that is split between its atoms, or between the lines of its code. */
export type Chunk =
  | {
      readonly kind: "text";
      readonly atoms: readonly string[];
      /** True: it belongs to the chunk above, as an item of a list does. */
      readonly isClose: boolean;
    }
  | { readonly kind: "code"; readonly lines: readonly string[]; readonly isClose: boolean };

const MAX_LEVELS = 6;
/** A cell is at most so wide in a table: what is longer makes its own row long, and no other. */
const MAX_CELL_WIDTH = 40;

export function chunksOf(markdown: string): Chunk[] {
  return readBlocks(markdown).map(toChunk);
}

function toChunk(block: Block): Chunk {
  const isClose = !block.isApart;
  switch (block.kind) {
    case "code":
      return codeChunk(block.lines);
    case "table":
      return codeChunk(tableLines(block.lines.filter((_, line) => line !== 1).map(cellsOf)));
    case "heading":
      return { kind: "text", atoms: headingAtoms(block.text), isClose: false };
    case "rule":
      return { kind: "text", atoms: ["———"], isClose: false };
    case "item":
      return { kind: "text", atoms: itemAtoms(block), isClose };
    case "quote":
      return { kind: "text", atoms: [">", " ", ...inlineAtoms(block.text)], isClose };
    case "paragraph":
      return { kind: "text", atoms: inlineAtoms(block.lines.join("\n")), isClose: false };
  }
}

/** Three backticks would end the code: a space of no width stands between them. */
export function codeLine(line: string): string {
  return escapeText(line).replaceAll("``", "`\u200b`");
}

function codeChunk(code: readonly string[]): Chunk {
  return { kind: "code", lines: code.map(codeLine), isClose: false };
}

function tableLines(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, Math.min(widthOf(cell), MAX_CELL_WIDTH));
    });
  const shown = rows.map((row) =>
    row
      .map((cell, column) => padded(cell, widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  const rule = widths.map((width) => "-".repeat(Math.max(width, 1))).join("  ");
  return [shown[0] ?? "", rule, ...shown.slice(1)];
}

function cellsOf(row: string): string[] {
  return splitCells(row)
    .split(/(?<!\\)\|/)
    .map((cell) => plainText(cell.trim().replaceAll("\\|", "|")));
}

function widthOf(text: string): number {
  return Array.from(text).length;
}

function padded(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

function headingAtoms(title: string): string[] {
  const atoms = inlineAtoms(plainText(title));
  const whole = atoms.join("");
  return whole === "" || whole.includes("*") || whole.includes("\n") ? atoms : ["*", ...atoms, "*"];
}

function itemAtoms({ indent, number, text }: Extract<Block, { kind: "item" }>): string[] {
  const level = Math.min(MAX_LEVELS, Math.floor(indent.replaceAll("\t", "    ").length / 2));
  const [, box, label = text] = /^\[([ xX])\][ \t]+(.*)$/s.exec(text) ?? [];
  const mark = number === null ? (level % 2 === 0 ? "•" : "◦") : `${number}.`;
  const ticked = box === undefined ? [] : [box === " " ? "☐" : "☑", " "];
  return ["    ".repeat(level), mark, " ", ...ticked, ...inlineAtoms(label)];
}
