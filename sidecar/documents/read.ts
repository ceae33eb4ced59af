/** Reads a document: checks it, has it converted in a process apart, and brings its pictures and links in order. */
import { ok, type Result } from "../../core/base/errors.ts";
import type { DocumentFacts, DocumentKind, PageRange } from "../../core/ports/documents.ts";
import { type Budget, startBudget } from "./budget.ts";
import { type CheckedDocument, checkDocument } from "./check.ts";
import { decodeText } from "./children/read-text.ts";
import { type FoundImage, ImageNames, imageType, MAX_IMAGES, takeInlineImages } from "./images.ts";
import { judgeTargets, percentDecoded } from "./links.ts";
import { type ConvertWithPandoc, convertWithPandoc } from "./pandoc.ts";
import { readApart } from "./read-in-process.ts";
import { titleOf } from "./title.ts";
import { entryBytes, type ZipEntry } from "./zip.ts";

export interface ReadOrder {
  /** The file's own name. */
  readonly name: string;
  readonly pages: PageRange | null;
  readonly withImages: boolean;
  readonly signal: AbortSignal;
  /** Without it, its time begins when it is read. */
  readonly budget?: Budget;
}

/** A document that was read; its pictures can be had as long as its bytes are there. */
export interface DocumentContent extends Omit<DocumentFacts, "images"> {
  readonly markdown: string;
  readonly images: readonly FoundImage[];
}

/** The two ways in which documents are converted. */
export interface Converters {
  readonly convert: ConvertWithPandoc;
  readonly readApart: typeof readApart;
}

/** By kind: the format as pandoc reads it. */
const PANDOC_FORMATS: Partial<Record<DocumentKind, string>> = {
  docx: "docx",
  odt: "odt",
  rtf: "rtf",
  epub: "epub",
  html: "html-native_divs-native_spans",
};
/** Pipe tables wherever they can be; a table that no pipe table can hold stands as this. */
const PLAIN_TABLES = "gfm-raw_html";
const LOST_TABLE = /^[ >]*\[TABLE\]\s*$/m;
const HTML_TABLES = "gfm";
const MEDIA = "media";
const MAX_MARKDOWN_CHARACTERS = 5_000_000;
/** Different places of pictures that are looked for among the parts; a document names no more that it has. */
const MAX_LOOKED_FOR = 2_000;

interface Raw {
  readonly markdown: string;
  readonly units: DocumentFacts["units"];
  readonly warnings: readonly string[];
  /** Pictures that came beside the Markdown, by the names that it has for them. */
  readonly images: readonly { readonly name: string; readonly bytes: Uint8Array }[];
}

const SYSTEM: Converters = { convert: convertWithPandoc, readApart };

/** Failures are those of `DocumentsPort.read`. */
export async function readDocument(
  bytes: Uint8Array,
  order: ReadOrder,
  converters: Converters = SYSTEM,
): Promise<Result<DocumentContent>> {
  const budget = order.budget ?? startBudget();
  const checked = await checkDocument(bytes, order.name);
  if (!checked.ok) return checked;
  const document = checked.value;
  const format = PANDOC_FORMATS[document.kind];
  const raw =
    format === undefined
      ? await converters.readApart(
          document.bytes,
          { kind: document.kind, pages: order.pages, withImages: order.withImages },
          order.signal,
          budget,
        )
      : await readByPandoc(document, format, { signal: order.signal, budget }, converters.convert);
  if (!raw.ok) return raw;
  const { markdown, units, warnings, images = [] } = raw.value;
  const placed = placeImages(markdown, document.entries, images);
  const title = await titleOf(document, placed.markdown);
  return ok({
    kind: document.kind,
    title,
    units,
    warnings: [...warnings, ...placed.warnings],
    markdown: placed.markdown,
    images: placed.images,
  });
}

