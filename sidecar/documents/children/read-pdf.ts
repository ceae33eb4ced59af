/** Reads PDF as Markdown, page by page. */
import { LiteParse, type LiteParseConfig, type ParsedPage } from "@llamaindex/liteparse";
import { awaitWithin } from "../../../core/base/deadline.ts";
import { type Budget, startBudget } from "../budget.ts";
import { fenceText } from "./fence.ts";
import { NotReadable } from "./not-readable.ts";
import { correctTables, indentCode } from "./pdf-layout.ts";
import { findLosses, noteLosses, shortenLeaders } from "./pdf-losses.ts";
import type { ReadPart, ReadQuestion } from "./read-question.ts";

const MAX_PAGES = 2_000;
/** A page's layout lost text if its Markdown lacks this many letters and has at most this share. Letters are counted, since word boundaries differ. */
const MIN_LOST_LETTERS = 100;
const MIN_SHARE = 0.5;
const MAX_LAYOUT_WARNINGS = 20;
const LETTER = /[\p{L}\p{N}]/gu;
const WORD = /[\p{L}\p{N}]+/gu;
const MAX_IMAGES = 200;
const MAX_IMAGE_BYTES = 50 * 1024 * 1024;

/** Pages whose tables are read again with their rules, and how many at a time: drawings take memory. */
const MAX_TABLE_PAGES = 200;
const TABLE_PAGES_AT_A_TIME = 20;
/** Pages that a warning lists. */
const MAX_LISTED_PAGES = 20;

export async function readPdf(
  bytes: Uint8Array,
  { pages, withImages, secondReadingUntilMs = 0 }: ReadQuestion,
): Promise<ReadPart> {
  const budget = startBudget(secondReadingUntilMs);
  const config: Partial<LiteParseConfig> = {
    outputFormat: "markdown",
    imageMode: withImages ? "placeholder" : "off",
    extractImages: withImages,
    extractBlocks: true,
    ocrEnabled: false,
    continueOnPageError: true,
    numWorkers: 1,
    maxPages: MAX_PAGES,
    quiet: true,
  };
  const range = pages === null ? {} : { targetPages: `${pages.first}-${pages.last}` };
  const parsed = await new LiteParse({ ...config, ...range }).parse(bytes).catch((error: unknown) => {
    throw new NotReadable(describeError(error instanceof Error ? error.message : ""));
  });
  const { corrected, missing } = await readTables(bytes, config, parsed.pages, budget);
  const losses = parsed.pages.map(findLosses);
  const texts = parsed.pages.map((page) =>
    readPage(page, corrected.get(page.pageNum) ?? correctPage(page, indentCode)),
  );
  const short = texts.map(({ text }) => shortenLeaders(text));
  if (texts.length === 0)
    throw new NotReadable(`The document has ${parsed.totalPages} pages; the requested range has none of them.`);
  const empty = texts.filter(({ text }) => text === "").map(({ pageNum }) => pageNum);
  const warnings = [
    ...noteEmptyPages(empty, texts.length),
    ...noteMissing(missing),
    ...texts.flatMap(({ warning }) => (warning === null ? [] : [warning])).slice(0, MAX_LAYOUT_WARNINGS),
    ...noteLosses(
      losses,
      short.some(({ isShorter }) => isShorter),
    ),
    ...parsed.pageErrors.map(({ pageNum }) => `Page ${pageNum} is damaged and could not be read.`),
    ...(pages === null && parsed.totalPages > texts.length ? [`Only the first ${texts.length} pages were read.`] : []),
  ];
  const images = withImages ? parsed.images.filter(({ bytes: data }) => data.length > 0).slice(0, MAX_IMAGES) : [];
  return {
    markdown: short
      .map(({ text }, index) => `<!-- page ${texts[index]?.pageNum} -->\n\n${text}`.trimEnd())
      .join("\n\n"),
    units: { name: "pages", total: parsed.totalPages, read: texts.length },
    warnings,
    images: limitImages(images.map(({ name, bytes: data }) => ({ name, bytes: data }))),
  };
}

/**
 * Reads the pages with tables again, with their words and rules, as long as there is time. Returns their Markdown by
 * page, and the pages for which the first reading counts.
 */
