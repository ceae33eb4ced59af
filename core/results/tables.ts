/** Rows as a table: the columns that say most, and plain cells. */
import { getField } from "../base/json-fields.ts";
import {
  hasAny,
  hasLabel,
  isObject,
  MAX_FIELDS,
  pick,
  type TextLimit,
  toPlainName,
  toRow,
  toText,
  toWebAddress,
} from "./fields.ts";

export type Cell = string | number | boolean | null;

/** Each row has a cell per column. */
export interface TableData {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** `count`: all rows of the result. The table may have the first of them. */
export interface CountedTable {
  readonly table: TableData;
  readonly count: number;
}

/** Where a column's cell is in a row: the names of a field, and of one inside it. */
type Path = readonly string[];

/** Fields with what the owner of an app defines. */
const CONTAINERS = ["properties", "fields", "attributes"];
/** Columns of a table, and the rows that name them. */
const [MAX_COLUMNS, SAMPLE] = [12, 20];
/** Characters of a column's name and of a cell. */
const [MAX_NAME, MAX_CELL] = [80, 500];
/** The columns that say most, in the order in which they appear. */
const FIRST = [
  ..."number key id sha title name fullname displayname subject summary message commit state status".split(" "),
  ..."priority assignee assignees author user email emails phone company labels amount total price".split(" "),
  ..."date start end createdat updatedat duedate dueon htmlurl weburl url".split(" "),
];

interface TableLimits {
  readonly maxRows: number;
  readonly texts: TextLimit;
}

/** Makes a table of standard results: cells, objects, single values, or the fields of one object. */
export function toTable(results: readonly unknown[], maxRows: number, texts: TextLimit): CountedTable {
  const limits = { maxRows, texts };
  const [only] = results;
  if (results.length === 1 && isObject(only)) return toTableOfOne(only, limits);
  return toTableOfRows(results, null, limits);
}

/** Reads rows next to a list of their columns, as databases and sheets give them; else the fields of the object. */
function toTableOfOne(only: Readonly<Record<string, unknown>>, limits: TableLimits): CountedTable {
  const row = toRow(only);
  const rows = pick(row, ["rows", "values"]);
  const columns = pick(row, ["columns", "fields", "columnnames"]);
  const isSheet = Array.isArray(rows) && rows.every(Array.isArray);
  if (Array.isArray(rows) && (isSheet || Array.isArray(columns)))
    return toTableOfRows(rows, Array.isArray(columns) ? columns.map(toName) : null, limits);
  const names = [...row.names.values()];
  const shown = names.slice(0, limits.maxRows);
  const cells = shown.map((name) => [toName(name), toCell(getField(only, name), limits.texts)]);
  if (names.length > shown.length) limits.texts.isCut = true;
  return { table: { columns: ["field", "value"], rows: cells }, count: names.length };
}

function toTableOfRows(
  all: readonly unknown[],
  named: readonly string[] | null,
  { maxRows, texts }: TableLimits,
): CountedTable {
  const rows = all.slice(0, maxRows);
  if (all.length > maxRows) texts.isCut = true;
  if (rows.length > 0 && rows.every((row) => Array.isArray(row))) return toTableOfCells(rows, named, all.length, texts);
  const columns = (named?.map((name) => [name]) ?? chooseColumns(rows)).slice(0, MAX_COLUMNS);
  if ((named ?? []).length > MAX_COLUMNS) texts.isCut = true;
  if (columns.length === 0) {
    const cells = rows.map((row) => [toCell(row, texts)]);
    return { table: { columns: rows.length === 0 ? [] : ["value"], rows: cells }, count: all.length };
  }
  const cells = rows.map((row) => columns.map((path) => toCell(path.reduce(getField, row), texts)));
  return { table: { columns: columns.map((path) => toName(path.join("."))), rows: cells }, count: all.length };
}

/** Rows of cells. Without named columns, a first row of different texts names them. */
function toTableOfCells(
  rows: readonly (readonly unknown[])[],
  named: readonly string[] | null,
  rowCount: number,
  texts: TextLimit,
): CountedTable {
  const head = named === null ? readHead(rows) : null;
  const body = head === null ? rows : rows.slice(1);
  const widest = rows.reduce((most, row) => Math.max(most, row.length), 0);
  if (widest > MAX_COLUMNS) texts.isCut = true;
  const width = Math.min(widest, MAX_COLUMNS);
  const names = named ?? head ?? [];
  const columns = Array.from({ length: width }, (_, at) => toName(names[at] ?? `column ${at + 1}`));
  const cells = body.map((row) => columns.map((_, at) => toCell(row.at(at), texts)));
  return { table: { columns, rows: cells }, count: rowCount - (head === null ? 0 : 1) };
}

function readHead(rows: readonly (readonly unknown[])[]): readonly string[] | null {
  const [first = []] = rows;
  const isHead = rows.length > 1 && first.every((name) => typeof name === "string" && name.trim() !== "");
  return isHead && new Set(first).size === first.length ? (first as readonly string[]) : null;
}

/** Chooses the columns of objects: those that say most first, without addresses of an API and without empty ones. */
function chooseColumns(rows: readonly unknown[]): Path[] {
  const found = new Map<string, { readonly path: Path; readonly rank: number }>();
  for (const row of rows.slice(0, SAMPLE)) {
    if (!isObject(row)) continue;
    for (const path of listPaths(row)) {
      const key = path.join("\n");
      if (found.size >= MAX_FIELDS) break;
      if (!found.has(key)) found.set(key, { path, rank: rank(path, found.size) });
    }
  }
  const columns = [...found.values()].toSorted((a, b) => a.rank - b.rank).map(({ path }) => path);
  return columns.slice(0, MAX_COLUMNS);
}

/** Lists the telling fields of a row. An object without a name of its own has a column for each of its fields. */
function listPaths(row: Readonly<Record<string, unknown>>): Path[] {
  const { names } = toRow(row);
  const hasPage = hasAny({ own: row, names }, ["htmlurl", "weburl", "permalink"]);
  return [...names].flatMap(([plain, name]): Path[] => {
    const value = getField(row, name);
    if (plain === "url" && hasPage) return [];
    if (!isObject(value)) return isTelling(name, value) ? [[name]] : [];
    if (!CONTAINERS.includes(plain) && hasLabel(value)) return [[name]];
    const inner = [...toRow(value).names.values()].filter((field) => isTelling(field, getField(value, field)));
    return inner
      .filter((field) => toPlainName(field) !== "url" && !isUnnamed(getField(value, field)))
      .map((field) => [name, field]);
  });
}

/** True for an object that no text of its own names. */
function isUnnamed(value: unknown): boolean {
  return isObject(value) && !hasLabel(value);
}

/** False for an empty value, an address that no person opens, and an internal id. */
function isTelling(name: string, value: unknown): boolean {
  if (value === null || value === undefined || value === "") return false;
  const plain = toPlainName(name);
  if (FIRST.includes(plain)) return true;
  return !/(?:url|urls|nodeid|etag|avatar|gravatarid)$/.test(plain) && toText(value) !== "";
}

/** A field inside another one comes after those of the row of the same rank. */
function rank(path: Path, at: number): number {
  const first = FIRST.indexOf(toPlainName(path.at(-1) ?? ""));
  return (first === -1 ? FIRST.length + at : first) + (path.length - 1) / 2;
}

function toCell(value: unknown, texts: TextLimit): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))) return value;
  const text = toText(value)
    .slice(0, MAX_CELL * 4)
    .replaceAll(/\s+/g, " ")
    .trim();
  return toWebAddress(text) ?? texts.cut(text, Math.min(MAX_CELL, texts.characters));
}

function toName(name: unknown): string {
  const text = toText(name)
    .slice(0, MAX_NAME * 4)
    .replaceAll(/\s+/g, " ")
    .trim();
  return text.slice(0, MAX_NAME).toWellFormed();
}
