/**
 * Markdown in blocks, read line by line in time that grows with its length alone. What a line holds inside is for the caller.
 * Why no library reads it: docs/decisions/0102-markdown-on-the-server.md.
 */

/** `isApart`: at the beginning, and below an empty line. A table has its head, its rule and its rows as they are written. */
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

/** A reader of a text. */
interface Lines {
  readonly all: readonly string[];
  at: number;
}

export function readBlocks(markdown: string): Block[] {
  const lines = { all: markdown.replace(/\r\n?/g, "\n").replaceAll("\0", "\ufffd").split("\n"), at: 0 };
  const blocks: Block[] = [];
  for (let isApart = true; lines.at < lines.all.length; ) {
    if (lineAt(lines).trim() === "") {
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

function lineAt({ all, at }: Lines, ahead = 0): string {
  return all[at + ahead] ?? "";
}

/** Code that never ends has the rest of the text. */
function readCode(lines: Lines): Found | null {
  const fence = FENCE.exec(lineAt(lines))?.[1];
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
  return { kind: "code", lines: code };
}

function readTable(lines: Lines): Found | null {
  if (!beginsTable(lines)) return null;
  const start = lines.at;
  for (lines.at += 2; lineAt(lines).includes("|"); ) lines.at += 1;
  return { kind: "table", lines: lines.all.slice(start, lines.at) };
}

function beginsTable(lines: Lines): boolean {
  if (!lineAt(lines).includes("|")) return false;
  const cells = cellsIn(lineAt(lines, 1)).split("|");
  return cells.every((cell) => /^:?-+:?$/.test(cell.trim()));
}

/** A row without the bars around it. */
export function cellsIn(row: string): string {
  return row.trim().replace(/^\|/, "").replace(/\|$/, "");
}

/** Headings, rules, items (a bullet has no number) and quotes: what a line begins with says what it is. */
function readLine(lines: Lines): Found | null {
  const line = lineAt(lines);
  const found =
    headingIn(line) ?? (RULE.test(line) ? ({ kind: "rule" } as const) : null) ?? itemIn(line) ?? quoteIn(line);
  if (found !== null) lines.at += 1;
  return found;
}

function headingIn(line: string): Found | null {
  const [, signs, title = ""] = HEADING.exec(line) ?? [];
  return signs === undefined ? null : { kind: "heading", level: signs.length, text: withoutClosing(title.trim()) };
}

function itemIn(line: string): Found | null {
  const [, indent, number = null, text = ""] = ITEM.exec(line) ?? [];
  return indent === undefined ? null : { kind: "item", indent, number, text };
}

function quoteIn(line: string): Found | null {
  const text = QUOTE.exec(line)?.[1];
  return text === undefined ? null : { kind: "quote", text };
}

/** A heading may be closed by signs like those that begin it. */
function withoutClosing(title: string): string {
  let end = title.length;
  while (title.charAt(end - 1) === "#") end -= 1;
  return end === 0 || /[ \t]/.test(title.charAt(end - 1)) ? title.slice(0, end).trimEnd() : title;
}

function readParagraph(lines: Lines): Found {
  const text: string[] = [];
  do {
    text.push(lineAt(lines).trim());
    lines.at += 1;
  } while (lines.at < lines.all.length && isText(lines));
  if (text.length > 1 || !UNDERLINE.test(lineAt(lines))) return { kind: "paragraph", lines: text };
  lines.at += 1;
  return { kind: "heading", level: 1, text: text[0] ?? "" };
}

/** True for a line that continues the paragraph above it. */
function isText(lines: Lines): boolean {
  const line = lineAt(lines);
  if (line.trim() === "" || beginsTable(lines)) return false;
  return ![FENCE, HEADING, UNDERLINE, RULE, ITEM, QUOTE].some((form) => form.test(line));
}
