/**
 * Makes a document with one engine per format: pandoc writes Word documents and presentations, because it applies a template's styles;
 * Typst typesets PDF from pandoc's output; write-excel-file writes workbooks. pandoc parses Markdown, which is cleaned before an engine
 * gets it.
 */
import { MAX_CELLS, type DocumentToMake, MAX_MADE_BYTES } from "../../../core/documents/make.ts";
import { failed, ok, type Result } from "../../../core/base/errors.ts";
import type { Budget } from "../budget.ts";
import type { ConvertWithPandoc } from "../pandoc.ts";
import { type Node, getParts, toInlines, extractText } from "./ast.ts";
import { type Cleaned, cleanBlocks, type CleanOptions, TooDeep } from "./clean-ast.ts";
import type { DrawSvgs } from "./draw-svgs.ts";
import type { AskMaker } from "./makers.ts";
import type { OfficeAbout } from "./office-file.ts";
import { PDF_STYLE } from "./pdf-style.ts";
import { type Pictures, preparePictures } from "./pictures.ts";
import { removeInvalidTexts } from "./plain-text.ts";
import { encodeAst, readMarkdown, type ReadText } from "./read-markdown.ts";
import { toSheets } from "./sheets.ts";
import { flowSlides, findSlideLevel } from "./slide-flow.ts";
import { SLIDE_LEVEL, buildSlideShow, makeTextReader, toMarkdown } from "./slides.ts";
import { takeTitleSlide } from "./title-slide.ts";

export interface Engines {
  readonly pandoc: ConvertWithPandoc;
  readonly maker: AskMaker;
  readonly draw: DrawSvgs;
  /** Returns Otto's reference document for a format. */
  readonly style: (format: "docx" | "pptx", signal: AbortSignal, budget?: Budget) => Promise<Result<Uint8Array>>;
}

