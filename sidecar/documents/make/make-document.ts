/**
 * Makes a document. One engine for each format: pandoc writes Word documents and presentations, since it is the one that
 * takes a template's styles; Typst sets PDF from what pandoc made of the text; write-excel-file writes workbooks. Whatever
 * came as Markdown is read by pandoc and cleaned before an engine has it.
 */
import { MAX_CELLS, type DocumentToMake, MAX_MADE_BYTES } from "../../../core/documents/make.ts";
import { failed, ok, type Result } from "../../../core/base/errors.ts";
import type { Budget } from "../budget.ts";
import type { ConvertWithPandoc } from "../pandoc.ts";
import { type Node, partsOf, plainInlines, textOf } from "./ast.ts";
import { type Cleaned, cleanBlocks, type CleanOptions, TooDeep } from "./clean-ast.ts";
import type { DrawSvgs } from "./draw-svgs.ts";
import type { AskMaker } from "./makers.ts";
import type { OfficeAbout } from "./office-file.ts";
import { PDF_STYLE } from "./pdf-style.ts";
import { type Pictures, picturesOf } from "./pictures.ts";
import { withPlainTexts } from "./plain-text.ts";
import { astBytes, readMarkdown, type ReadText } from "./read-markdown.ts";
import { sheetsOf } from "./sheets.ts";
import { flowSlides, slideLevel } from "./slide-flow.ts";
import { SLIDE_LEVEL, slideShow, textReader, textsAsMarkdown } from "./slides.ts";

export interface Engines {
  readonly pandoc: ConvertWithPandoc;
  readonly maker: AskMaker;
  readonly draw: DrawSvgs;
  /** The reference document of the house, by format. */
  readonly style: (format: "docx" | "pptx", signal: AbortSignal, budget?: Budget) => Promise<Result<Uint8Array>>;
}

