/**
 * A document to create, as data: the tools request it and the sidecar creates it, and both check it by these schemas.
 * Text is Markdown where stated and plain text elsewhere.
 */
import { z } from "zod";
import type { Result } from "../base/errors.ts";
import { findFormulaProblem } from "./formula.ts";

/** The formats that can be created. */
export const MADE_FORMATS = ["docx", "pdf", "pptx", "xlsx"] as const;
export type MadeFormat = (typeof MADE_FORMATS)[number];

const MAX_MARKDOWN_CHARACTERS = 1_000_000;
const MAX_SLIDES = 200;
const MAX_SHEETS = 50;
/** Cells of all sheets of a document. */
export const MAX_CELLS = 200_000;
/** Limits of the format (Microsoft's "Excel specifications and limits"). */
const MAX_CELL_CHARACTERS = 32_767;
const MAX_COLUMNS = 16_384;
const MAX_COLUMN_WIDTH = 255;
const MAX_SHEET_NAME_CHARACTERS = 31;

export const MAX_IMAGES = 50;
export const MAX_IMAGE_BYTES = 8_388_608;
/** Bytes of all images of a document. Together with a template, the engines accept no more. */
export const MAX_IMAGES_BYTES = 16_777_216;
export const MAX_TEMPLATE_BYTES = 5_242_880;
/** A sandbox's limit of one file. */
export const MAX_MADE_BYTES = 52_428_800;

const line = (most: number) => z.string().max(most);

export const markdownText = z.string().max(MAX_MARKDOWN_CHARACTERS);

/** A document's metadata. */
export const aboutFields = {
  title: line(500).optional().describe("Title of the document; it is also shown on top"),
  author: line(200).optional(),
  subject: line(500).optional(),
  language: z
    .string()
    .regex(/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$/, "is not a language tag such as en or pt-BR")
    .optional()
    .describe("Language tag, e.g. en, de, ar"),
};

const PAGE_SIZES = ["a4", "a5", "a3", "letter", "legal"] as const;

/** The fields of `create_docx` besides its Markdown. */
export const docxFields = {
  ...aboutFields,
  table_of_contents: z.boolean().optional().describe("True: a table of contents on top"),
};

/** The fields of `create_pdf` besides its Markdown. */
export const pdfFields = {
  ...docxFields,
  page_size: z.enum(PAGE_SIZES).optional().describe("a4 unless said otherwise"),
  landscape: z.boolean().optional(),
};

/** A calendar date, optionally with a time, without a zone. */
const calendarDate = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?)?$/, "is not a date such as 2026-01-31 or 2026-01-31T09:30")
  .refine((text) => parseCalendarDate(text) !== null, "is not a calendar day");

const formula = z
  .string()
  .max(8_192)
  .superRefine((text, context) => {
    const fault = findFormulaProblem(text);
    if (fault !== null) context.addIssue({ code: "custom", message: fault });
  });

const plainCell = z.union([line(MAX_CELL_CHARACTERS), z.number(), z.boolean()]);

const numberFormat = line(100).describe("Number format, e.g. #,##0.00 or 0.0% or yyyy-mm-dd");

/** A text that begins with `=` stays text: only `formula` creates a formula. */
const cellSchema = z.union([
  plainCell,
  z.null(),
  z
    .strictObject({
      value: plainCell.optional(),
      date: calendarDate.optional(),
      formula: formula.optional().describe("Such as =SUM(B2:B9)"),
      format: numberFormat.optional(),
      bold: z.boolean().optional(),
    })
    .refine(
      ({ value, date, formula: of }) => [value, date, of].filter((one) => one !== undefined).length === 1,
      "has exactly one of value, date and formula",
    ),
]);
export type Cell = z.infer<typeof cellSchema>;

const sheetName = z
  .string()
  .min(1)
  .max(MAX_SHEET_NAME_CHARACTERS)
  .regex(/^(?!')[^[\]:*?/\\]+(?<!')$/, "holds none of [ ] : * ? / \\ and no apostrophe at its ends");

const sheetSchema = z.strictObject({
  name: sheetName,
  columns: z
    .array(
      z.strictObject({
        header: line(1_000),
        width: z
          .number()
          .positive()
          .max(MAX_COLUMN_WIDTH)
          .optional()
          .describe("In characters; fits its content unless said"),
        format: numberFormat.optional(),
        type: z.literal("date").optional().describe("Texts such as 2026-01-31 in this column are dates"),
      }),
    )
    .max(MAX_COLUMNS)
    .optional(),
  rows: z.array(z.array(cellSchema).max(MAX_COLUMNS)),
  freeze: z
    .strictObject({ rows: z.int().min(0).max(1_000).optional(), columns: z.int().min(0).max(100).optional() })
    .optional()
    .describe("What stays in view; the header row unless said otherwise"),
  autofilter: z.boolean().optional().describe("A filter on the header row; true unless said otherwise"),
});
export type Sheet = z.infer<typeof sheetSchema>;

