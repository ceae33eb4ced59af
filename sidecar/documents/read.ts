/** Reads a document: checks it, converts it in a separate process, and rewrites its pictures and links. */
import { ok, type Result } from "../../core/base/errors.ts";
import type { DocumentFacts, DocumentKind, PageRange } from "../../core/ports/documents.ts";
import { type Budget, startBudget } from "./budget.ts";
import { type CheckedDocument, checkDocument } from "./check.ts";
import type { ReadPart } from "./children/read-question.ts";
import { decodeText } from "./children/read-text.ts";
import { CHANGES, noteChanges } from "./docx-changes.ts";
import { type FoundImage, ImageNames, getImageType, MAX_IMAGES, extractInlineImages } from "./images.ts";
import { rewriteTargets, decodePercent } from "./links.ts";
import { type ConvertWithPandoc, convertWithPandoc } from "./pandoc.ts";
import { readInProcess } from "./read-in-process.ts";
import { findTitle } from "./title.ts";
import { readEntry, type ZipEntry } from "./zip.ts";

export interface ReadOrder {
  /** The file's name. */
  readonly name: string;
  readonly pages: PageRange | null;
  readonly withImages: boolean;
  readonly signal: AbortSignal;
  /** Starts with the call when omitted. */
  readonly budget?: Budget;
}

/** The content of a document. Pictures are read from its bytes on demand. */
export interface DocumentContent extends Omit<DocumentFacts, "images"> {
  readonly markdown: string;
  readonly images: readonly FoundImage[];
}

/** The two converters: pandoc, and a dedicated process. */
export interface Converters {
  readonly convert: ConvertWithPandoc;
  readonly readInProcess: typeof readInProcess;
}

/** pandoc's input format by kind. */
const PANDOC_FORMATS: Partial<Record<DocumentKind, string>> = {
  docx: "docx",
  odt: "odt",
  rtf: "rtf",
  epub: "epub",
  html: "html-native_divs-native_spans",
};
/** Writes pipe tables; a table that does not fit one becomes `[TABLE]`. */
const PLAIN_TABLES = "gfm-raw_html";
const LOST_TABLE = /^[ >]*\[TABLE\]\s*$/m;
const HTML_TABLES = "gfm";
const MEDIA = "media";
const NO_CHANGES = { resources: [], options: {} };
const MAX_MARKDOWN_CHARACTERS = 5_000_000;
/** Maximum number of distinct picture paths to search among the parts. */
const MAX_IMAGE_PATHS = 2_000;

interface Raw {
  readonly markdown: string;
  readonly units: DocumentFacts["units"];
  readonly warnings: readonly string[];
  /** Pictures that the converter returned, by their names in the Markdown. */
  readonly images: readonly { readonly name: string; readonly bytes: Uint8Array }[];
}

const SYSTEM: Converters = { convert: convertWithPandoc, readInProcess };

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
  const limits = { signal: order.signal, budget };
  const raw =
    format === undefined
      ? await readDirectly(document, order, limits, converters)
      : await readByPandoc(document, format, limits, converters.convert);
  if (!raw.ok) return raw;
  const { markdown, units, warnings, images = [] } = raw.value;
  const placed = placeImages(markdown, document.entries, images);
  const title = await findTitle(document, placed.markdown);
  return ok({
    kind: document.kind,
    title,
    units,
    warnings: [...warnings, ...placed.warnings],
    markdown: placed.markdown,
    images: placed.images,
  });
}

interface ReadLimits {
  readonly signal: AbortSignal;
  readonly budget: Budget;
}

/** Reads in a dedicated process. pandoc converts HTML that the process found, as in a mail. */
async function readDirectly(
  { kind, bytes }: CheckedDocument,
  { pages, withImages }: ReadOrder,
  limits: ReadLimits,
  { convert, readInProcess: readPart }: Converters,
): Promise<Result<Omit<ReadPart, "html">>> {
  const read = await readPart(bytes, { kind, pages, withImages }, limits.signal, limits.budget);
  if (!read.ok || read.value.html === undefined) return read;
  const { html, markdown, ...rest } = read.value;
  const document: CheckedDocument = { kind: "html", bytes: Buffer.from(html), entries: [], hasChanges: false };
  const body = await readByPandoc(document, PANDOC_FORMATS.html ?? "html", limits, convert);
  return body.ok ? ok({ ...rest, markdown: `${markdown}\n\n${body.value.markdown}` }) : body;
}