async function readTables(
  bytes: Uint8Array,
  config: Partial<LiteParseConfig>,
  pages: readonly ParsedPage[],
  budget: Budget,
): Promise<{ readonly corrected: ReadonlyMap<number, string>; readonly missing: readonly number[] }> {
  const found = new Map<number, string>();
  const numbers = pages
    .filter(({ blocks = [] }) => blocks.some(({ kind }) => kind === "table"))
    .map(({ pageNum }) => pageNum);
  for (let at = 0; at < Math.min(numbers.length, MAX_TABLE_PAGES) && budget.leftMs() > 0; at += TABLE_PAGES_AT_A_TIME) {
    const targetPages = numbers.slice(at, at + TABLE_PAGES_AT_A_TIME).join(",");
    const parser = new LiteParse({ ...config, targetPages, extractVectorGraphics: true, emitWordBoxes: true });
    const parsing = parser.parse(bytes).catch(() => null);
    const again = await awaitWithin(globalThis, budget.leftMs(), parsing, null);
    for (const page of again?.pages ?? [])
      found.set(
        page.pageNum,
        correctPage(page, (one, markdown) => indentCode(one, correctTables(one, markdown))),
      );
  }
  return { corrected: found, missing: numbers.filter((number) => !found.has(number)) };
}

/** Corrects the Markdown of a page; on a defect, leaves it as the parser wrote it. */
function correctPage(page: ParsedPage, correct: (page: ParsedPage, markdown: string) => string): string {
  try {
    return correct(page, page.markdown);
  } catch {
    return page.markdown;
  }
}

function noteMissing(pages: readonly number[]): string[] {
  if (pages.length === 0) return [];
  const listed = pages.slice(0, MAX_LISTED_PAGES).join(", ");
  const more = pages.length > MAX_LISTED_PAGES ? ", …" : "";
  return [`Merged header cells in the tables of these pages may be in a wrong column: ${listed}${more}.`];
}

interface Page {
  readonly pageNum: number;
  readonly text: string;
  /** Set if the Markdown has far fewer words than the page. */
  readonly warning: string | null;
}

/** Adds the page's text line by line if its layout lost much of it, as with rotated text. */
function readPage({ pageNum, text }: ParsedPage, markdown: string): Page {
  const read = removeEmptyFences(markdown).trim();
  const [own, counted] = [countMatches(read, LETTER), countMatches(text, LETTER)];
  if (counted - own < MIN_LOST_LETTERS || own > counted * MIN_SHARE) return { pageNum, text: read, warning: null };
  const words = `${countMatches(read, WORD)} of its ${countMatches(text, WORD)} words`;
  const warning = `Page ${pageNum} has only ${words} in its layout, so its text is also given line by line.`;
  return { pageNum, text: `${read}\n\n${fenceText(text, "text")}`.trim(), warning };
}

function countMatches(text: string, pattern: RegExp): number {
  let found = 0;
  for (const _ of text.matchAll(pattern)) found += 1;
  return found;
}

/** The parser writes an empty code block for a page without text. */
function removeEmptyFences(markdown: string): string {
  return markdown.replaceAll(/```\w*\s*```/g, "");
}

function limitImages<Image extends { readonly bytes: Uint8Array }>(images: readonly Image[]): readonly Image[] {
  let bytes = 0;
  return images.filter((image) => {
    bytes += image.bytes.length;
    return bytes <= MAX_IMAGE_BYTES;
  });
}

function noteEmptyPages(empty: readonly number[], read: number): string[] {
  if (empty.length === 0) return [];
  if (empty.length === read)
    return ["This PDF has no text: its pages are pictures, as from a scanner. OCR is not supported."];
  const listed = empty.slice(0, MAX_LISTED_PAGES).join(", ");
  const more = empty.length > MAX_LISTED_PAGES ? ", …" : "";
  return [`${empty.length} pages have no text and may be scanned: ${listed}${more}.`];
}

function describeError(message: string): string {
  if (/password/i.test(message)) return "The document is encrypted. Save it without a password and try again.";
  return `The document is damaged: ${message.replace(/^PDF error: /, "").slice(0, 200) || "it cannot be read"}.`;
}
