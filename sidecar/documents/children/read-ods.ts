/** Reads workbooks in OpenDocument format (ODF 1.3, part 3, 9) as Markdown: each sheet becomes a table of its displayed cells. */
import { NotReadable } from "./not-readable.ts";
import { Parts } from "./parts.ts";
import type { ReadPart } from "./read-question.ts";
import { FormulaCount, SheetText } from "./sheet-text.ts";

const CONTENT = "content.xml";
/** Repetitions of cells with content, and of spaces. LibreOffice repeats empty cells a million times. */
const MAX_REPEATED = 1_000;
/** Notes of cells and shapes have paragraphs of their own. */
const APART = new Set(["annotation", "shape", "frame", "custom-shape"]);

interface Cell {
  readonly repeated: number;
  readonly formula: string;
  /** Empty if the cell has no stored result. */
  readonly value: string;
  text: string;
  paragraphs: number;
}

export async function readOds(bytes: Uint8Array): Promise<ReadPart> {
  const parts = new Parts(bytes);
  const texts: string[] = [];
  const warnings: string[] = [];
  const formulas = new FormulaCount();
  let sheet: SheetText | null = null;
  let cell: Cell | null = null;
  let rowRepeated = 1;
  let column = 0;
  let apart = 0;

  function endCell(): void {
    if (cell === null) return;
    const { formula, value, paragraphs, repeated } = cell;
    const isComputed = formula === "" || value !== "" || paragraphs > 0;
    const text = isComputed ? cell.text : formulas.count(formula);
    if (text !== "") for (let at = 0; at < Math.min(repeated, MAX_REPEATED); at += 1) sheet?.addCell(column + at, text);
    column += repeated;
    cell = null;
  }

  function endSheet(): void {
    if (sheet === null) return;
    const { markdown, warning } = sheet.close();
    texts.push(markdown);
    if (warning !== null) warnings.push(warning);
    sheet = null;
  }

  await parts.parse(CONTENT, {
    open(name, attributes) {
      if (APART.has(name)) apart += 1;
      if (apart > 0) return;
      if (name === "table") sheet = new SheetText(attributes["name"] ?? "", false, formulas);
      else if (name === "table-row") {
        rowRepeated = readCount(attributes["number-rows-repeated"]);
        column = 0;
      } else if (name === "table-cell" || name === "covered-table-cell") {
        cell = {
          repeated: readCount(attributes["number-columns-repeated"]),
          formula: readFormula(attributes["formula"] ?? ""),
          value: attributes["value"] ?? attributes["date-value"] ?? attributes["boolean-value"] ?? "",
          text: "",
          paragraphs: 0,
        };
      } else if (cell !== null) openText(cell, name, attributes);
    },
    close(name) {
      if (APART.has(name)) apart -= 1;
      else if (apart > 0) return;
      else if (name === "table-cell" || name === "covered-table-cell") endCell();
      else if (name === "table-row") sheet?.endRow(rowRepeated);
      else if (name === "table") endSheet();
    },
    text(text) {
      if (cell !== null && cell.paragraphs > 0 && apart === 0) cell.text += text;
    },
  });
  if (texts.length === 0) throw new NotReadable("The document is damaged: the workbook has no readable sheet.");
  const units = { name: "sheets" as const, total: texts.length, read: texts.length };
  return { markdown: texts.join("\n\n"), units, warnings: [...warnings, ...formulas.warnings()] };
}

function openText(cell: Cell, name: string, attributes: Readonly<Record<string, string>>): void {
  if (name === "p") {
    cell.text += cell.paragraphs === 0 ? "" : "\n";
    cell.paragraphs += 1;
  } else if (name === "s") cell.text += " ".repeat(Math.min(readCount(attributes["c"]), MAX_REPEATED));
  else if (name === "tab") cell.text += "\t";
  else if (name === "line-break") cell.text += "\n";
}

function readCount(value: string | undefined): number {
  const count = Number(value ?? 1);
  return Number.isSafeInteger(count) && count > 0 ? count : 1;
}

/** Formats OpenFormula as spreadsheet programs show it: `of:=SUM([.B2:.B3])` is `=SUM(B2:B3)`. */
function readFormula(formula: string): string {
  return formula
    .replace(/^[a-z]+:(?==)/, "")
    .replaceAll(/\[([^[\]]*)\]/g, (_whole, reference: string) => reference.replaceAll(/(^|:)\./g, "$1"));
}
