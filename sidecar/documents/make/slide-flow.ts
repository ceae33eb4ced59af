/**
 * Splits content that is too long for one slide. A slide begins with a heading of the slide level or above, or with a rule. Continued
 * slides have the same heading and a number.
 */
import {
  isAttributes,
  NO_ATTRIBUTES,
  type Node,
  getNodes,
  getParts,
  toInlines,
  getTextAt,
  extractText,
} from "./ast.ts";

/** Lines of a slide at the default size. Up to the maximum, the text is scaled down. */
const LINES = 9;
const MAX_LINES = 11;
const LETTERS_PER_LINE = 68;
const TABLE_ROW_LINES = 1.25;
/** Maximum number of lines together with a picture or a table. */
const CAPTION_LINES = 6;

/**
 * Returns the slide level by pandoc's rule (https://pandoc.org/MANUAL.html#structuring-the-slide-show): the highest level of a heading that
 * is followed by content. A first heading above all others is the title and does not count.
 */
export function findSlideLevel(blocks: readonly Node[]): number {
  const headings = blocks.filter(({ t }) => t === "Header").map(getLevel);
  const [first = 6, ...others] = headings;
  const isTitled = blocks[0]?.t === "Header" && others.length > 0 && others.every((level) => level > first);
  let level = 6;
  blocks.forEach((block, index) => {
    const next = blocks[index + 1];
    if (isTitled && index === 0) return;
    if (block.t === "Header" && next !== undefined && next.t !== "Header" && next.t !== "HorizontalRule")
      level = Math.min(level, getLevel(block));
  });
  return level;
}

export function flowSlides(blocks: readonly Node[], level: number): readonly Node[] {
  const flowed: Node[] = [];
  let heading: Node | null = null;
  let body: Node[] = [];
  const close = () => {
    // A heading above the level gets its own slide, and its content begins another.
    const isAbove = heading?.t === "Header" && getLevel(heading) < level && body.some((block) => !isNotes(block));
    if (heading !== null && isAbove) flowed.push(dropName(heading));
    const title = heading !== null && isAbove ? setLevel(heading, level) : heading;
    for (const section of splitSections(title, body)) flowed.push(...splitSlides(section.title, section.blocks));
    body = [];
  };
  for (const block of blocks) {
    const begins = (block.t === "Header" && getLevel(block) <= level) || block.t === "HorizontalRule";
    if (!begins) {
      body.push(block);
      continue;
    }
    close();
    heading = block;
  }
  close();
  return flowed;
}

interface Section {
  readonly title: Node | null;
  readonly blocks: readonly Node[];
}

/**
 * Keeps a heading's content together if it fits one slide. Otherwise inner headings begin slides too, so that continued slides show
 * them.
 */
function splitSections(heading: Node | null, body: readonly Node[]): readonly Section[] {
  const isOne = countAllLines(body) <= MAX_LINES && !body.some(isVisual);
  const level = heading?.t === "Header" ? getLevel(heading) : null;
  if (isOne || level === null || !body.some(({ t }) => t === "Header")) return [{ title: heading, blocks: body }];
  const found: { title: Node | null; blocks: Node[] }[] = [{ title: heading, blocks: [] }];
  for (const block of body) {
    if (block.t === "Header") found.push({ title: setLevel(block, level), blocks: [] });
    else found.at(-1)?.blocks.push(block);
  }
  // A heading followed only by headings would be an empty slide.
  return found.filter(({ blocks }, index) => blocks.length > 0 || index === found.length - 1);
}

function setLevel(header: Node, level: number): Node {
  return { t: header.t, c: [level, ...getParts(header).slice(1)] };
}

/** Drops the name, so that links lead to the slide with the content. */
function dropName(header: Node): Node {
  const [level, , inlines] = getParts(header);
  return { t: header.t, c: [level, NO_ATTRIBUTES, inlines] };
}

function getLevel(header: Node): number {
  const [level] = getParts(header);
  return typeof level === "number" ? level : 6;
}

/** Splits one heading's content into slides. A picture or a table ends its slide, since pandoc would continue on one without a title. */
function splitSlides(heading: Node | null, body: readonly Node[]): Node[] {
  const slides: Node[][] = [[]];
  let used = 0;
  const total = body.reduce((sum, block) => sum + countLines(block), 0);
  const pieces = total <= MAX_LINES ? body : body.flatMap(splitBlock);
  for (const piece of pieces.map(replaceQuote)) {
    const lines = countLines(piece);
    const last = slides.at(-1)?.findLast((block) => !isNotes(block));
    const isFull = total > MAX_LINES && used > 0 && used + lines > LINES;
    const mustEnd =
      last !== undefined && !isNotes(piece) && (isVisual(last) || (isVisual(piece) && used > CAPTION_LINES));
    if (isFull || mustEnd) {
      slides.push([]);
      used = 0;
    }
    slides.at(-1)?.push(piece);
    used += lines;
  }
  return slides.flatMap((slide, index) => {
    const first = heading === null ? [] : [heading];
    return [...(index === 0 ? first : [makeContinuation(heading, index + 1)]), ...joinLists(slide)];
  });
}

