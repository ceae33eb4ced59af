/**
 * Markdown as Slack's mrkdwn, in chunks that stand under each other: headings become bold, tables become text of one width.
 * The language of a fence, the title of a link and what Slack has no form for are left out; every other word stays.
 */
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

const FENCE = /^ {0,3}(`{3,}|~{3,})([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const ITEM = /^([ \t]*)(?:([-*+])|(\d{1,9})[.)])[ \t]+(.*)$/;
const QUOTE = /^ {0,3}>[ \t]?(.*)$/;
const TABLE_RULE = /^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const MAX_LEVELS = 6;
/** A cell is at most so wide in a table: what is longer makes its own row long, and no other. */
const MAX_CELL_WIDTH = 40;

/** A reader of a text, line by line. */
interface Lines {
  readonly all: readonly string[];
  at: number;
}

export function chunksOf(markdown: string): Chunk[] {
  const lines = { all: markdown.replace(/\r\n?/g, "\n").replaceAll("\0", "\ufffd").split("\n"), at: 0 };
  const chunks: Chunk[] = [];
  let isApart = true;
  while (lines.at < lines.all.length) {
    const line = lineAt(lines);
    if (line.trim() === "") {
      lines.at += 1;
      isApart = true;
      continue;
    }
    const chunk = fenced(lines) ?? table(lines) ?? oneLine(lines, isApart) ?? paragraph(lines);
    chunks.push(chunk);
    isApart = false;
  }
  return chunks;
}

function lineAt({ all, at }: Lines, ahead = 0): string {
  return all[at + ahead] ?? "";
}

function fenced(lines: Lines): Chunk | null {
  const [, fence] = FENCE.exec(lineAt(lines)) ?? [];
  if (fence === undefined) return null;
  const code: string[] = [];
  for (lines.at += 1; lines.at < lines.all.length; lines.at += 1) {
    const line = lineAt(lines);
    const [, close = "", rest = ""] = FENCE.exec(line) ?? [];
    if (close.startsWith(fence) && rest.trim() === "") {
      lines.at += 1;
      break;
    }
    code.push(line);
  }
  return codeChunk(code);
}

/** Three backticks would end the code: a space of no width stands between them. */
export function codeLine(line: string): string {
  return escapeText(line).replaceAll("``", "`\u200b`");
}

function codeChunk(code: readonly string[]): Chunk {
  return { kind: "code", lines: code.map(codeLine), isClose: false };
}

function table(lines: Lines): Chunk | null {
  if (!beginsTable(lines)) return null;
  const rows = [cellsOf(lineAt(lines))];
  for (lines.at += 2; lineAt(lines).includes("|"); lines.at += 1) rows.push(cellsOf(lineAt(lines)));
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
  return codeChunk([shown[0] ?? "", rule, ...shown.slice(1)]);
}

function cellsOf(line: string): string[] {
  const inside = line.trim().replace(/^\|/, "").replace(/\|$/, "");
  return inside.split(/(?<!\\)\|/).map((cell) => plainText(cell.trim().replaceAll("\\|", "|")));
}

function widthOf(text: string): number {
  return Array.from(text).length;
}

function padded(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

/** Headings, rules, items and quotes: what a line begins says what it is. */
function oneLine(lines: Lines, isApart: boolean): Chunk | null {
  const line = lineAt(lines);
  const [heading, , title = ""] = HEADING.exec(line) ?? [];
  if (heading !== undefined) return advance(lines, headingAtoms(title.replace(/[ \t]+#+[ \t]*$/, "")), false);
  if (RULE.test(line)) return advance(lines, ["———"], false);
  const item = ITEM.exec(line);
  if (item !== null) return listItem(lines, item, !isApart);
  const [quote, quoted = ""] = QUOTE.exec(line) ?? [];
  return quote === undefined ? null : advance(lines, [">", " ", ...inlineAtoms(quoted)], !isApart);
}

function advance(lines: Lines, atoms: readonly string[], isClose: boolean): Chunk {
  lines.at += 1;
  return { kind: "text", atoms, isClose };
}

function headingAtoms(title: string): string[] {
  const atoms = inlineAtoms(plainText(title));
  const whole = atoms.join("");
  return whole === "" || whole.includes("*") || whole.includes("\n") ? atoms : ["*", ...atoms, "*"];
}

function listItem(lines: Lines, [, indent = "", , number, rest = ""]: RegExpExecArray, isClose: boolean): Chunk {
  const level = Math.min(MAX_LEVELS, Math.floor(indent.replaceAll("\t", "    ").length / 2));
  const [, box, label = rest] = /^\[([ xX])\][ \t]+(.*)$/.exec(rest) ?? [];
  const mark = number === undefined ? (level % 2 === 0 ? "•" : "◦") : `${number}.`;
  const ticked = box === undefined ? [] : [box === " " ? "☐" : "☑", " "];
  return advance(lines, ["    ".repeat(level), mark, " ", ...ticked, ...inlineAtoms(label)], isClose);
}

function paragraph(lines: Lines): Chunk {
  const text: string[] = [];
  do {
    text.push(lineAt(lines).trim());
    lines.at += 1;
  } while (lines.at < lines.all.length && isText(lines));
  const under = lineAt(lines);
  if (text.length === 1 && /^ {0,3}=+[ \t]*$/.test(under)) return advance(lines, headingAtoms(text[0] ?? ""), false);
  return { kind: "text", atoms: inlineAtoms(text.join("\n")), isClose: false };
}

/** True for a line that goes on with the paragraph above it. */
function isText(lines: Lines): boolean {
  const line = lineAt(lines);
  if (line.trim() === "" || /^ {0,3}=+[ \t]*$/.test(line)) return false;
  return ![FENCE, HEADING, RULE, ITEM, QUOTE].some((form) => form.test(line)) && !beginsTable(lines);
}

function beginsTable(lines: Lines): boolean {
  return lineAt(lines).includes("|") && lineAt(lines, 1).includes("-") && TABLE_RULE.test(lineAt(lines, 1));
}