export const sheetsSchema = z
  .array(sheetSchema)
  .min(1)
  .max(MAX_SHEETS)
  .superRefine((sheets, context) => {
    const names = sheets.map(({ name }) => name.toLowerCase());
    const double = names.findIndex((name, index) => names.indexOf(name) !== index);
    if (double >= 0)
      context.addIssue({ code: "custom", path: [double, "name"], message: "is also the name of another sheet" });
    const cells = sheets.reduce((sum, { rows }) => sum + rows.reduce((of, row) => of + row.length, 0), 0);
    if (cells > MAX_CELLS)
      context.addIssue({ code: "custom", message: `hold ${cells} cells; a workbook is made of ${MAX_CELLS} at most` });
  });

const bulletText = line(2_000);

/** Two levels below the first, which is what fits a slide. */
const bulletSchema = z.union([
  bulletText,
  z.strictObject({
    text: bulletText,
    bullets: z
      .array(
        z.union([bulletText, z.strictObject({ text: bulletText, bullets: z.array(bulletText).max(50).optional() })]),
      )
      .max(50)
      .optional(),
  }),
]);

const SLIDE_LAYOUTS = ["title", "section", "content"] as const;

const slideSchema = z.strictObject({
  title: line(500).optional(),
  bullets: z.array(bulletSchema).max(100).optional().describe("Texts, or {text, bullets} for a level below"),
  text: line(10_000).optional().describe("Paragraphs; on a title slide the subtitle"),
  table: z
    .strictObject({
      header: z.array(bulletText).max(20).optional(),
      rows: z.array(z.array(z.union([bulletText, z.number()])).max(20)).max(200),
    })
    .optional(),
  image: z.string().max(1_024).optional().describe("Path of a PNG, JPEG, GIF or SVG in the sandbox"),
  notes: line(10_000).optional().describe("Speaker's notes"),
  layout: z.enum(SLIDE_LAYOUTS).optional().describe("A slide with only a title becomes a title or section slide"),
});
export type Slide = z.infer<typeof slideSchema>;
export const slidesSchema = z.array(slideSchema).min(1).max(MAX_SLIDES);

const markdownPart = { markdown: markdownText };
/** The document to create. `template` is passed separately: the bytes of a .docx or .pptx with the styles to use. */
export const documentSchema = z.discriminatedUnion("format", [
  z.strictObject({ format: z.literal("docx"), ...markdownPart, ...docxFields }),
  z.strictObject({ format: z.literal("pdf"), ...markdownPart, ...pdfFields }),
  z.strictObject({
    format: z.literal("pptx"),
    ...aboutFields,
    content: z.union([z.strictObject(markdownPart), z.strictObject({ slides: slidesSchema })]),
  }),
  z.strictObject({
    format: z.literal("xlsx"),
    ...aboutFields,
    content: z.union([z.strictObject(markdownPart), z.strictObject({ sheets: sheetsSchema })]),
  }),
]);
export type DocumentToMake = z.infer<typeof documentSchema>;

/** A calendar date in milliseconds since the epoch as if it were UTC; null for an invalid date or time. */
export function parseCalendarDate(text: string): number | null {
  const [, year = "", month = "", day = "", hour = "0", minute = "0", second = "0"] =
    /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}))?)?$/.exec(text) ?? [];
  if (year === "" || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  const at = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  const date = new Date(at);
  const isThatDay = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
  // A workbook's calendar begins with 1900.
  return isThatDay && Number(year) >= 1900 ? at : null;
}

/** An image that the text refers to by a path, with percent signs decoded: its bytes, or why they are missing. */
export type ImageToPlace = { readonly path: string } & ({ readonly bytes: Uint8Array } | { readonly why: string });

/** `nowMs` is the document's date, in milliseconds since the epoch. */
export interface MakeRequest {
  readonly document: DocumentToMake;
  readonly images: readonly ImageToPlace[];
  /** A .docx or .pptx with the styles to use, for these formats; null for Otto's own. */
  readonly template: Uint8Array | null;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/** `warnings`: which parts of the content are missing in the document. */
export interface MadeDocument {
  readonly bytes: Uint8Array;
  readonly warnings: readonly string[];
}

/**
 * Creates documents. Failures: `invalid_input` (of the content or the template), `unsupported_media` (an invalid
 * template), `too_large`, `timeout`, `rate_limited`, `not_available`, `upstream_failed`; `happened` is "no", since work
 * without a returned result has changed nothing. Never throws.
 */
export interface DocumentMaker {
  make(request: MakeRequest): Promise<Result<MadeDocument>>;
}