async function readByPandoc(
  { kind, bytes }: CheckedDocument,
  from: string,
  { signal, budget }: { readonly signal: AbortSignal; readonly budget: Budget },
  convert: ConvertWithPandoc,
): Promise<Result<Raw>> {
  const input = kind === "html" ? Buffer.from(decodeText(bytes)) : bytes;
  const options = { wrap: "none", ...(kind === "rtf" ? { "extract-media": MEDIA } : {}) };
  let done = await convert({ from, to: PLAIN_TABLES, input, options, signal, timeoutMs: budget.leftMs() });
  if (done.ok && LOST_TABLE.test(textOf(done.value.bytes)))
    done = await convert({ from, to: HTML_TABLES, input, options, signal, timeoutMs: budget.leftMs() });
  if (!done.ok) return done;
  const markdown = tidied(textOf(done.value.bytes));
  return ok({ markdown, units: null, warnings: [], images: done.value.media });
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

/** What pandoc writes for browsers and for itself: widths of columns, and separators between lists. */
function tidied(markdown: string): string {
  return markdown
    .replaceAll(/<colgroup>\n(?:<col [^<>]*>\n)*<\/colgroup>\n/g, "")
    .replaceAll(/^(<!-- -->|&nbsp;)\n\n/gm, "")
    .replaceAll(/(<t[dhr])[^<>]*? style="[^"<>]*"/g, "$1")
    .trimEnd();
}

interface Placed {
  readonly markdown: string;
  readonly images: readonly FoundImage[];
  readonly warnings: readonly string[];
}

/** Gives every picture that the text refers to a name, and lists it. */
function placeImages(markdown: string, entries: readonly ZipEntry[], given: Raw["images"]): Placed {
  const names = new ImageNames();
  const parts = new Map(given.map(({ name, bytes }) => [name, bytes]));
  const looked = new Map<string, ZipEntry | null>();
  const found = new Map<string, FoundImage>();
  const take = (key: string, image: Omit<FoundImage, "name">): string => {
    const known = found.get(key);
    if (known !== undefined) return known.name;
    const name = names.nameFor(key);
    found.set(key, { ...image, name });
    return name;
  };
  const inline = takeInlineImages(markdown, names);
  const ownNames = new Set(inline.images.map(({ name }) => name));
  const { text: kept, warnings } = cutText(inline.markdown);
  const text = judgeTargets(kept, (target) => {
    const contentType = imageType(target);
    if (contentType === null || ownNames.has(target)) return null;
    const path = percentDecoded(target);
    const part = parts.get(path);
    if (part !== undefined) return take(path, { contentType, size: part.length, bytes: () => Promise.resolve(part) });
    if (!looked.has(path)) looked.set(path, looked.size < MAX_LOOKED_FOR ? entryOf(path, entries) : null);
    const entry = looked.get(path) ?? null;
    return entry === null ? null : take(entry.name, { contentType, size: entry.size, bytes: () => entryBytes(entry) });
  });
  const images = [...found.values(), ...inline.images];
  if (images.length > MAX_IMAGES) warnings.push(`Only the first ${MAX_IMAGES} of ${images.length} pictures are given.`);
  return { markdown: text, images: images.slice(0, MAX_IMAGES), warnings };
}

/** Whoever asked holds all of the text at once. It is cut at the end of a line. */
function cutText(markdown: string): { readonly text: string; readonly warnings: string[] } {
  if (markdown.length <= MAX_MARKDOWN_CHARACTERS) return { text: markdown, warnings: [] };
  const end = markdown.lastIndexOf("\n", MAX_MARKDOWN_CHARACTERS);
  const text = markdown.slice(0, end > 0 ? end : MAX_MARKDOWN_CHARACTERS).replace(/[\uD800-\uDBFF]$/, "");
  const warning = `The document goes on: its first ${text.length} characters of ${markdown.length} were read.`;
  return { text: `${text}\n\n*${warning}*`, warnings: [warning] };
}

/** A converter names a part by its path below some folder of the archive. */
function entryOf(path: string, entries: readonly ZipEntry[]): ZipEntry | null {
  const exact = entries.find(({ name }) => name === path);
  if (exact !== undefined || path === "") return exact ?? null;
  return entries.find(({ name }) => name.endsWith(`/${path.replace(/^(\.\.?\/)+/, "")}`)) ?? null;
}
