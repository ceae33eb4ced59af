/** Collects the cells of one sheet and formats them as a table, within the limits of a workbook. */
import { formatPipeTable } from "./pipe-table.ts";

const MAX_ROWS_PER_SHEET = 5_000;
const MAX_COLUMNS = 200;
const MAX_CELLS = 200_000;
const MAX_CELL_CHARACTERS = 32_767;
const MAX_FORMULA_CHARACTERS = 1_000;

/** Counts over all sheets of a workbook: its cells, and formulas without a stored result. */
export class FormulaCount {
  cells = 0;
  #formulas = 0;

  /** Counts a formula without a stored result, and returns the text that is shown for it. */
  count(formula: string): string {
    this.#formulas += 1;
    return formula.slice(0, MAX_FORMULA_CHARACTERS);
  }

  warnings(): string[] {
    if (this.#formulas === 0) return [];
    const cells = this.#formulas === 1 ? "1 cell has a formula" : `${this.#formulas} cells have formulas`;
    return [`${cells} without a stored result. The formula is shown instead: nothing was computed.`];
  }
}

export class SheetText {
  readonly #name: string;
  readonly #isHidden: boolean;
  readonly #totals: FormulaCount;
  readonly #rows: string[][] = [];
  #row: string[] = [];
  #isCut = false;
  #followsEmptyRow = false;

  constructor(name: string, isHidden: boolean, totals: FormulaCount) {
    this.#name = name;
    this.#isHidden = isHidden;
    this.#totals = totals;
  }

  /** Adds a cell that is not empty. Columns count from 0 and must increase. */
  addCell(column: number, text: string): void {
    if (this.#rows.length >= MAX_ROWS_PER_SHEET || this.#totals.cells >= MAX_CELLS || column >= MAX_COLUMNS) {
      this.#isCut = true;
      return;
    }
    while (this.#row.length < column) this.#row.push("");
    this.#row[column] = text.slice(0, MAX_CELL_CHARACTERS);
    this.#totals.cells += 1;
  }

  /** Ends a row that occurs `times` times. */
  endRow(times = 1): void {
    if (this.#row.length === 0) this.#followsEmptyRow = this.#rows.length > 0;
    else {
      // One or more empty rows separate tables.
      if (this.#followsEmptyRow) this.#rows.push([]);
      this.#followsEmptyRow = false;
      let added = 0;
      for (; added < times && this.#hasRoom(added); added += 1) {
        this.#rows.push(this.#row);
        if (added > 0) this.#totals.cells += this.#row.length;
      }
      if (added < times) this.#isCut = true;
    }
    this.#row = [];
  }

  /** Whether the row fits once more. The first time, its cells are counted already. */
  #hasRoom(added: number): boolean {
    return this.#rows.length < MAX_ROWS_PER_SHEET && (added === 0 || this.#totals.cells < MAX_CELLS);
  }

  close(): { readonly markdown: string; readonly warning: string | null } {
    const rows = dropLeadingColumns(this.#rows);
    const warning = this.#isCut ? this.#describeCut() : null;
    const heading = `## ${this.#name}${this.#isHidden ? " (hidden)" : ""}`;
    const note = warning === null ? "" : `\n\n*${warning}*`;
    return {
      markdown: `${heading}\n\n${rows.length === 0 ? "*(empty)*" : formatPipeTable(rows)}${note}`,
      warning,
    };
  }

  #describeCut(): string {
    return `Only the first ${this.#rows.length} rows and at most ${MAX_COLUMNS} columns of the sheet "${this.#name}" were read.`;
  }
}

function dropLeadingColumns(rows: readonly string[][]): string[][] {
  const filled = rows.filter((row) => row.length > 0);
  const first = filled.reduce(
    (least, row) =>
      Math.min(
        least,
        row.findIndex((cell) => cell !== ""),
      ),
    MAX_COLUMNS,
  );
  return filled.length === 0 ? [] : rows.map((row) => row.slice(first));
}
