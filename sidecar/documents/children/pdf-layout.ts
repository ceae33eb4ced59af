/** Corrects a PDF page's Markdown by the places of its words: tables that rules divide, and the indentation of code. */
import type { ParsedPage } from "@llamaindex/liteparse";
import { findGridTables, type GridTable } from "./pdf-grid.ts";
import { findHeaderGroups } from "./pdf-header-groups.ts";
import { type Box, getCentre, getRules, getWords, groupLines, type Rules, type Word } from "./pdf-page.ts";
import { formatPipeTable } from "./pipe-table.ts";

type Block = NonNullable<ParsedPage["blocks"]>[number];

/** Widths of monospaced letters differ by at most this share. */
const SAME_WIDTH = 0.08;
const BREAK = /\n{2,}/;

/**
 * Gives each column of a table the whole text of its header, and writes a ruled table as one that the parser took apart. Leaves what it
 * cannot find in the Markdown.
 */
export function correctTables(page: ParsedPage, markdown: string): string {
  const [rules, words] = [getRules(page), getWords(page)];
  const chunks = markdown.split(BREAK);
  const blocks = (page.blocks ?? []).map((block) => ({ block, chunk: -1 }));
  findChunks(blocks, chunks);
  for (const table of findGridTables(rules, words)) {
    const { box, caption, rows } = table;
    const inside = blocks.filter(({ block }) => block.bbox !== undefined && isInside(block.bbox, box));
    const places = inside.map(({ chunk }) => chunk);
    if (places.length === 0 || places.includes(-1)) continue;
    if (!table.isMerged && !isTakenApart(table, blocks, inside)) continue;
    const title = caption === "" ? "" : `**${caption.replaceAll("*", "\\*")}**\n\n`;
    for (const place of places) chunks[place] = "";
    chunks[Math.min(...places)] = title + formatPipeTable(rows);
    for (const placed of inside) placed.chunk = -1;
  }
  for (const [index, { block, chunk }] of blocks.entries())
    if (block.kind === "table" && chunk >= 0)
      addHeaderGroups(block, chunk, blocks[index - 1], { chunks, rules, words });
  return chunks.filter((chunk) => chunk !== "").join("\n\n");
}

/** True if the parser's blocks are not this table, and no text outside of it is in one of them. */
function isTakenApart({ box, rows }: GridTable, blocks: readonly Placed[], inside: readonly Placed[]): boolean {
  const touching = blocks.filter(({ block: { bbox } }) => bbox !== undefined && isOverlapping(bbox, box));
  if (touching.some(({ block: { bbox } }) => bbox !== undefined && !isWhollyInside(bbox, box))) return false;
  const [only, ...others] = inside;
  if (only?.block.kind !== "table" || others.length > 0) return true;
  return (only.block.rows ?? []).length + (only.block.header === undefined ? 0 : 1) !== rows.length;
}

interface Placed {
  readonly block: Block;
  /** The index of its text in the Markdown. -1 if it is not a text of its own. */
  chunk: number;
}

/** Finds each block's text. The parser writes blocks in order, but joins list items. */
function findChunks(blocks: readonly Placed[], chunks: readonly string[]): void {
  const tables = chunks.flatMap((chunk, index) => (chunk.startsWith("|") ? [index] : []));
  const known = blocks.filter(({ block }) => block.kind === "table");
  if (tables.length === known.length) for (const [index, table] of known.entries()) table.chunk = tables[index] ?? -1;
  const taken = new Set<number>();
  for (const placed of blocks) {
    const { kind, text, level = 1 } = placed.block;
    const written = kind === "heading" ? `${"#".repeat(level)} ${text ?? ""}` : kind === "rule" ? "---" : text;
    if (kind === "table" || written === undefined) continue;
    const forms = [written, `**${written}**`];
    placed.chunk = chunks.findIndex((chunk, index) => forms.includes(chunk) && !taken.has(index));
    taken.add(placed.chunk);
  }
}