export interface MakeOrder {
  readonly document: DocumentToMake;
  /** Bytes of a picture, or the reason why it is missing, by its path in the text. */
  readonly images: ReadonlyMap<string, Uint8Array | string>;
  /** Has passed the checks of documents to read. */
  readonly template: Uint8Array | null;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/** `warnings` describe omitted content. */
export interface Made {
  readonly bytes: Uint8Array;
  readonly warnings: readonly string[];
}

type OfFormat<Format extends DocumentToMake["format"]> = Extract<DocumentToMake, { format: Format }>;

export async function makeDocument(order: MakeOrder, engines: Engines): Promise<Result<Made>> {
  try {
    const made = await makeFormat({ ...order, document: removeInvalidTexts(order.document) }, engines);
    if (!made.ok || made.value.bytes.length <= MAX_MADE_BYTES) return made;
    return failed("too_large", `The document has ${made.value.bytes.length} bytes; a file may have ${MAX_MADE_BYTES}.`);
  } catch (thrown) {
    if (!(thrown instanceof TooDeep)) throw thrown;
    return failed("invalid_input", "The text nests lists or quotes too deeply.", {
      field: "content",
    });
  }
}

async function makeFormat(order: MakeOrder, engines: Engines): Promise<Result<Made>> {
  const { document } = order;
  switch (document.format) {
    case "docx":
      return await makeDocx(document, order, engines);
    case "pdf":
      return await makePdf(document, order, engines);
    case "pptx":
      return await makePptx(document, order, engines);
    case "xlsx":
      return await makeXlsx(document, order, engines);
  }
}

/** The document's properties: those of the request, otherwise those of its text. */
interface TitleInfo {
  readonly about: Required<{ [Key in keyof OfficeAbout]: string }>;
  /** Whether to print the title. False if the text begins with it. */
  readonly isTitleVisible: boolean;
}

function readTitle(document: OfficeAbout, { frontMatter, blocks }: ReadText): TitleInfo {
  const [first] = blocks;
  const heading = first?.t === "Header" && getParts(first)[0] === 1 ? extractText(getParts(first)[2]).trim() : "";
  const title = document.title ?? frontMatter.title;
  const about = {
    title: title === "" ? heading : title,
    author: document.author ?? frontMatter.author,
    subject: document.subject ?? "",
    language: document.language ?? checkLanguageTag(frontMatter.language),
  };
  return { about, isTitleVisible: title !== "" && title !== heading };
}

function checkLanguageTag(text: string): string {
  return /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$/.test(text) ? text : "";
}

const toMetaText = (text: string): Node => ({ t: "MetaInlines", c: toInlines(text) });

function buildMeta({ about, isTitleVisible }: TitleInfo): Record<string, Node> {
  const meta: Record<string, Node> = {};
  if (isTitleVisible) meta["title"] = toMetaText(about.title);
  if (isTitleVisible && about.author !== "") meta["author"] = toMetaText(about.author);
  if (about.language !== "") meta["lang"] = { t: "MetaString", c: about.language };
  if (isRightToLeftLanguage(about.language)) meta["dir"] = { t: "MetaString", c: "rtl" };
  return meta;
}

function isRightToLeftLanguage(language: string): boolean {
  return /^(?:ar|he|fa|ur|ps|sd|ug|yi|dv)(?:-|$)/i.test(language);
}

async function makeDocx(document: OfFormat<"docx">, order: MakeOrder, engines: Engines): Promise<Result<Made>> {
  const { signal, nowMs } = order;
  const read = await readMarkdown(engines.pandoc, document.markdown, signal);
  if (!read.ok) return read;
  const pictures = await preparePictures(order.images, engines.draw, signal);
  const cleaned = cleanBlocks(read.value.blocks, { images: pictures.images, direction: "dir" });
  const title = readTitle(document, read.value);
  const written = await writeOffice("docx", order, engines, {
    input: encodeAst(read.value.apiVersion, buildMeta(title), cleaned.blocks),
    pictures,
    options: document.table_of_contents === true ? { "table-of-contents": true, "toc-depth": 3 } : {},
  });
  if (!written.ok) return written;
  const finished = await engines.maker(
    { kind: "finish", format: "docx", about: title.about, nowMs },
    [written.value],
    signal,
  );
  return finished.ok ? ok({ bytes: finished.value, warnings: cleaned.warnings }) : finished;
}

interface OfficeText {
  readonly input: Uint8Array;
  readonly pictures: Pictures;
  readonly options: Readonly<Record<string, unknown>>;
}

async function writeOffice(
  format: "docx" | "pptx",
  { template, signal }: MakeOrder,
  { pandoc, style }: Engines,
  { input, pictures, options }: OfficeText,
): Promise<Result<Uint8Array>> {
  const reference = template === null ? await style(format, signal) : ok(template);
  if (!reference.ok) return reference;
  const name = `template.${format}`;
  const written = await pandoc({
    from: "json",
    to: format,
    input,
    resources: [{ name, bytes: reference.value }, ...pictures.files],
    options: { ...options, "reference-doc": name },
    signal,
  });
  return written.ok ? ok(written.value.bytes) : written;
}

const PAPERS = { a3: "a3", a4: "a4", a5: "a5", letter: "us-letter", legal: "us-legal" } as const;

async function makePdf(document: OfFormat<"pdf">, order: MakeOrder, engines: Engines): Promise<Result<Made>> {
  const { signal, nowMs } = order;
  const read = await readMarkdown(engines.pandoc, document.markdown, signal);
  if (!read.ok) return read;
  const pictures = await preparePictures(order.images, engines.draw, signal);
  const cleaned = cleanBlocks(read.value.blocks, { images: pictures.images, direction: "lang" });
  const body = await engines.pandoc({
    from: "json",
    to: "typst",
    input: encodeAst(read.value.apiVersion, {}, cleaned.blocks),
    signal,
  });
  if (!body.ok) return body;
  const { about, isTitleVisible } = readTitle(document, read.value);
  const [language = ""] = about.language.toLowerCase().split("-");
  const inputs = {
    title: about.title,
    author: about.author,
    subject: about.subject,
    shown: isTitleVisible ? "yes" : "no",
    language: language === "" ? "en" : language,
    paper: PAPERS[document.page_size ?? "a4"],
    landscape: document.landscape === true ? "yes" : "no",
    contents: document.table_of_contents === true ? "yes" : "no",
  };
  const source = Buffer.concat([Buffer.from(PDF_STYLE), body.value.bytes]);
  const names = pictures.files.map(({ name }) => name);
  const parts = [source, ...pictures.files.map(({ bytes }) => bytes)];
  const made = await engines.maker({ kind: "pdf", names, inputs, nowMs }, parts, signal);
  return made.ok ? ok({ bytes: made.value, warnings: cleaned.warnings }) : made;
}

/** A presentation's document, from Markdown or from slides. */
interface Presentation {
  readonly apiVersion: readonly number[];
  readonly meta: Readonly<Record<string, Node>>;
  readonly cleaned: Cleaned;
  readonly level: number;
  readonly about: TitleInfo["about"];
}

async function makePptx(document: OfFormat<"pptx">, order: MakeOrder, engines: Engines): Promise<Result<Made>> {
  const { signal, nowMs } = order;
  const pictures = await preparePictures(order.images, engines.draw, signal);
  const show = await readPresentation(document, pictures.images, engines, signal);
  if (!show.ok) return show;
  const { apiVersion, meta, cleaned, level, about } = show.value;
  const written = await writeOffice("pptx", order, engines, {
    input: encodeAst(apiVersion, meta, flowSlides(cleaned.blocks, level)),
    pictures,
    options: { "slide-level": SLIDE_LEVEL },
  });
  if (!written.ok) return written;
  const isOwnStyle = order.template === null;
  const finished = await engines.maker(
    { kind: "finish", format: "pptx", about, nowMs, isOwnStyle },
    [written.value],
    signal,
  );
  return finished.ok ? ok({ bytes: finished.value, warnings: cleaned.warnings }) : finished;
}

async function readPresentation(
  document: OfFormat<"pptx">,
  images: CleanOptions["images"],
  { pandoc }: Engines,
  signal: AbortSignal,
): Promise<Result<Presentation>> {
  const { content } = document;
  const source = "slides" in content ? { slides: content.slides, ...toMarkdown(content.slides) } : content;
  const read = await readMarkdown(pandoc, source.markdown, signal);
  if (!read.ok) return read;
  const { apiVersion, blocks } = read.value;
  const options: CleanOptions = { images, direction: null };
  if (!("slides" in source)) {
    const title = readTitle(document, read.value);
    const opening = title.isTitleVisible ? null : takeTitleSlide(blocks);
    const subtitle = read.value.frontMatter.subtitle;
    const meta = buildMeta({ ...title, isTitleVisible: title.isTitleVisible || opening !== null });
    if (meta["title"] !== undefined && subtitle !== "") meta["subtitle"] = toMetaText(subtitle);
    if (opening !== null) meta["title"] = { t: "MetaInlines", c: opening.title };
    if (opening !== null && opening.subtitle !== null) meta["subtitle"] = { t: "MetaInlines", c: opening.subtitle };
    const rest = opening?.rest ?? blocks;
    return ok({
      apiVersion,
      meta: cleanMeta(meta, options),
      cleaned: cleanBlocks(rest, options),
      level: findSlideLevel(rest, opening !== null),
      about: title.about,
    });
  }
  const made = buildSlideShow(source.slides, makeTextReader(source.texts, blocks));
  const opening = made.title === null ? "" : extractText(made.title);
  const title = readTitle({ ...document, title: document.title ?? opening }, { ...read.value, blocks: [] });
  const meta: Record<string, Node> = buildMeta(title);
  if (made.title !== null) meta["title"] = { t: "MetaInlines", c: made.title };
  if (made.subtitle !== null) meta["subtitle"] = { t: "MetaInlines", c: made.subtitle };
  return ok({
    apiVersion,
    meta: cleanMeta(meta, options),
    cleaned: cleanBlocks(made.blocks, options),
    level: SLIDE_LEVEL,
    about: title.about,
  });
}

/** Cleans titles, which are untrusted text too. */
function cleanMeta(meta: Readonly<Record<string, Node>>, options: CleanOptions): Record<string, Node> {
  return Object.fromEntries(
    Object.entries(meta).map(([name, node]) => {
      if (node.t !== "MetaInlines") return [name, node];
      const [cleaned] = cleanBlocks([{ t: "Plain", c: node.c }], options).blocks;
      return [name, { t: "MetaInlines", c: cleaned?.c ?? [] }];
    }),
  );
}

async function makeXlsx(document: OfFormat<"xlsx">, order: MakeOrder, engines: Engines): Promise<Result<Made>> {
  const { signal, nowMs } = order;
  const { content, title, author, subject, language } = document;
  const about = { title, author, subject, language };
  if ("sheets" in content) return await writeSheets(content.sheets);
  const read = await readMarkdown(engines.pandoc, content.markdown, signal);
  if (!read.ok) return read;
  const sheets = toSheets(read.value.blocks);
  if (sheets.length === 0) return failed("invalid_input", NO_TABLE, { field: "content" });
  const cells = sheets.reduce((sum, { rows }) => sum + rows.reduce((of, row) => of + row.length, 0), 0);
  if (cells > MAX_CELLS)
    return failed("too_large", `The tables have ${cells} cells; a workbook may have ${MAX_CELLS}.`);
  return await writeSheets(sheets);

  async function writeSheets(given: typeof sheets): Promise<Result<Made>> {
    const part = new TextEncoder().encode(JSON.stringify(given));
    const made = await engines.maker({ kind: "xlsx", about, nowMs }, [part], signal);
    return made.ok ? ok({ bytes: made.value, warnings: [] }) : made;
  }
}

const NO_TABLE = "The Markdown has no table. A workbook needs tables, or sheets as data: {name, columns, rows}.";
