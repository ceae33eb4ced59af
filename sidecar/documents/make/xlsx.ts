/**
 * Writes a workbook from sheets of data. A text stays a text with any first character; numbers, dates and formulas have their own cell
 * types. The program that opens the workbook computes the formulas.
 */
import type { Blob } from "node:buffer";
import type Stream from "node:stream";
import writeExcelFile, { type CellObject, type Feature, type Row } from "write-excel-file/node";
import { type Cell, parseCalendarDate, type Sheet } from "../../../core/documents/make.ts";
import { computeWidths, findDate, getDateFormat, getTextWidth, MAX_WIDTH } from "./column-widths.ts";
import { CORE_PART, buildCoreProperties, escapeXml, type OfficeAbout } from "./office-file.ts";

const HEADER: Partial<CellObject> = {
  fontWeight: "bold",
  textColor: "#1F4E79",
  backgroundColor: "#E4ECF5",
  borderStyle: "thin",
  borderColor: "#BFC7D1",
  alignVertical: "center",
};

/** File contents that the library accepts. */
type FileContent = Stream | Buffer | Blob;

export interface Workbook {
  readonly sheets: readonly Sheet[];
  readonly about: OfficeAbout;
  readonly nowMs: number;
}

/** Writes the workbook and returns its bytes. */
export async function writeWorkbook({ sheets, about, nowMs }: Workbook): Promise<Uint8Array> {
  const written = sheets.map((sheet) => ({
    data: toRows(sheet),
    sheet: sheet.name,
    columns: computeWidths(sheet),
    stickyRowsCount: sheet.freeze?.rows ?? (sheet.columns === undefined ? 0 : 1),
    stickyColumnsCount: sheet.freeze?.columns ?? 0,
  }));
  const features = [makeFilters(sheets), makeProperties(about, nowMs)];
  return await writeExcelFile(written, { features, fontFamily: "Arial", fontSize: 10 }).toBuffer();
}

function toRows({ columns, rows }: Sheet): Row[] {
  const body = rows.map((row) => row.map((cell, index) => toCellObject(cell, columns?.[index])));
  if (columns === undefined) return body;
  // Align the header of a number column to the right, as its numbers.
  const header = columns.map(({ header: value }, index) => {
    const align = rows.some((row) => isNumber(row[index] ?? null)) ? { align: "right" as const } : {};
    return { ...HEADER, ...align, value: value, type: String };
  });
  return [header, ...body];
}

function isNumber(cell: Cell): boolean {
  return typeof cell === "number" || (typeof cell === "object" && typeof cell?.value === "number");
}

type Column = NonNullable<Sheet["columns"]>[number];

function toCellObject(cell: Cell, column: Column | undefined): CellObject | null {
  if (cell === null) return null;
  const whole = typeof cell === "object" ? cell : { value: cell };
  const format = whole.format ?? column?.format;
  const style: Partial<CellObject> = whole.bold === true ? { fontWeight: "bold" } : {};
  if (whole.formula !== undefined)
    return { ...style, ...toFormat(format), value: whole.formula.trim().slice(1), type: "Formula" };
  const date = whole.date ?? findDate(whole.value, column);
  if (date !== null) {
    const value = new Date(parseCalendarDate(date) ?? 0);
    return { ...style, value, type: Date, format: format ?? getDateFormat(date) };
  }
  const { value } = whole;
  if (typeof value === "number") return { ...style, ...toFormat(format), value, type: Number };
  if (typeof value === "boolean") return { ...style, value, type: Boolean };
  // Texts get no number format, which would only take effect when they are edited.
  return value === undefined || value === "" ? null : { ...style, value: value, type: String, ...toWrap(value) };
}

function toFormat(format: string | undefined): Partial<CellObject> {
  return format === undefined ? {} : { format };
}

function toWrap(text: string): Partial<CellObject> {
  return text.includes("\n") || getTextWidth(text) > MAX_WIDTH ? { wrap: true, alignVertical: "top" } : {};
}

/** Prints one page wide and any number of pages long. */
const FIT_TO_PAGE = '<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>';
const PAGE = '<pageSetup orientation="landscape" fitToWidth="1" fitToHeight="0"/>';

/**
 * Adds a filter to each header row, with the hidden name by which Excel finds it (ECMA-376, 18.3.1.2), and the print settings.
 */
function makeFilters(sheets: readonly Sheet[]): Feature<FileContent> {
  const ranges = sheets.map(getFilterRange);
  return {
    files: {
      transform: {
        "xl/worksheets/sheet{id}.xml": {
          transform: (xml, _options, { sheetIndex }) => {
            const range = ranges[sheetIndex] ?? null;
            const filter = range === null ? "" : `<autoFilter ref="${range.replaceAll("$", "")}"/>`;
            return xml
              .replace(/<worksheet[^>]*>/, (start) => `${start}${FIT_TO_PAGE}`)
              .replace("</sheetData>", () => `</sheetData>${filter}`)
              .replace("</worksheet>", () => `${PAGE}</worksheet>`);
          },
        },
        "xl/workbook.xml": {
          transform: (xml) => {
            const names = ranges.map((range, index) =>
              range === null ? "" : buildFilterName(sheets[index]?.name ?? "", range, index),
            );
            return names.every((name) => name === "")
              ? xml
              : xml.replace("</sheets>", () => `</sheets><definedNames>${names.join("")}</definedNames>`);
          },
        },
      },
    },
  };
}

function buildFilterName(sheet: string, range: string, index: number): string {
  const quoted = escapeXml(`'${sheet.replaceAll("'", "''")}'`);
  return `<definedName name="_xlnm._FilterDatabase" localSheetId="${index}" hidden="1">${quoted}!${range}</definedName>`;
}

function getFilterRange({ columns, rows, autofilter = true }: Sheet): string | null {
  if (columns === undefined || columns.length === 0 || !autofilter || rows.length === 0) return null;
  return `$A$1:$${getColumnName(columns.length)}$${rows.length + 1}`;
}

/** Converts a column number to letters: 1 is A, 27 is AA. */
function getColumnName(column: number): string {
  const rest = (column - 1) % 26;
  const letter = String.fromCharCode(65 + rest);
  return column > 26 ? getColumnName((column - 1 - rest) / 26) + letter : letter;
}

/** Adds title, author and dates, which the library does not write. */
function makeProperties(about: OfficeAbout, nowMs: number): Feature<FileContent> {
  return {
    files: {
      transform: {
        "[Content_Types].xml": {
          insert: () =>
            '<Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/>',
        },
        "_rels/.rels": {
          insert: () =>
            '<Relationship Id="rIdCore" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties" Target="docProps/core.xml"/>',
        },
      },
      write: { files: () => ({ [CORE_PART]: buildCoreProperties(about, nowMs) }) },
    },
  };
}
