/**
 * Slides that are given as data, as a document. Their texts are Markdown of one paragraph each: all of them are read in one
 * go, as paragraphs that begin with a letter that means nothing, so that none is taken for a heading, a list or a table.
 */
import type { Slide } from "../../../core/documents/make.ts";
import { type Node, NO_ATTRIBUTES, nodesOf, plainInlines } from "./ast.ts";

/** U+2060 WORD JOINER: invisible, and no mark of Markdown. */
const MARK = "\u2060";

/** Title slides come from what the document says of itself; the slides' own headings are of two levels. */
export interface SlideShow {
  readonly title: Inlines | null;
  readonly subtitle: Inlines | null;
  readonly blocks: readonly Node[];
}

type Inlines = readonly Node[];
/** The inlines of a text of the slides. */
export type TextReader = (text: string) => Inlines;
const SECTION_LEVEL = 1;
export const SLIDE_LEVEL = 2;

/** The Markdown of all texts of the slides. */
export function textsAsMarkdown(slides: readonly Slide[]): {
  readonly markdown: string;
  readonly texts: readonly string[];
} {
  const texts = [...new Set(slides.flatMap(textsOf).map(oneLine))].filter((text) => text !== "");
  return { texts, markdown: texts.map((text) => MARK + text).join("\n\n") };
}

/** Finds the inlines of each text in what was read. A text that was not read as one paragraph stands as plain words. */
export function textReader(texts: readonly string[], blocks: readonly Node[]): TextReader {
  const isEach = blocks.length === texts.length && blocks.every(({ t }) => t === "Para");
  const read = new Map(isEach ? texts.map((text, index) => [text, unmarked(nodesOf(blocks[index]?.c))]) : []);
  return (text) => read.get(oneLine(text)) ?? plainInlines(text);
}

function unmarked(inlines: Inlines): Inlines {
  const [first, ...rest] = inlines;
  if (first?.t !== "Str" || typeof first.c !== "string") return inlines;
  const text = first.c.replace(MARK, "");
  return text === "" ? rest : [{ t: "Str", c: text }, ...rest];
}

export function slideShow(slides: readonly Slide[], read: TextReader): SlideShow {
  const [first, ...others] = slides;
  const opens = first !== undefined && isTitleSlide(first);
  const rest = opens ? others : slides;
  return {
    title: opens ? read(first.title ?? "") : null,
    subtitle: opens && first.text !== undefined ? read(first.text) : null,
    blocks: [...(opens ? notesOf(first, read) : []), ...rest.flatMap((slide) => blocksOf(slide, read))],
  };
}

function isTitleSlide(slide: Slide): boolean {
  return slide.layout === "title" || (slide.layout === undefined && isBare(slide));
}

function isBare({ title, bullets, text, table, image }: Slide): boolean {
  return (
    title !== undefined && bullets === undefined && text === undefined && table === undefined && image === undefined
  );
}

function blocksOf(slide: Slide, read: TextReader): Node[] {
  const { layout = isBare(slide) ? "section" : "content" } = slide;
  const level = layout === "content" ? SLIDE_LEVEL : SECTION_LEVEL;
  const { title } = slide;
  const heading: Node =
    title === undefined ? { t: "HorizontalRule" } : { t: "Header", c: [level, NO_ATTRIBUTES, read(title)] };
  return [heading, ...contentOf(slide, read), ...notesOf(slide, read)];
}

function contentOf({ text, bullets, table, image }: Slide, read: TextReader): Node[] {
  const words: Node[] = [
    ...paragraphsOf(text ?? "").map((one): Node => ({ t: "Para", c: read(one) })),
    ...(bullets === undefined || bullets.length === 0 ? [] : [bulletList(bullets, read)]),
  ];
  const picture: Node[] = image === undefined ? [] : [pictureOf(image)];
  const figures = [...(table === undefined ? [] : [tableOf(table, read)]), ...picture];
  if (words.length === 0 || picture.length === 0) return [...words, ...figures];
  return [columns([words, figures])];
}

type Bullets = NonNullable<Slide["bullets"]>;
type AnyBullet = string | { readonly text: string; readonly bullets?: readonly AnyBullet[] | undefined };

function bulletList(bullets: Bullets | readonly AnyBullet[], read: TextReader): Node {
  return {
    t: "BulletList",
    c: bullets.map((bullet: AnyBullet) => {
      const { text, bullets: below = [] } = typeof bullet === "string" ? { text: bullet } : bullet;
      const own: Node = { t: "Plain", c: read(text) };
      return below.length === 0 ? [own] : [own, bulletList(below, read)];
    }),
  };
}

function pictureOf(path: string): Node {
  return { t: "Para", c: [{ t: "Image", c: [NO_ATTRIBUTES, [], [path, ""]] }] };
}

function columns(contents: readonly (readonly Node[])[]): Node {
  const each = contents.map((content): Node => ({ t: "Div", c: [["", ["column"], []], content] }));
  return { t: "Div", c: [["", ["columns"], []], each] };
}

function notesOf({ notes }: Slide, read: TextReader): Node[] {
  if (notes === undefined || notes.trim() === "") return [];
  const paragraphs = paragraphsOf(notes).map((one): Node => ({ t: "Para", c: read(one) }));
  return [{ t: "Div", c: [["", ["notes"], []], paragraphs] }];
}

function tableOf({ header = [], rows }: NonNullable<Slide["table"]>, read: TextReader): Node {
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

function textsOf({ title = "", text = "", notes = "", bullets = [], table }: Slide): string[] {
  const cells = table === undefined ? [] : [...(table.header ?? []), ...table.rows.flat().map(String)];
  return [title, text, ...paragraphsOf(text), ...paragraphsOf(notes), ...bullets.flatMap(bulletTexts), ...cells];
}

function bulletTexts(bullet: AnyBullet): string[] {
  return typeof bullet === "string" ? [bullet] : [bullet.text, ...(bullet.bullets ?? []).flatMap(bulletTexts)];
}

function paragraphsOf(text: string): string[] {
  return text.split(/\n+/).filter((line) => line.trim() !== "");
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