function isInside(inner: Box, { x, y, width, height }: Box): boolean {
  const centre = getCentre(inner);
  return centre.x >= x - 2 && centre.x <= x + width + 2 && centre.y >= y - 2 && centre.y <= y + height + 2;
}

function isOverlapping(one: Box, other: Box): boolean {
  const isApart = (start: number, size: number, from: number, length: number) =>
    start + size <= from + 2 || start >= from + length - 2;
  return !isApart(one.x, one.width, other.x, other.width) && !isApart(one.y, one.height, other.y, other.height);
}

function isWhollyInside(inner: Box, { x, y, width, height }: Box): boolean {
  const [right, bottom] = [inner.x + inner.width, inner.y + inner.height];
  return inner.x >= x - 2 && inner.y >= y - 2 && right <= x + width + 2 && bottom <= y + height + 2;
}

interface PageText {
  readonly chunks: string[];
  readonly rules: Rules;
  readonly words: readonly Word[];
}

/** Adds the words of the paragraph above an open table to the headers of the columns that they span. */
function addHeaderGroups(block: Block, chunk: number, before: Placed | undefined, page: PageText): void {
  const rows = [...(block.header === undefined ? [] : [block.header]), ...(block.rows ?? [])];
  const paragraph = before?.block.kind === "paragraph" && before.chunk === chunk - 1 ? before.block.text : undefined;
  if (paragraph === undefined) return;
  const found = findHeaderGroups(
    rows.map((row) => row.map(({ bbox }) => bbox)),
    page.words,
    page.rules.across,
  );
  if (found === null || found.text !== paragraph) return;
  const [header = [], ...body] = rows.map((row) => row.map(({ text }) => text));
  const whole = header.map((text, column) => `${found.groups[column] ?? ""} ${text}`.trim());
  page.chunks[chunk - 1] = "";
  page.chunks[chunk] = formatPipeTable([whole, ...body]);
}

/** Restores the indentation and the empty lines of code, which the parser drops. */
export function indentCode({ blocks = [], textItems }: ParsedPage, markdown: string): string {
  let text = markdown;
  for (const { kind, lines = [], lang = "", bbox } of blocks) {
    if (kind !== "code" || bbox === undefined) continue;
    const items = textItems.filter((item) => item.text.trim() !== "" && isInside(item, bbox));
    const indented = layOutCode(items, lines);
    if (indented === null) continue;
    const fence = (content: readonly string[]) => `\`\`\`${lang}\n${content.join("\n")}\n\`\`\``;
    text = text.replace(fence(lines), () => fence(indented));
  }
  return text;
}

/** Null if the letters have different widths, or the items are not these lines. */
function layOutCode(items: readonly Word[], lines: readonly string[]): string[] | null {
  const widths = items.filter(({ text }) => text.length > 2).map(({ text, width }) => width / text.length);
  const letter = widths.toSorted((one, other) => one - other)[Math.floor(widths.length / 2)];
  if (letter === undefined || widths.some((width) => Math.abs(width - letter) > letter * SAME_WIDTH)) return null;
  const found = groupLines(items);
  if (found.length !== lines.length) return null;
  const left = Math.min(...items.map(({ x }) => x));
  const tops = found.map((line) => Math.max(...line.map(({ y, height }) => y + height)));
  const gaps = tops.slice(1).map((top, index) => top - (tops[index] ?? 0));
  const usual = gaps.toSorted((one, other) => one - other)[Math.floor(gaps.length / 4)] ?? 0;
  return found.flatMap((line, index) => {
    const gap = index === 0 || usual === 0 ? 1 : Math.round((gaps[index - 1] ?? usual) / usual);
    const empty = Array.from({ length: Math.min(Math.max(gap - 1, 0), 3) }, () => "");
    let text = "";
    for (const item of line) text = text.padEnd(Math.round((item.x - left) / letter)) + item.text;
    return [...empty, text];
  });
}
