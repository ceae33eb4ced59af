/**
 * Parses Markdown into blocks, line by line in linear time. The caller parses the inside of a line.
 * docs/decisions/0102-markdown-on-the-server.md says why this is not a library.
 */

/**
 * `isApart`: at the start, and after an empty line. A table has its header, its delimiter row and its rows as written.
 */
export type Block = { readonly isApart: boolean } & (
  | { readonly kind: "code" | "paragraph" | "table"; readonly lines: readonly string[] }
  | { readonly kind: "heading"; readonly level: number; readonly text: string }
  | { readonly kind: "rule" }
  | { readonly kind: "quote"; readonly text: string }
  | { readonly kind: "item"; readonly indent: string; readonly number: string | null; readonly text: string }
);

type Found = Block extends infer B ? (B extends Block ? Omit<B, "isApart"> : never) : never;

const FENCE = /^ {0,3}(`{3,}|~{3,})([^`]*)$/s;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/s;
const UNDERLINE = /^ {0,3}=+[ \t]*$/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const ITEM = /^([ \t]*)(?:[-*+]|(\d{1,9})[.)])[ \t]+(.*)$/s;
const QUOTE = /^ {0,3}>[ \t]?(.*)$/s;

/** A position in a text's lines. */
interface Lines {
  readonly all: readonly string[];
  at: number;
}

export function readBlocks(markdown: string): Block[] {
  const lines = { all: markdown.replace(/\r\n?/g, "\n").replaceAll("\0", "\ufffd").split("\n"), at: 0 };
  const blocks: Block[] = [];
  for (let isApart = true; lines.at < lines.all.length; ) {
    if (getLine(lines).trim() === "") {
      lines.at += 1;
      isApart = true;
      continue;
    }
    const found = readCode(lines) ?? readTable(lines) ?? readLine(lines) ?? readParagraph(lines);
    blocks.push({ ...found, isApart });
    isApart = false;
  }
  return blocks;
}

function getLine({ all, at }: Lines, ahead = 0): string {
  return all[at + ahead] ?? "";
}

/** An unterminated code block extends to the end of the text. */
function readCode(lines: Lines): Found | null {
  const fence = FENCE.exec(getLine(lines))?.[1];
  if (fence === undefined) return null;
  const code: string[] = [];
  for (lines.at += 1; lines.at < lines.all.length; lines.at += 1) {
    const line = getLine(lines);
    const [, close = "", rest = ""] = FENCE.exec(line) ?? [];
    if (close.startsWith(fence) && rest.trim() === "") {
      lines.at += 1;
      break;
    }
    code.push(line);
  }
  return { kind: "code", lines: code };
}

function readTable(lines: Lines): Found | null {
  if (!startsTable(lines)) return null;
  const start = lines.at;
  for (lines.at += 2; getLine(lines).includes("|"); ) lines.at += 1;
  return { kind: "table", lines: lines.all.slice(start, lines.at) };
}

function startsTable(lines: Lines): boolean {
  if (!getLine(lines).includes("|")) return false;
  const cells = stripBars(getLine(lines, 1)).split("|");
  return cells.every((cell) => /^:?-+:?$/.test(cell.trim()));
}

/** Removes the bars around a row. */
export function stripBars(row: string): string {
  return row.trim().replace(/^\|/, "").replace(/\|$/, "");
}

/** Reads headings, rules, items (a bullet has no number) and quotes, by the start of the line. */
function readLine(lines: Lines): Found | null {
  const line = getLine(lines);
  const found =
    readHeading(line) ?? (RULE.test(line) ? ({ kind: "rule" } as const) : null) ?? readItem(line) ?? readQuote(line);
  if (found !== null) lines.at += 1;
  return found;
}

function readHeading(line: string): Found | null {
  const [, signs, title = ""] = HEADING.exec(line) ?? [];
  return signs === undefined ? null : { kind: "heading", level: signs.length, text: stripClosing(title.trim()) };
}

function readItem(line: string): Found | null {
  const [, indent, number = null, text = ""] = ITEM.exec(line) ?? [];
  return indent === undefined ? null : { kind: "item", indent, number, text };
}

function readQuote(line: string): Found | null {
  const text = QUOTE.exec(line)?.[1];
  return text === undefined ? null : { kind: "quote", text };
}

/** Removes the closing signs of a heading. */
function stripClosing(title: string): string {
  let end = title.length;
  while (title.charAt(end - 1) === "#") end -= 1;
  return end === 0 || /[ \t]/.test(title.charAt(end - 1)) ? title.slice(0, end).trimEnd() : title;
}

function readParagraph(lines: Lines): Found {
  const text: string[] = [];
  do {
    text.push(getLine(lines).trim());
    lines.at += 1;
  } while (lines.at < lines.all.length && continuesParagraph(lines));
  if (text.length > 1 || !UNDERLINE.test(getLine(lines))) return { kind: "paragraph", lines: text };
  lines.at += 1;
  return { kind: "heading", level: 1, text: text[0] ?? "" };
}

/** True for a line that continues the paragraph above it. */
function continuesParagraph(lines: Lines): boolean {
  const line = getLine(lines);
  if (line.trim() === "" || startsTable(lines)) return false;
  return ![FENCE, HEADING, UNDERLINE, RULE, ITEM, QUOTE].some((form) => form.test(line));
}
