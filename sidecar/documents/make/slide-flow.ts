/**
 * Divides what is too much for one slide among several. A slide begins with a heading of the slides' level or above, or with
 * a rule; what continues it has the same heading and a number.
 */
import { isAttributes, NO_ATTRIBUTES, type Node, nodesOf, partsOf, plainInlines, textAt, textOf } from "./ast.ts";

/** Of the usual size, on one slide; beyond it up to the second, the text is set smaller. */
const LINES = 9;
const MOST_LINES = 11;
const LETTERS_OF_A_LINE = 68;
const TABLE_ROW_LINES = 1.25;
/** As many lines may stand beside a picture or a table. */
const CAPTION_LINES = 6;

/**
 * The level of the headings that begin slides: the highest one that has something else than a heading after it, as pandoc
 * has it (https://pandoc.org/MANUAL.html#structuring-the-slide-show). One heading above all others, first of the text, is its
 * title and says nothing of its slides.
 */
export function slideLevel(blocks: readonly Node[]): number {
  const headings = blocks.filter(({ t }) => t === "Header").map(levelOf);
  const [first = 6, ...others] = headings;
  const isTitled = blocks[0]?.t === "Header" && others.length > 0 && others.every((level) => level > first);
  let level = 6;
  blocks.forEach((block, index) => {
    const next = blocks[index + 1];
    if (isTitled && index === 0) return;
    if (block.t === "Header" && next !== undefined && next.t !== "Header" && next.t !== "HorizontalRule")
      level = Math.min(level, levelOf(block));
  });
  return level;
}

