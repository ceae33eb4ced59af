/** Computes the widths of a workbook's columns by what its cells display, since a too narrow column shows a number as ####. */
import { type Cell, parseCalendarDate, type Sheet } from "../../../core/documents/make.ts";
import { formatNumber } from "../children/number-format.ts";

const DATE_FORMAT = "yyyy-mm-dd";
const TIME_FORMAT = "yyyy-mm-dd hh:mm";
/** Limits in characters for a column without a given width. */
const MIN_WIDTH = 8;
export const MAX_WIDTH = 60;
/** Rows that are measured to find a width. */
const ROWS_MEASURED = 1_000;
/** The result of a formula is unknown. A sum has more digits than the numbers above it. */
const FORMULA_WIDTH = 14;
const SUM_DIGITS = 3;
/** Both margins of a cell, and the arrow of the filter. */
const MARGINS = 2;
const ARROW = 3;
const DAY_MS = 86_400_000;
/** The day from which spreadsheet programs count, in Unix time. */
const EPOCH_MS = Date.UTC(1899, 11, 30);
/** Share of a digit's width, in the font of the workbook. */
const BOLD = 1.1;
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60]/;

type Column = NonNullable<Sheet["columns"]>[number];

/** Returns a width in characters for each column. */
export function computeWidths({ columns = [], rows }: Sheet): { width: number }[] {
  const measured = rows.slice(0, ROWS_MEASURED);
  const count = measured.reduce((most, row) => Math.max(most, row.length), columns.length);
  return Array.from({ length: count }, (_, index) => {
    const column = columns[index];
    if (column?.width !== undefined) return { width: column.width };
    const cells = measured.map((row) => row[index] ?? null);
    const widest = cells.reduce<number>((most, cell) => Math.max(most, estimateCellWidth(cell, column)), 0);
    const header = getTextWidth(column?.header ?? "") * BOLD + ARROW;
    const sum = cells.some(isFormula) ? widest + SUM_DIGITS : widest;
    return { width: Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, Math.ceil(Math.max(header, sum) + MARGINS))) };
  });
}

function isFormula(cell: Cell): boolean {
  return typeof cell === "object" && cell?.formula !== undefined;
}

function estimateCellWidth(cell: Cell, column: Column | undefined): number {
  if (cell === null) return 0;
  const whole = typeof cell === "object" ? cell : { value: cell };
  const format = whole.format ?? column?.format;
  const bold = whole.bold === true ? BOLD : 1;
  if (whole.formula !== undefined)
    return Math.max(FORMULA_WIDTH, format === undefined ? 0 : getTextWidth(formatNumber(0, format)));
  const date = whole.date ?? findDate(whole.value, column);
  if (date !== null) return getTextWidth(formatDate(date, format)) * bold;
  const { value } = whole;
  if (typeof value === "number") return getTextWidth(formatNumber(value, format ?? "General")) * bold;
  return getTextWidth(String(value ?? "")) * bold;
}

/** Returns the text of a column of dates if it is a calendar day. */
export function findDate(value: unknown, column: Column | undefined): string | null {
  return column?.type === "date" && typeof value === "string" && parseCalendarDate(value) !== null ? value : null;
}

export function getDateFormat(date: string): string {
  return date.length > DATE_FORMAT.length ? TIME_FORMAT : DATE_FORMAT;
}

function formatDate(date: string, format: string | undefined): string {
  return formatNumber(((parseCalendarDate(date) ?? 0) - EPOCH_MS) / DAY_MS, format ?? getDateFormat(date));
}

/** Returns the width of the longest line in digits. An East Asian character counts as two. */
export function getTextWidth(text: string): number {
  return Math.max(
    0,
    ...text
      .slice(0, 2_000)
      .split("\n")
      .map((line) => Array.from(line).reduce((sum, letter) => sum + getLetterWidth(letter), 0)),
  );
}

function getLetterWidth(letter: string): number {
  if (WIDE.test(letter) || letter.length > 1) return 2;
  if (/[MW@%—…]/.test(letter)) return 1.6;
  return /[A-Z]/.test(letter) ? 1.25 : 1;
}