async function readByPandoc(
  { kind, bytes, hasChanges }: CheckedDocument,
  from: string,
  { signal, budget }: ReadLimits,
  convert: ConvertWithPandoc,
): Promise<Result<Raw>> {
  const input = kind === "html" ? Buffer.from(decodeText(bytes)) : bytes;
  const { resources, options: changes } = hasChanges ? CHANGES : NO_CHANGES;
  const options = { wrap: "none", ...changes, ...(kind === "rtf" ? { "extract-media": MEDIA } : {}) };
  const read = async (to: string) =>
    await convert({ from, to, input, resources, options, signal, timeoutMs: budget.leftMs() });
  let done = await read(PLAIN_TABLES);
  if (done.ok && LOST_TABLE.test(decodeUtf8(done.value.bytes))) done = await read(HTML_TABLES);
  if (!done.ok) return done;
  const { bytes: written, media, warnings } = done.value;
  const markdown = tidyMarkdown(decodeUtf8(written));
  return ok({ markdown, units: null, warnings: noteChanges(warnings), images: media });
}

function decodeUtf8(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

/** Removes column widths and list separators that pandoc writes for browsers and itself. */
function tidyMarkdown(markdown: string): string {
  return markdown
    .replaceAll(/<colgroup>\n(?:<col [^<>]*>\n)*<\/colgroup>\n/g, "")
    .replaceAll(/^(<!-- -->|&nbsp;)\n\n/gm, "")
    .replaceAll(/(<t[dhr])[^<>]*? style="[^"<>]*"/g, "$1")
    .trimEnd();
}

interface PlacedImages {
  readonly markdown: string;
  readonly images: readonly FoundImage[];
  readonly warnings: readonly string[];
}

/** Names and lists every picture that the text refers to. */
function placeImages(markdown: string, entries: readonly ZipEntry[], given: Raw["images"]): PlacedImages {
  const names = new ImageNames();
  const parts = new Map(given.map(({ name, bytes }) => [name, bytes]));
  const entryByPath = new Map<string, ZipEntry | null>();
  const found = new Map<string, FoundImage>();
  const take = (key: string, image: Omit<FoundImage, "name">): string => {
    const known = found.get(key);
    if (known !== undefined) return known.name;
    const name = names.makeName(key);
    found.set(key, { ...image, name });
    return name;
  };
  const inline = extractInlineImages(markdown, names);
  const ownNames = new Set(inline.images.map(({ name }) => name));
  const { text: truncated, warnings } = truncateText(inline.markdown);
  const text = rewriteTargets(truncated, (target) => {
    const contentType = getImageType(target);
    if (contentType === null || ownNames.has(target)) return null;
    const path = decodePercent(target);
    const part = parts.get(path);
    if (part !== undefined) return take(path, { contentType, size: part.length, bytes: () => Promise.resolve(part) });
    if (!entryByPath.has(path))
      entryByPath.set(path, entryByPath.size < MAX_IMAGE_PATHS ? findEntry(path, entries) : null);
    const entry = entryByPath.get(path) ?? null;
    return entry === null ? null : take(entry.name, { contentType, size: entry.size, bytes: () => readEntry(entry) });
  });
  const images = [...found.values(), ...inline.images];
  if (images.length > MAX_IMAGES)
    warnings.push(`Only the first ${MAX_IMAGES} of ${images.length} pictures were returned.`);
  return { markdown: text, images: images.slice(0, MAX_IMAGES), warnings };
}

/** Truncates the text at the end of a line, since the caller holds all of it in memory. */
function truncateText(markdown: string): { readonly text: string; readonly warnings: string[] } {
  if (markdown.length <= MAX_MARKDOWN_CHARACTERS) return { text: markdown, warnings: [] };
  const end = markdown.lastIndexOf("\n", MAX_MARKDOWN_CHARACTERS);
  const text = markdown.slice(0, end > 0 ? end : MAX_MARKDOWN_CHARACTERS).replace(/[\uD800-\uDBFF]$/, "");
  const warning = `Only the first ${text.length} of ${markdown.length} characters of the document were read.`;
  return { text: `${text}\n\n*${warning}*`, warnings: [warning] };
}

/** Finds a part by its path, which may be relative to any folder of the archive. */
function findEntry(path: string, entries: readonly ZipEntry[]): ZipEntry | null {
  const exact = entries.find(({ name }) => name === path);
  if (exact !== undefined || path === "") return exact ?? null;
  return entries.find(({ name }) => name.endsWith(`/${path.replace(/^(\.\.?\/)+/, "")}`)) ?? null;
}