export function flowSlides(blocks: readonly Node[], level: number): readonly Node[] {
  const flowed: Node[] = [];
  let heading: Node | null = null;
  let body: Node[] = [];
  const close = () => {
    // A heading above the level is a slide of its own, and what stands under it begins another.
    const isAbove = heading?.t === "Header" && levelOf(heading) < level && body.some((block) => !isNotes(block));
    if (heading !== null && isAbove) flowed.push(withoutName(heading));
    const title = heading !== null && isAbove ? withLevel(heading, level) : heading;
    for (const section of sections(title, body)) flowed.push(...divided(section.title, section.blocks));
    body = [];
  };
  for (const block of blocks) {
    const begins = (block.t === "Header" && levelOf(block) <= level) || block.t === "HorizontalRule";
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
 * What stands under a heading, whole where one slide holds it. Otherwise the headings in it begin slides too, since a slide
 * that goes on from another would show neither them nor what they head.
 */
function sections(heading: Node | null, body: readonly Node[]): readonly Section[] {
  const isOne = linesOfAll(body) <= MOST_LINES && !body.some(isVisual);
  const level = heading?.t === "Header" ? levelOf(heading) : null;
  if (isOne || level === null || !body.some(({ t }) => t === "Header")) return [{ title: heading, blocks: body }];
  const found: { title: Node | null; blocks: Node[] }[] = [{ title: heading, blocks: [] }];
  for (const block of body) {
    if (block.t === "Header") found.push({ title: withLevel(block, level), blocks: [] });
    else found.at(-1)?.blocks.push(block);
  }
  // A heading with nothing but headings under it would be a slide with nothing on it.
  return found.filter(({ blocks }, index) => blocks.length > 0 || index === found.length - 1);
}

function withLevel(header: Node, level: number): Node {
  return { t: header.t, c: [level, ...partsOf(header).slice(1)] };
}

/** Links lead to what stands under it. */
function withoutName(header: Node): Node {
  const [level, , inlines] = partsOf(header);
  return { t: header.t, c: [level, NO_ATTRIBUTES, inlines] };
}

function levelOf(header: Node): number {
  const [level] = partsOf(header);
  return typeof level === "number" ? level : 6;
}

/** The slides of one heading. A picture or a table ends its slide: pandoc would give what follows it a slide without a title. */
function divided(heading: Node | null, body: readonly Node[]): Node[] {
  const slides: Node[][] = [[]];
  let used = 0;
  const total = body.reduce((sum, block) => sum + linesOf(block), 0);
  const pieces = total <= MOST_LINES ? body : body.flatMap(piecesOf);
  for (const piece of pieces.map(unquoted)) {
    const lines = linesOf(piece);
    const last = slides.at(-1)?.findLast((block) => !isNotes(block));
    const isFull = total > MOST_LINES && used > 0 && used + lines > LINES;
    const isShut =
      last !== undefined && !isNotes(piece) && (isVisual(last) || (isVisual(piece) && used > CAPTION_LINES));
    if (isFull || isShut) {
      slides.push([]);
      used = 0;
    }
    slides.at(-1)?.push(piece);
    used += lines;
  }
  return slides.flatMap((slide, index) => {
    const first = heading === null ? [] : [heading];
    return [...(index === 0 ? first : [continued(heading, index + 1)]), ...joinLists(slide)];
  });
}

function isVisual(block: Node): boolean {
  if (block.t === "Table" || block.t === "Figure") return true;
  const inlines = block.t === "Para" || block.t === "Plain" ? nodesOf(block.c) : [];
  return inlines.length > 0 && inlines.every(({ t }) => t === "Image" || t === "SoftBreak" || t === "Space");
}

function isNotes(block: Node): boolean {
  const [attributes] = partsOf(block);
  return block.t === "Div" && isAttributes(attributes) && attributes[1].includes("notes");
}

/** pandoc sets a quote larger than the text around it. */
function unquoted(block: Node): Node {
  if (block.t !== "BlockQuote") return block;
  const inner = nodesOf(block.c).map(
    (one): Node => (one.t === "Para" || one.t === "Plain" ? { t: one.t, c: [{ t: "Emph", c: one.c }] } : one),
  );
  return { t: "Div", c: [NO_ATTRIBUTES, inner] };
}

function continued(heading: Node | null, number: number): Node {
  if (heading === null || heading.t !== "Header") return { t: "HorizontalRule" };
  const [level, , inlines] = partsOf(heading);
  return {
    t: "Header",
    c: [level, NO_ATTRIBUTES, [...nodesOf(inlines), { t: "Space" }, ...plainInlines(`(${number})`)]],
  };
}

/** The parts of a block that may stand on different slides. */
function piecesOf(block: Node): Node[] {
  const parts = partsOf(block);
  if (block.t === "BulletList") return parts.map((item) => ({ t: "BulletList", c: [item] }));
  if (block.t === "OrderedList") {
    const [attributes, items] = parts as [readonly unknown[], readonly unknown[]];
    const [start, ...style] = attributes;
    return items.map((item, index) => ({ t: "OrderedList", c: [[Number(start) + index, ...style], [item]] }));
  }
  if (block.t === "Table") return tablePieces(block);
  if (block.t === "CodeBlock") {
    const lines = textAt(block, 1).split("\n");
    return chunks(lines, LINES).map((chunk) => ({ t: "CodeBlock", c: [parts[0], chunk.join("\n")] }));
  }
  return [block];
}

/** As many rows as a slide holds, each with the table's head. */
function tablePieces(table: Node): Node[] {
  const [attributes, caption, columns, head, bodies, foot] = partsOf(table);
  const [body] = Array.isArray(bodies) ? (bodies as readonly (readonly unknown[])[]) : [];
  const rows = body?.[3];
  if (body === undefined || !Array.isArray(rows)) return [table];
  const perSlide = Math.max(1, Math.floor(LINES / TABLE_ROW_LINES) - 1);
  return chunks(rows, perSlide).map((chunk) => ({
    t: "Table",
    c: [attributes, caption, columns, head, [[body[0], body[1], body[2], chunk]], foot],
  }));
}

/** Lists that were one and stand on one slide are one. */
function joinLists(blocks: readonly Node[]): Node[] {
  const joined: Node[] = [];
  for (const block of blocks) {
    const last = joined.at(-1);
    if (last !== undefined && last.t === block.t && block.t === "BulletList")
      joined[joined.length - 1] = { t: block.t, c: [...partsOf(last), ...partsOf(block)] };
    else if (last !== undefined && last.t === block.t && block.t === "OrderedList") {
      const [attributes, items] = partsOf(last);
      const [, more] = partsOf(block);
      joined[joined.length - 1] = { t: block.t, c: [attributes, [...(items as unknown[]), ...(more as unknown[])]] };
    } else joined.push(block);
  }
  return joined;
}

function chunks<T>(values: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    values.slice(index * size, (index + 1) * size),
  );
}

/** How many lines of a slide a block takes, about. */
function linesOf(block: Node): number {
  const parts = partsOf(block);
  switch (block.t) {
    case "BulletList":
      return parts.reduce<number>((sum, item) => sum + linesOfAll(item), 0);
    case "OrderedList":
      return nestedLists(parts[1]).reduce<number>((sum, item) => sum + linesOfAll(item), 0);
    case "CodeBlock":
      return textAt(block, 1).split("\n").length;
    case "Table":
      return (rowsOf(block) + 1) * TABLE_ROW_LINES;
    // Pictures have boxes of their own, and notes stand beside the slide.
    case "Figure":
      return 0;
    case "Div":
      return isNotes(block) ? 0 : linesOfAll(parts[1]);
    default:
      return Math.max(1, Math.ceil(textOf(block.c).length / LETTERS_OF_A_LINE));
  }
}

function nestedLists(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function linesOfAll(blocks: unknown): number {
  return nodesOf(blocks).reduce((sum, block) => sum + linesOf(block), 0);
}

function rowsOf(table: Node): number {
  const [, , , , bodies] = partsOf(table);
  return nestedLists(bodies).reduce<number>((sum, body) => sum + nestedLists(nestedLists(body)[3]).length, 0);
}
