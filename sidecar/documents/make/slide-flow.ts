/**
 * Splits content that is too long for one slide. A slide begins with a heading of the slide level or above, or with a rule. Continued
 * slides have the same heading and a number. In the result, sections have level 1 and slides level 2, at any level in the text.
 */
import { NO_ATTRIBUTES, type Node, getNodes, getParts, toInlines, getTextAt } from "./ast.ts";
import { countAllLines, countLines, isNotes, isVisual, LINES, MAX_LINES, TABLE_ROW_LINES } from "./slide-lines.ts";
import { SECTION_LEVEL, SLIDE_LEVEL } from "./slides.ts";

/** Maximum number of lines together with a picture or a table. */
const CAPTION_LINES = 6;

/**
 * Returns the slide level by pandoc's rule (https://pandoc.org/MANUAL.html#structuring-the-slide-show): the highest level of a heading that
 * is followed by content. A first heading above all others is the title and does not count, unless the title has its own slide (`hasTitle`).
 */
export function findSlideLevel(blocks: readonly Node[], hasTitle = false): number {
  const headings = blocks.filter(({ t }) => t === "Header").map(getLevel);
  const [first = 6, ...others] = headings;
  const isTitled =
    !hasTitle && blocks[0]?.t === "Header" && others.length > 0 && others.every((level) => level > first);
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
    // A heading above the level gets its own slide, and its content begins another. A heading without content is a section.
    const isAbove = heading?.t === "Header" && getLevel(heading) < level && body.some((block) => !isNotes(block));
    if (heading !== null && isAbove) flowed.push(setLevel(dropName(heading), SECTION_LEVEL));
    const title = heading?.t === "Header" ? setLevel(heading, SLIDE_LEVEL) : heading;
    for (const { title: own, blocks: content } of splitSections(title, body)) {
      const isBare = own?.t === "Header" && content.every(isNotes);
      flowed.push(...splitSlides(isBare ? setLevel(own, SECTION_LEVEL) : own, content));
    }
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
  return found;
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
  const total = countAllLines(body);
  const pieces = (total <= MAX_LINES ? body : body.flatMap(splitBlock))
    .map(replaceQuote)
    .map(replaceSingleItem)
    .map(lowerHeading);
  const slides = fillEvenly(moveCaption(pieces), total > MAX_LINES ? LINES : Number.POSITIVE_INFINITY);
  return slides.flatMap((slide, index) => {
    const first = heading === null ? [] : [heading];
    return [...(index === 0 ? first : [makeContinuation(heading, index + 1)]), ...joinLists(slide)];
  });
}

/** Fills slides with the fewest lines each that do not need more slides, so that the last is not left with a line. */
function fillEvenly(pieces: readonly Node[], maxLines: number): Node[][] {
  const full = fillSlides(pieces, maxLines);
  if (full.length === 1 || !Number.isFinite(maxLines)) return full;
  for (let lines = Math.ceil(countAllLines(pieces) / full.length); lines < maxLines; lines += 1) {
    const even = fillSlides(pieces, lines);
    if (even.length === full.length) return even;
  }
  return full;
}

function fillSlides(pieces: readonly Node[], maxLines: number): Node[][] {
  const slides: Node[][] = [[]];
  let used = 0;
  for (const piece of pieces) {
    const lines = countLines(piece);
    const last = slides.at(-1)?.findLast((block) => !isNotes(block));
    const mustEnd =
      last !== undefined && !isNotes(piece) && (isVisual(last) || (isVisual(piece) && used > CAPTION_LINES));
    if ((used > 0 && used + lines > maxLines) || mustEnd) {
      slides.push([]);
      used = 0;
    }
    slides.at(-1)?.push(piece);
    used += lines;
  }
  return slides;
}

/** Moves the only line after a table or a picture before it, where it is a caption: alone, it would be a slide of one line. */
function moveCaption(pieces: readonly Node[]): readonly Node[] {
  const [first, second, ...others] = pieces.filter((piece) => !isNotes(piece));
  if (first === undefined || second === undefined || others.length > 0 || !isVisual(first)) return pieces;
  if (second.t !== "Para" || isVisual(second) || countLines(second) > 2) return pieces;
  return [second, first, ...pieces.filter(isNotes)];
}

/** Headings that begin no slide need a level below those that do. */
function lowerHeading(block: Node): Node {
  return block.t === "Header" ? setLevel(block, Math.max(SLIDE_LEVEL + 1, getLevel(block))) : block;
}

/** A list of one item is a statement. */
function replaceSingleItem(block: Node, _index: number, all: readonly Node[]): Node {
  if (block.t !== "BulletList" || all.filter((one) => !isNotes(one)).length > 1) return block;
  const [item, ...items] = getParts(block);
  const [only, ...rest] = getNodes(item);
  return items.length > 0 || rest.length > 0 || only?.t !== "Plain" ? block : { t: "Para", c: only.c };
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
    return chunkEvenly(lines, LINES).map((chunk) => ({ t: "CodeBlock", c: [parts[0], chunk.join("\n")] }));
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
  return chunkEvenly(rows, perSlide).map((chunk) => ({
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

/** Makes chunks of at most `size` that differ as little as possible. */
function chunkEvenly<T>(values: readonly T[], size: number): T[][] {
  const count = Math.ceil(values.length / size);
  return count === 0 ? [] : chunk(values, Math.ceil(values.length / count));
}

function chunk<T>(values: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    values.slice(index * size, (index + 1) * size),
  );
}
