/** Reads workbooks (ECMA-376, part 1, 18) as Markdown: each sheet becomes a table of its formatted cells. */
import { getBuiltInFormat, formatNumber } from "./number-format.ts";
import { findAll, findChild, Parts } from "./parts.ts";
import { NotReadable } from "./not-readable.ts";
import type { ReadPart } from "./read-question.ts";
import { FormulaCount, SheetText } from "./sheet-text.ts";

const MAX_SHARED_CHARACTERS = 40_000_000;

interface Sheet {
  readonly name: string;
  readonly path: string;
  readonly isHidden: boolean;
}

interface Workbook {
  readonly shared: readonly string[];
  /** The format code of each cell style. */
  readonly formats: readonly string[];
  readonly is1904: boolean;
}

export async function readXlsx(bytes: Uint8Array): Promise<ReadPart> {
  const parts = new Parts(bytes);
  const path = await findWorkbookPath(parts);
  const tree = await parts.readTree(path);
  const relations = await parts.readRelations(path);
  const sheets = findAll(tree, "sheet").flatMap(({ attributes }): Sheet[] => {
    const target = relations.get(attributes["r:id"] ?? "");
    // A chart sheet has no cells.
    if (target === undefined || target.type !== "worksheet") return [];
    return [
      {
        name: attributes["name"] ?? "",
        path: target.target,
        isHidden: (attributes["state"] ?? "visible") !== "visible",
      },
    ];
  });
  if (sheets.length === 0) throw new NotReadable("The document is damaged: the workbook has no readable sheet.");
  const findTarget = (type: string) => [...relations.values()].find((relation) => relation.type === type)?.target ?? "";
  const workbook: Workbook = {
    shared: await readSharedStrings(parts, findTarget("sharedStrings")),
    formats: await readCellFormats(parts, findTarget("styles")),
    is1904: /^(1|true)$/.test(findChild(tree, "workbookPr")?.attributes["date1904"] ?? ""),
  };
  const warnings: string[] = [];
  const texts: string[] = [];
  const formulas = new FormulaCount();
  for (const { name, isHidden, path: sheetPath } of sheets) {
    const sheet = new SheetText(name, isHidden, formulas);
    await readSheet(parts, sheetPath, workbook, { sheet, formulas });
    const { markdown, warning } = sheet.close();
    texts.push(markdown);
    if (warning !== null) warnings.push(warning);
  }
  const units = { name: "sheets" as const, total: sheets.length, read: sheets.length };
  return { markdown: texts.join("\n\n"), units, warnings: [...warnings, ...formulas.warnings()] };
}

async function findWorkbookPath(parts: Parts): Promise<string> {
  const relations = await parts.readRelations("");
  const main = [...relations.values()].find(({ type }) => type === "officeDocument")?.target;
  return main !== undefined && parts.has(main) ? main : "xl/workbook.xml";
}

async function readSharedStrings(parts: Parts, path: string): Promise<readonly string[]> {
  const strings: string[] = [];
  let current = "";
  let characters = 0;
  let isText = false;
  let phonetic = 0;
  await parts.parse(path, {
    open(name) {
      if (name === "si") current = "";
      else if (name === "rPh") phonetic += 1;
      isText = name === "t" && phonetic === 0;
    },
    close(name) {
      isText = false;
      if (name === "rPh") phonetic -= 1;
      if (name !== "si") return;
      characters += current.length;
      if (characters > MAX_SHARED_CHARACTERS) throw new NotReadable("The workbook has too much text.");
      strings.push(current);
    },
    text(text) {
      if (isText) current += text;
    },
  });
  return strings;
}

async function readCellFormats(parts: Parts, path: string): Promise<readonly string[]> {
  const tree = await parts.readTree(path);
  const own = new Map(
    findAll(findChild(tree, "numFmts"), "numFmt").map(({ attributes }) => [
      attributes["numFmtId"] ?? "",
      attributes["formatCode"] ?? "General",
    ]),
  );
  return (findChild(tree, "cellXfs")?.children ?? []).map(({ attributes }) => {
    const id = attributes["numFmtId"] ?? "0";
    return own.get(id) ?? getBuiltInFormat(Number(id));
  });
}

/** The current cell. */
interface Cell {
  readonly reference: string;
  readonly column: number;
  readonly type: string;
  readonly style: number;
  /** The group of a shared formula (18.3.1.40), of which one cell has the text. */
  shared: string | null;
  formula: string;
  value: string;
}

interface Target {
  readonly sheet: SheetText;
  readonly formulas: FormulaCount;
}

async function readSheet(parts: Parts, path: string, workbook: Workbook, { sheet, formulas }: Target): Promise<void> {
  /** The formula and the cell of each group. */
  const shared = new Map<string, { readonly formula: string; readonly reference: string }>();
  let cell: Cell | null = null;
  let takes: "value" | "formula" | null = null;

  function formatFormula({ formula, shared: group, reference }: Cell): string {
    if (formula === "") {
      const source = group === null ? undefined : shared.get(group);
      return source === undefined ? "" : `=${source.formula} (filled from ${source.reference})`;
    }
    if (group !== null) shared.set(group, { formula, reference });
    return `=${formula}`;
  }

  function endCell(): void {
    if (cell === null) return;
    const formula = formatFormula(cell);
    const hasResult = cell.value !== "" || formula === "" || cell.type === "str";
    const text = hasResult ? formatCell(cell, workbook) : formulas.count(formula);
    if (text !== "") sheet.addCell(cell.column, text);
  }

  await parts.parse(path, {
    open(name, attributes) {
      if (name === "c") {
        const reference = attributes["r"] ?? "";
        const column = parseColumn(reference) ?? (cell?.column ?? -1) + 1;
        const style = Number(attributes["s"] ?? 0);
        cell = { reference, column, type: attributes["t"] ?? "n", style, shared: null, formula: "", value: "" };
      }
      if (name === "f" && cell !== null && attributes["t"] === "shared") cell.shared = attributes["si"] ?? null;
      takes = name === "f" ? "formula" : name === "v" || name === "t" ? "value" : null;
    },
    close(name) {
      takes = null;
      if (name === "c") endCell();
      if (name === "row") {
        sheet.endRow();
        cell = null;
      }
    },
    text(text) {
      if (takes !== null && cell !== null) cell[takes] += text;
    },
  });
}

/** Returns the column, counted from 0. Null if the reference is invalid. */
function parseColumn(reference: string): number | null {
  const letters = /^[A-Z]{1,3}/.exec(reference)?.[0];
  if (letters === undefined) return null;
  return Array.from(letters).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function formatCell({ type, style, value }: Cell, { shared, formats, is1904 }: Workbook): string {
  if (type === "s") return shared[Number(value)] ?? "";
  if (type === "b") return value === "" ? "" : value === "1" ? "TRUE" : "FALSE";
  if (type !== "n" || value === "") return value;
  const number = Number(value);
  return Number.isFinite(number) ? formatNumber(number, formats[style] ?? "General", is1904) : value;
}
