/**
 * Converts slides given as data to a document. Each text is one Markdown paragraph; all are parsed together, prefixed with a neutral
 * character so that none becomes a heading, a list or a table.
 */
import type { Slide } from "../../../core/documents/make.ts";
import { type Node, NO_ATTRIBUTES, getNodes, toInlines } from "./ast.ts";

/** U+2060 WORD JOINER: invisible, and without meaning in Markdown. */
const MARK = "\u2060";

/** The title slide comes from the metadata; the other slides have headings of two levels. */
export interface SlideShow {
  readonly title: Inlines | null;
  readonly subtitle: Inlines | null;
  readonly blocks: readonly Node[];
}

type Inlines = readonly Node[];
/** Returns the inlines of a slide's text. */
export type TextReader = (text: string) => Inlines;
export const SECTION_LEVEL = 1;
export const SLIDE_LEVEL = 2;
/** A longer text is content. */
export const MAX_SUBTITLE_CHARACTERS = 160;

/** Joins all texts of the slides as Markdown. */
export function toMarkdown(slides: readonly Slide[]): {
  readonly markdown: string;
  readonly texts: readonly string[];
} {
  const texts = [...new Set(slides.flatMap(listTexts).map(joinLines))].filter((text) => text !== "");
  return { texts, markdown: texts.map((text) => MARK + text).join("\n\n") };
}

/** Finds each text's parsed inlines. If the texts were not parsed as one paragraph each, returns plain words. */
export function makeTextReader(texts: readonly string[], blocks: readonly Node[]): TextReader {
  const isEach = blocks.length === texts.length && blocks.every(({ t }) => t === "Para");
  const read = new Map(isEach ? texts.map((text, index) => [text, removeMark(getNodes(blocks[index]?.c))]) : []);
  return (text) => read.get(joinLines(text)) ?? toInlines(text);
}

function removeMark(inlines: Inlines): Inlines {
  const [first, ...rest] = inlines;
  if (first?.t !== "Str" || typeof first.c !== "string") return inlines;
  const text = first.c.replace(MARK, "");
  return text === "" ? rest : [{ t: "Str", c: text }, ...rest];
}

export function buildSlideShow(slides: readonly Slide[], read: TextReader): SlideShow {
  const [first, ...others] = slides;
  const opens = first !== undefined && isTitleSlide(first, slides.length);
  const rest = opens ? others : slides;
  return {
    title: opens ? read(first.title ?? "") : null,
    subtitle: opens && first.text !== undefined ? read(first.text) : null,
    blocks: [...(opens ? buildNotes(first, read) : []), ...rest.flatMap((slide) => buildBlocks(slide, read))],
  };
}

function isTitleSlide(slide: Slide, count: number): boolean {
  return slide.layout === "title" || (slide.layout === undefined && (isBare(slide) || (count > 1 && isOpening(slide))));
}

/** A title with a short text and nothing else: the subtitle. */
function isOpening({ text, ...slide }: Slide): boolean {
  return text !== undefined && text.length <= MAX_SUBTITLE_CHARACTERS && !text.includes("\n") && isBare(slide);
}

function isBare({ title, bullets, text, table, image }: Slide): boolean {
  return (
    title !== undefined && bullets === undefined && text === undefined && table === undefined && image === undefined
  );
}

function buildBlocks(slide: Slide, read: TextReader): Node[] {
  const { layout = isBare(slide) ? "section" : "content" } = slide;
  const level = layout === "content" ? SLIDE_LEVEL : SECTION_LEVEL;
  const { title } = slide;
  const heading: Node =
    title === undefined ? { t: "HorizontalRule" } : { t: "Header", c: [level, NO_ATTRIBUTES, read(title)] };
  return [heading, ...buildContent(slide, read), ...buildNotes(slide, read)];
}

