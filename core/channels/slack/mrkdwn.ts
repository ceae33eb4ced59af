/**
 * Converts Markdown to chunks of Slack's mrkdwn: headings become bold, tables become monospaced text. The language of a
 * code fence, the title of a link and unsupported forms are dropped; every other word stays.
 */
import { type Block, readBlocks, stripBars } from "../../lib/markdown-blocks.ts";
import { escapeText } from "./escape.ts";
import { toInlineAtoms, stripMarks } from "./inline.ts";

/** A part of a text. It may be split between its atoms or its lines of code. */
export type Chunk =
  | {
      readonly kind: "text";
      readonly atoms: readonly string[];
      /** True for a continuation of the chunk above, such as a list item. */
      readonly isClose: boolean;
    }
  | { readonly kind: "code"; readonly lines: readonly string[]; readonly isClose: boolean };

const MAX_LEVELS = 6;
/** Longest cell that sets a column's width. A longer cell widens only its own row. */
const MAX_CELL_WIDTH = 40;

export function toChunks(markdown: string): Chunk[] {
  return readBlocks(markdown).map(toChunk);
}

function toChunk(block: Block): Chunk {
  const isClose = !block.isApart;
  switch (block.kind) {
    case "code":
      return toCodeChunk(block.lines);
    case "table":
      return toCodeChunk(toTableLines(block.lines.filter((_, line) => line !== 1).map(splitCells)));
    case "heading":
      return { kind: "text", atoms: toHeadingAtoms(block.text), isClose: false };
    case "rule":
      return { kind: "text", atoms: ["———"], isClose: false };
    case "item":
      return { kind: "text", atoms: toItemAtoms(block), isClose };
    case "quote":
      return { kind: "text", atoms: [">", " ", ...toInlineAtoms(block.text)], isClose };
    case "paragraph":
      return { kind: "text", atoms: toInlineAtoms(block.lines.join("\n")), isClose: false };
  }
}

/** Separates backticks by a zero-width space, since three would end the code. */
export function escapeCodeLine(line: string): string {
  return escapeText(line).replaceAll("``", "`\u200b`");
}

function toCodeChunk(code: readonly string[]): Chunk {
  return { kind: "code", lines: code.map(escapeCodeLine), isClose: false };
}

function toTableLines(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, Math.min(getWidth(cell), MAX_CELL_WIDTH));
    });
  const paddedRows = rows.map((row) =>
    row
      .map((cell, column) => padTo(cell, widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  const rule = widths.map((width) => "-".repeat(Math.max(width, 1))).join("  ");
  return [paddedRows[0] ?? "", rule, ...paddedRows.slice(1)];
}

function splitCells(row: string): string[] {
  return stripBars(row)
    .split(/(?<!\\)\|/)
    .map((cell) => stripMarks(cell.trim().replaceAll("\\|", "|")));
}

function getWidth(text: string): number {
  return Array.from(text).length;
}

function padTo(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - getWidth(text)));
}

function toHeadingAtoms(title: string): string[] {
  const atoms = toInlineAtoms(stripMarks(title));
  const whole = atoms.join("");
  return whole === "" || whole.includes("*") || whole.includes("\n") ? atoms : ["*", ...atoms, "*"];
}

function toItemAtoms({ indent, number, text }: Extract<Block, { kind: "item" }>): string[] {
  const level = Math.min(MAX_LEVELS, Math.floor(indent.replaceAll("\t", "    ").length / 2));
  const [, box, label = text] = /^\[([ xX])\][ \t]+(.*)$/s.exec(text) ?? [];
  const mark = number === null ? (level % 2 === 0 ? "•" : "◦") : `${number}.`;
  const ticked = box === undefined ? [] : [box === " " ? "☐" : "☑", " "];
  return ["    ".repeat(level), mark, " ", ...ticked, ...toInlineAtoms(label)];
}
