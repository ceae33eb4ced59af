/** Estimates how much of a slide a block takes. */
import { extractText, getNodes, getParts, getTextAt, isAttributes, type Node } from "./ast.ts";

/** Lines of a slide at the default size. Up to the maximum, the text is scaled down. */
export const LINES = 9;
export const MAX_LINES = 11;
const LETTERS_PER_LINE = 68;
export const TABLE_ROW_LINES = 1.25;

/** Whether a block has a box of its own: a table or a picture. */
export function isVisual(block: Node): boolean {
  if (block.t === "Table" || block.t === "Figure") return true;
  const inlines = block.t === "Para" || block.t === "Plain" ? getNodes(block.c) : [];
  return inlines.length > 0 && inlines.every(({ t }) => t === "Image" || t === "SoftBreak" || t === "Space");
}

/** Whether a block is for the speaker only. */
export function isNotes(block: Node): boolean {
  const [attributes] = getParts(block);
  return block.t === "Div" && isAttributes(attributes) && attributes[1].includes("notes");
}

/** Estimates how many lines of a slide a block takes. */
export function countLines(block: Node): number {
  const parts = getParts(block);
  switch (block.t) {
    case "BulletList":
      return parts.reduce<number>((sum, item) => sum + countAllLines(item), 0);
    case "OrderedList":
      return toList(parts[1]).reduce<number>((sum, item) => sum + countAllLines(item), 0);
    case "CodeBlock":
      return getTextAt(block, 1).split("\n").length;
    case "Table":
      return (countRows(block) + 1) * TABLE_ROW_LINES;
    // Pictures have their own boxes, and notes are not on the slide.
    case "Figure":
      return 0;
    case "Div":
      return isNotes(block) ? 0 : countAllLines(parts[1]);
    default:
      return Math.max(1, Math.ceil(extractText(block.c).length / LETTERS_PER_LINE));
  }
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function countAllLines(blocks: unknown): number {
  return getNodes(blocks).reduce((sum, block) => sum + countLines(block), 0);
}

function countRows(table: Node): number {
  const [, , , , bodies] = getParts(table);
  return toList(bodies).reduce<number>((sum, body) => sum + toList(toList(body)[3]).length, 0);
}
