/** Reads workbooks (ECMA-376, part 1, 18) as Markdown: each sheet becomes a table of its formatted cells. */
import { getBuiltInFormat, formatNumber } from "./number-format.ts";
import { findAll, findChild, Parts } from "./parts.ts";
import { formatPipeTable } from "./pipe-table.ts";
import { NotReadable } from "./not-readable.ts";
import type { ReadPart } from "./read-question.ts";

const MAX_ROWS_PER_SHEET = 5_000;
const MAX_COLUMNS = 200;
const MAX_CELLS = 200_000;
const MAX_CELL_CHARACTERS = 32_767;
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
  let cellsLeft = MAX_CELLS;
  for (const sheet of sheets) {
    const { rows, cells, isCut } = await readSheet(parts, sheet.path, workbook, cellsLeft);
    cellsLeft -= cells;
    if (isCut) warnings.push(describeCut(sheet.name, rows.length));
    const heading = `## ${sheet.name}${sheet.isHidden ? " (hidden)" : ""}`;
    const note = isCut ? `\n\n*${describeCut(sheet.name, rows.length)}*` : "";
    texts.push(`${heading}\n\n${rows.length === 0 ? "*(empty)*" : formatPipeTable(rows)}${note}`);
  }
  const units = { name: "sheets" as const, total: sheets.length, read: sheets.length };
  return { markdown: texts.join("\n\n"), units, warnings };
}

function describeCut(sheet: string, rows: number): string {
  return `Only the first ${rows} rows and at most ${MAX_COLUMNS} columns of the sheet "${sheet}" were read.`;
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

interface SheetRows {
  readonly rows: string[][];
  readonly cells: number;
  readonly isCut: boolean;
}

/** The current cell. */
interface Cell {
  column: number;
  type: string;
  style: number;
  value: string;
}

async function readSheet(parts: Parts, path: string, workbook: Workbook, maxCells: number): Promise<SheetRows> {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell: Cell | null = null;
  let takesText = false;
  let cells = 0;
  let isCut = false;
  let followsEmptyRow = false;
  const isFull = () => rows.length >= MAX_ROWS_PER_SHEET || cells >= maxCells;

  function endCell(): void {
    const formatted = cell === null ? "" : formatCell(cell, workbook);
    if (cell === null || formatted === "") return;
    if (isFull() || cell.column >= MAX_COLUMNS) {
      isCut = true;
      return;
    }
    while (row.length < cell.column) row.push("");
    row[cell.column] = formatted.slice(0, MAX_CELL_CHARACTERS);
    cells += 1;
  }

  function endRow(): void {
    if (row.length === 0) followsEmptyRow = rows.length > 0;
    else {
      // One or more empty rows separate tables.
      if (followsEmptyRow) rows.push([]);
      followsEmptyRow = false;
      rows.push(row);
    }
    row = [];
  }

  await parts.parse(path, {
    open(name, attributes) {
      if (name === "c") {
        const column = parseColumn(attributes["r"]) ?? (cell?.column ?? -1) + 1;
        cell = { column, type: attributes["t"] ?? "n", style: Number(attributes["s"] ?? 0), value: "" };
      }
      takesText = name === "v" || name === "t";
    },
    close(name) {
      takesText = false;
      if (name === "c") endCell();
      if (name === "row") {
        endRow();
        cell = null;
      }
    },
    text(text) {
      if (takesText && cell !== null) cell.value += text;
    },
  });
  return { rows: dropLeadingColumns(rows), cells, isCut };
}

/** Returns the column, counted from 0. Null if the reference is invalid. */
function parseColumn(reference: string | undefined): number | null {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? "")?.[0];
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

function dropLeadingColumns(rows: string[][]): string[][] {
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