function isVisual(block: Node): boolean {
  if (block.t === "Table" || block.t === "Figure") return true;
  const inlines = block.t === "Para" || block.t === "Plain" ? getNodes(block.c) : [];
  return inlines.length > 0 && inlines.every(({ t }) => t === "Image" || t === "SoftBreak" || t === "Space");
}

function isNotes(block: Node): boolean {
  const [attributes] = getParts(block);
  return block.t === "Div" && isAttributes(attributes) && attributes[1].includes("notes");
}

/** Replaces quotes by emphasis, since pandoc prints them larger than the text. */
function replaceQuote(block: Node): Node {
  if (block.t !== "BlockQuote") return block;
  const inner = getNodes(block.c).map(
    (one): Node => (one.t === "Para" || one.t === "Plain" ? { t: one.t, c: [{ t: "Emph", c: one.c }] } : one),
  );
  return { t: "Div", c: [NO_ATTRIBUTES, inner] };
}

function makeContinuation(heading: Node | null, number: number): Node {
  if (heading === null || heading.t !== "Header") return { t: "HorizontalRule" };
  const [level, , inlines] = getParts(heading);
  return {
    t: "Header",
    c: [level, NO_ATTRIBUTES, [...getNodes(inlines), { t: "Space" }, ...toInlines(`(${number})`)]],
  };
}

/** Splits a block into parts that may be on different slides. */
function splitBlock(block: Node): Node[] {
  const parts = getParts(block);
  if (block.t === "BulletList") return parts.map((item) => ({ t: "BulletList", c: [item] }));
  if (block.t === "OrderedList") {
    const [attributes, items] = parts as [readonly unknown[], readonly unknown[]];
    const [start, ...style] = attributes;
    return items.map((item, index) => ({ t: "OrderedList", c: [[Number(start) + index, ...style], [item]] }));
  }
  if (block.t === "Table") return splitTable(block);
  if (block.t === "CodeBlock") {
    const lines = getTextAt(block, 1).split("\n");
    return chunk(lines, LINES).map((chunk) => ({ t: "CodeBlock", c: [parts[0], chunk.join("\n")] }));
  }
  return [block];
}

/** Splits a table by the rows that fit a slide, and repeats its head. */
function splitTable(table: Node): Node[] {
  const [attributes, caption, columns, head, bodies, foot] = getParts(table);
  const [body] = Array.isArray(bodies) ? (bodies as readonly (readonly unknown[])[]) : [];
  const rows = body?.[3];
  if (body === undefined || !Array.isArray(rows)) return [table];
  const perSlide = Math.max(1, Math.floor(LINES / TABLE_ROW_LINES) - 1);
  return chunk(rows, perSlide).map((chunk) => ({
    t: "Table",
    c: [attributes, caption, columns, head, [[body[0], body[1], body[2], chunk]], foot],
  }));
}

/** Rejoins adjacent list items on one slide. */
function joinLists(blocks: readonly Node[]): Node[] {
  const joined: Node[] = [];
  for (const block of blocks) {
    const last = joined.at(-1);
    if (last !== undefined && last.t === block.t && block.t === "BulletList")
      joined[joined.length - 1] = { t: block.t, c: [...getParts(last), ...getParts(block)] };
    else if (last !== undefined && last.t === block.t && block.t === "OrderedList") {
      const [attributes, items] = getParts(last);
      const [, more] = getParts(block);
      joined[joined.length - 1] = { t: block.t, c: [attributes, [...(items as unknown[]), ...(more as unknown[])]] };
    } else joined.push(block);
  }
  return joined;
}

function chunk<T>(values: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    values.slice(index * size, (index + 1) * size),
  );
}

/** Estimates how many lines of a slide a block takes. */
function countLines(block: Node): number {
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

function countAllLines(blocks: unknown): number {
  return getNodes(blocks).reduce((sum, block) => sum + countLines(block), 0);
}

function countRows(table: Node): number {
  const [, , , , bodies] = getParts(table);
  return toList(bodies).reduce<number>((sum, body) => sum + toList(toList(body)[3]).length, 0);
}