export interface MakeOrder {
  readonly document: DocumentToMake;
  /** By the path that the text means: its bytes, or why it has none. */
  readonly images: ReadonlyMap<string, Uint8Array | string>;
  /** It passed the checks of a document that is read. */
  readonly template: Uint8Array | null;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/** `warnings`: what of the content the document does not hold, in words. */
export interface Made {
  readonly bytes: Uint8Array;
  readonly warnings: readonly string[];
}

type Of<Format extends DocumentToMake["format"]> = Extract<DocumentToMake, { format: Format }>;

export async function makeDocument(order: MakeOrder, engines: Engines): Promise<Result<Made>> {
  try {
    const made = await makeFormat({ ...order, document: withPlainTexts(order.document) }, engines);
    if (!made.ok || made.value.bytes.length <= MAX_MADE_BYTES) return made;
    return failed("too_large", `The document has ${made.value.bytes.length} bytes; a file may have ${MAX_MADE_BYTES}.`);
  } catch (thrown) {
    if (!(thrown instanceof TooDeep)) throw thrown;
    return failed("invalid_input", "The text is nested too deeply: lists or quotes in each other.", {
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

/** What a document says of itself: what it was told, else what its text says. */
interface Titled {
  readonly about: Required<{ [Key in keyof OfficeAbout]: string }>;
  /** Whether the title is to be shown: not when the text begins with it. */
  readonly shown: boolean;
}

function titled(document: OfficeAbout, { frontMatter, blocks }: ReadText): Titled {
  const [first] = blocks;
  const heading = first?.t === "Header" && partsOf(first)[0] === 1 ? textOf(partsOf(first)[2]).trim() : "";
  const title = document.title ?? frontMatter.title;
  const about = {
    title: title === "" ? heading : title,
    author: document.author ?? frontMatter.author,
    subject: document.subject ?? "",
    language: document.language ?? languageTag(frontMatter.language),
  };
  return { about, shown: title !== "" && title !== heading };
}

function languageTag(text: string): string {
  return /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$/.test(text) ? text : "";
}

const metaText = (text: string): Node => ({ t: "MetaInlines", c: plainInlines(text) });

function metaOf({ about, shown }: Titled): Record<string, Node> {
  const meta: Record<string, Node> = {};
  if (shown) meta["title"] = metaText(about.title);
  if (shown && about.author !== "") meta["author"] = metaText(about.author);
  if (about.language !== "") meta["lang"] = { t: "MetaString", c: about.language };
  if (isRightToLeftLanguage(about.language)) meta["dir"] = { t: "MetaString", c: "rtl" };
  return meta;
}

function isRightToLeftLanguage(language: string): boolean {
  return /^(?:ar|he|fa|ur|ps|sd|ug|yi|dv)(?:-|$)/i.test(language);
}

async function makeDocx(document: Of<"docx">, order: MakeOrder, engines: Engines): Promise<Result<Made>> {
  const { signal, nowMs } = order;
  const read = await readMarkdown(engines.pandoc, document.markdown, signal);
  if (!read.ok) return read;
  const pictures = await picturesOf(order.images, engines.draw, signal);
  const cleaned = cleanBlocks(read.value.blocks, { images: pictures.images, direction: "dir" });
  const title = titled(document, read.value);
  const written = await writeOffice("docx", order, engines, {
    input: astBytes(read.value.apiVersion, metaOf(title), cleaned.blocks),
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

async function makePdf(document: Of<"pdf">, order: MakeOrder, engines: Engines): Promise<Result<Made>> {
  const { signal, nowMs } = order;
  const read = await readMarkdown(engines.pandoc, document.markdown, signal);
  if (!read.ok) return read;
  const pictures = await picturesOf(order.images, engines.draw, signal);
  const cleaned = cleanBlocks(read.value.blocks, { images: pictures.images, direction: "lang" });
  const body = await engines.pandoc({
    from: "json",
    to: "typst",
    input: astBytes(read.value.apiVersion, {}, cleaned.blocks),
    signal,
  });
  if (!body.ok) return body;
  const { about, shown } = titled(document, read.value);
  const [language = ""] = about.language.toLowerCase().split("-");
  const inputs = {
    title: about.title,
    author: about.author,
    subject: about.subject,
    shown: shown ? "yes" : "no",
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

/** The document of a presentation, whichever way it was given. */
interface Show {
  readonly apiVersion: readonly number[];
  readonly meta: Readonly<Record<string, Node>>;
  readonly cleaned: Cleaned;
  readonly level: number;
  readonly about: Titled["about"];
}

async function makePptx(document: Of<"pptx">, order: MakeOrder, engines: Engines): Promise<Result<Made>> {
  const { signal, nowMs } = order;
  const pictures = await picturesOf(order.images, engines.draw, signal);
  const show = await showOf(document, pictures.images, engines, signal);
  if (!show.ok) return show;
  const { apiVersion, meta, cleaned, level, about } = show.value;
  const written = await writeOffice("pptx", order, engines, {
    input: astBytes(apiVersion, meta, flowSlides(cleaned.blocks, level)),
    pictures,
    options: { "slide-level": level },
  });
  if (!written.ok) return written;
  const finished = await engines.maker({ kind: "finish", format: "pptx", about, nowMs }, [written.value], signal);
  return finished.ok ? ok({ bytes: finished.value, warnings: cleaned.warnings }) : finished;
}

async function showOf(
  document: Of<"pptx">,
  images: CleanOptions["images"],
  { pandoc }: Engines,
  signal: AbortSignal,
): Promise<Result<Show>> {
  const { content } = document;
  const given = "slides" in content ? { slides: content.slides, ...textsAsMarkdown(content.slides) } : content;
  const read = await readMarkdown(pandoc, given.markdown, signal);
  if (!read.ok) return read;
  const { apiVersion, blocks } = read.value;
  const options: CleanOptions = { images, direction: null };
  if (!("slides" in given)) {
    const title = titled(document, read.value);
    const subtitle = read.value.frontMatter.subtitle;
    const meta = { ...metaOf(title), ...(title.shown && subtitle !== "" ? { subtitle: metaText(subtitle) } : {}) };
    return ok({
      apiVersion,
      meta,
      cleaned: cleanBlocks(blocks, options),
      level: slideLevel(blocks),
      about: title.about,
    });
  }
  const made = slideShow(given.slides, textReader(given.texts, blocks));
  const opening = made.title === null ? "" : textOf(made.title);
  const title = titled({ ...document, title: document.title ?? opening }, { ...read.value, blocks: [] });
  const meta: Record<string, Node> = metaOf(title);
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

/** The title of a slide is a text of the model's as much as any other. */
function cleanMeta(meta: Readonly<Record<string, Node>>, options: CleanOptions): Record<string, Node> {
  return Object.fromEntries(
    Object.entries(meta).map(([name, node]) => {
      if (node.t !== "MetaInlines") return [name, node];
      const [cleaned] = cleanBlocks([{ t: "Plain", c: node.c }], options).blocks;
      return [name, { t: "MetaInlines", c: cleaned?.c ?? [] }];
    }),
  );
}

async function makeXlsx(document: Of<"xlsx">, order: MakeOrder, engines: Engines): Promise<Result<Made>> {
  const { signal, nowMs } = order;
  const { content, title, author, subject, language } = document;
  const about = { title, author, subject, language };
  if ("sheets" in content) return await writeSheets(content.sheets);
  const read = await readMarkdown(engines.pandoc, content.markdown, signal);
  if (!read.ok) return read;
  const sheets = sheetsOf(read.value.blocks);
  if (sheets.length === 0) return failed("invalid_input", NO_TABLE, { field: "content" });
  const cells = sheets.reduce((sum, { rows }) => sum + rows.reduce((of, row) => of + row.length, 0), 0);
  if (cells > MAX_CELLS)
    return failed("too_large", `The tables hold ${cells} cells; a workbook is made of ${MAX_CELLS} at most.`);
  return await writeSheets(sheets);

  async function writeSheets(given: typeof sheets): Promise<Result<Made>> {
    const part = new TextEncoder().encode(JSON.stringify(given));
    const made = await engines.maker({ kind: "xlsx", about, nowMs }, [part], signal);
    return made.ok ? ok({ bytes: made.value, warnings: [] }) : made;
  }
}

const NO_TABLE =
  "The Markdown holds no table. A workbook is made of its tables, or of sheets as data: {name, columns, rows}.";
