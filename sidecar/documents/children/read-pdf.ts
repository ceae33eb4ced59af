/** PDF as Markdown, page by page. */
import { LiteParse } from "@llamaindex/liteparse";
import { NotReadable } from "./not-readable.ts";
import type { ReadPart, ReadQuestion } from "./read-question.ts";

const MAX_PAGES = 2_000;
/** A page is thin when its Markdown lacks so many of its letters, and has no more than this share. Words are cut differently by each count. */
const MIN_LOST_LETTERS = 100;
const ENOUGH_SHARE = 0.5;
const MAX_THIN_NOTES = 20;
const LETTER = /[\p{L}\p{N}]/gu;
const WORD = /[\p{L}\p{N}]+/gu;
const MAX_IMAGES = 200;
const MAX_IMAGE_BYTES = 50 * 1024 * 1024;

export async function readPdf(bytes: Uint8Array, { pages, withImages }: ReadQuestion): Promise<ReadPart> {
  const parser = new LiteParse({
    outputFormat: "markdown",
    imageMode: withImages ? "placeholder" : "off",
    extractImages: withImages,
    ocrEnabled: false,
    continueOnPageError: true,
    numWorkers: 1,
    maxPages: MAX_PAGES,
    quiet: true,
    ...(pages === null ? {} : { targetPages: `${pages.first}-${pages.last}` }),
  });
  const parsed = await parser.parse(bytes).catch((error: unknown) => {
    throw new NotReadable(explain(error instanceof Error ? error.message : ""));
  });
  const texts = parsed.pages.map(readPage);
  if (texts.length === 0)
    throw new NotReadable(`The document has ${parsed.totalPages} pages, and none of those was asked for.`);
  const empty = texts.filter(({ text }) => text === "").map(({ pageNum }) => pageNum);
  const warnings = [
    ...emptyNote(empty, texts.length),
    ...texts.flatMap(({ thin }) => (thin === null ? [] : [thin])).slice(0, MAX_THIN_NOTES),
    ...parsed.pageErrors.map(({ pageNum }) => `Page ${pageNum} is damaged and could not be read.`),
    ...(pages === null && parsed.totalPages > texts.length ? [`Only the first ${texts.length} pages were read.`] : []),
  ];
  const images = withImages ? parsed.images.filter(({ bytes: data }) => data.length > 0).slice(0, MAX_IMAGES) : [];
  return {
    markdown: texts.map(({ pageNum, text }) => `<!-- page ${pageNum} -->\n\n${text}`.trimEnd()).join("\n\n"),
    units: { name: "pages", total: parsed.totalPages, read: texts.length },
    warnings,
    images: bounded(images.map(({ name, bytes: data }) => ({ name, bytes: data }))),
  };
}

interface Page {
  readonly pageNum: number;
  readonly text: string;
  /** What is said of a page whose Markdown has far fewer words than the page; null: it has them. */
  readonly thin: string | null;
}

/** Text that is turned on its page has no place in the Markdown: it is found by counting again, and given line by line. */
function readPage({ pageNum, markdown, text }: { pageNum: number; markdown: string; text: string }): Page {
  const read = withoutEmptyFences(markdown).trim();
  const [own, counted] = [count(read, LETTER), count(text, LETTER)];
  if (counted - own < MIN_LOST_LETTERS || own > counted * ENOUGH_SHARE) return { pageNum, text: read, thin: null };
  const words = `${count(read, WORD)} of its ${count(text, WORD)} words`;
  const thin = `Page ${pageNum} shows ${words} in its layout, so its text is given line by line as well.`;
  return { pageNum, text: `${read}\n\n${fenced(text)}`.trim(), thin };
}

function count(text: string, pattern: RegExp): number {
  let found = 0;
  for (const _ of text.matchAll(pattern)) found += 1;
  return found;
}

/** No run of backticks in the text is as long as the fence. */
function fenced(text: string): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${text.trimEnd()}\n${fence}`;
}

/** A page without a letter is given as a block of nothing. */
function withoutEmptyFences(markdown: string): string {
  return markdown.replaceAll(/```\w*\s*```/g, "");
}

function bounded<Image extends { readonly bytes: Uint8Array }>(images: readonly Image[]): readonly Image[] {
  let bytes = 0;
  return images.filter((image) => {
    bytes += image.bytes.length;
    return bytes <= MAX_IMAGE_BYTES;
  });
}

function emptyNote(empty: readonly number[], read: number): string[] {
  if (empty.length === 0) return [];
  if (empty.length === read)
    return ["This PDF has no text: its pages are pictures, as a scanner makes them. It was not read by OCR."];
  const shown = empty.slice(0, 20).join(", ");
  return [`${empty.length} pages have no text, perhaps pictures of it: ${shown}${empty.length > 20 ? ", …" : ""}.`];
}

function explain(message: string): string {
  if (/password/i.test(message)) return "The document is encrypted. Save it without a password and try again.";
  return `The document is damaged: ${message.replace(/^PDF error: /, "").slice(0, 200) || "it cannot be read"}.`;
}
