/** Writes a table as a pipe table, or its cells one after the other where it only places things on a page. */
import type { PageElement, PageNode } from "./page-tree.ts";
import type { MarkdownWriter } from "./to-markdown.ts";

const MAX_COLUMNS = 100;
/** A cell with more text, or with one of these in it, belongs to a table that only places things. */
const MAX_CELL_CHARACTERS = 1_000;
const PARTS: ReadonlySet<string> = new Set(["thead", "tbody", "tfoot"]);
const IN_LAYOUTS: ReadonlySet<string> = new Set(["table", "pre", "h1", "h2", "h3", "h4", "h5", "h6"]);

interface Cell {
  readonly blocks: readonly string[];
  readonly columns: number;
  readonly rows: number;
  readonly isLayout: boolean;
}

/** Returns the blocks of a table. */
export function writeTable(table: PageElement, writer: MarkdownWriter): string[] {
  const rows = listRows(table).map((row) => readCells(row, writer));
  const captions = findChildren(table, (name) => name === "caption").map(({ children }) => writer.writeLine(children));
  const placed = placeCells(rows).filter((row) => row.some((cell) => cell !== ""));
  const columns = Math.max(0, ...placed.map(({ length }) => length));
  const isLayout = columns < 2 || rows.some((row) => row.some((cell) => cell.isLayout));
  const body = isLayout ? rows.flatMap((row) => row.flatMap(({ blocks }) => blocks)) : writeRows(placed, columns);
  return [...captions.filter((caption) => caption !== ""), ...body];
}

function listRows(table: PageElement): readonly PageElement[] {
  const parts = findChildren(table, (name) => name === "tr" || PARTS.has(name));
  return parts.flatMap((part) => (part.name === "tr" ? [part] : findChildren(part, (name) => name === "tr")));
}

function findChildren({ children }: PageElement, isWanted: (name: string) => boolean): PageElement[] {
  return children.filter((child): child is PageElement => typeof child !== "string" && isWanted(child.name));
}

function readCells(row: PageElement, writer: MarkdownWriter): readonly Cell[] {
  return findChildren(row, (name) => name === "td" || name === "th").map(({ attributes, children }) => {
    const blocks = writer.writeBlocks(children);
    const length = blocks.reduce((sum, block) => sum + block.length, 0);
    return {
      blocks,
      columns: readSpan(attributes["colspan"]),
      rows: readSpan(attributes["rowspan"]),
      isLayout: length > MAX_CELL_CHARACTERS || hasLayout(children),
    };
  });
}

function hasLayout(nodes: readonly PageNode[]): boolean {
  return nodes.some((node) => typeof node !== "string" && (IN_LAYOUTS.has(node.name) || hasLayout(node.children)));
}

function readSpan(span: string | undefined): number {
  return Math.min(MAX_COLUMNS, Math.max(1, Number.parseInt(span ?? "1", 10) || 1));
}

/** The text of each row's cells in their columns, moved by cells of earlier rows that reach down. */
function placeCells(rows: readonly (readonly Cell[])[]): string[][] {
  let reaching: number[] = [];
  return rows.map((row) => {
    const cells: string[] = [];
    const next = reaching.map((left) => Math.max(0, left - 1));
    for (const { blocks, columns, rows: down } of row) {
      while ((reaching[cells.length] ?? 0) > 0) cells.push("");
      const text = blocks.join(" ").replaceAll(/\s+/g, " ").replaceAll("|", "\\|");
      for (let column = 0; column < columns && cells.length < MAX_COLUMNS; column += 1) {
        next[cells.length] = Math.max(next[cells.length] ?? 0, down - 1);
        cells.push(column === 0 ? text : "");
      }
    }
    reaching = next;
    return cells;
  });
}

function writeRows(rows: readonly (readonly string[])[], columns: number): string[] {
  const lines = rows.map((row) => `| ${Array.from({ length: columns }, (_, at) => row[at] ?? "").join(" | ")} |`);
  return [[...lines.slice(0, 1), `|${" --- |".repeat(columns)}`, ...lines.slice(1)].join("\n")];
}