function buildContent({ text, bullets, table, image }: Slide, read: TextReader): Node[] {
  const words: Node[] = [
    ...splitParagraphs(text ?? "").map((one): Node => ({ t: "Para", c: read(one) })),
    ...(bullets === undefined || bullets.length === 0 ? [] : [buildBulletList(bullets, read)]),
  ];
  const picture: Node[] = image === undefined ? [] : [buildPicture(image)];
  const figures = [...(table === undefined ? [] : [buildTable(table, read)]), ...picture];
  if (words.length === 0 || picture.length === 0) return [...words, ...figures];
  return [buildColumns([words, figures])];
}

type Bullets = NonNullable<Slide["bullets"]>;
type AnyBullet = string | { readonly text: string; readonly bullets?: readonly AnyBullet[] | undefined };

function buildBulletList(bullets: Bullets | readonly AnyBullet[], read: TextReader): Node {
  return {
    t: "BulletList",
    c: bullets.map((bullet: AnyBullet) => {
      const { text, bullets: below = [] } = typeof bullet === "string" ? { text: bullet } : bullet;
      const own: Node = { t: "Plain", c: read(text) };
      return below.length === 0 ? [own] : [own, buildBulletList(below, read)];
    }),
  };
}

function buildPicture(path: string): Node {
  return { t: "Para", c: [{ t: "Image", c: [NO_ATTRIBUTES, [], [path, ""]] }] };
}

function buildColumns(contents: readonly (readonly Node[])[]): Node {
  const each = contents.map((content): Node => ({ t: "Div", c: [["", ["column"], []], content] }));
  return { t: "Div", c: [["", ["columns"], []], each] };
}

function buildNotes({ notes }: Slide, read: TextReader): Node[] {
  if (notes === undefined || notes.trim() === "") return [];
  const paragraphs = splitParagraphs(notes).map((one): Node => ({ t: "Para", c: read(one) }));
  return [{ t: "Div", c: [["", ["notes"], []], paragraphs] }];
}

function buildTable({ header = [], rows }: NonNullable<Slide["table"]>, read: TextReader): Node {
  const count = Math.max(1, header.length, ...rows.map((row) => row.length));
  const isNumeric = (index: number) =>
    rows.length > 0 && rows.every((row) => /^[-−+]?[\d.,\s%€$£]+$/.test(String(row[index] ?? "0")));
  const specs = Array.from({ length: count }, (_, index) => [
    { t: isNumeric(index) ? "AlignRight" : "AlignLeft" },
    { t: "ColWidthDefault" },
  ]);
  const row = (cells: readonly (string | number)[]) => [
    NO_ATTRIBUTES,
    Array.from({ length: count }, (_, index) => {
      const text = String(cells[index] ?? "");
      return [NO_ATTRIBUTES, { t: "AlignDefault" }, 1, 1, text === "" ? [] : [{ t: "Plain", c: read(text) }]];
    }),
  ];
  const head = [NO_ATTRIBUTES, header.length === 0 ? [] : [row(header)]];
  return {
    t: "Table",
    c: [NO_ATTRIBUTES, [null, []], specs, head, [[NO_ATTRIBUTES, 0, [], rows.map(row)]], [NO_ATTRIBUTES, []]],
  };
}

function listTexts({ title = "", text = "", notes = "", bullets = [], table }: Slide): string[] {
  const cells = table === undefined ? [] : [...(table.header ?? []), ...table.rows.flat().map(String)];
  return [
    title,
    text,
    ...splitParagraphs(text),
    ...splitParagraphs(notes),
    ...bullets.flatMap(listBulletTexts),
    ...cells,
  ];
}

function listBulletTexts(bullet: AnyBullet): string[] {
  return typeof bullet === "string" ? [bullet] : [bullet.text, ...(bullet.bullets ?? []).flatMap(listBulletTexts)];
}

function splitParagraphs(text: string): string[] {
  return text.split(/\n+/).filter((line) => line.trim() !== "");
}

function joinLines(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
