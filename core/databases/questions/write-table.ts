/** Writes the facts about a table as a model reads them. Comments and values are text from outside: each stays within its line. */
import { toTerms } from "../../lib/tool-search/words.ts";
import type { TableFacts } from "../facts.ts";

const MAX_COLUMNS = 100;

/** `terms`: a table with very many columns keeps the ones that have these, and its keys. */
export function writeTable(table: TableFacts, terms: ReadonlySet<string>): string {
  const { name, kind, comment, primary_key: primaryKey, references } = table;
  const columns = pickColumns(table, terms);
  const left = table.columns.length - columns.length;
  return [
    `${kind} ${name}${writeComment(comment)}`,
    ...columns.map(writeColumn),
    ...(left === 0 ? [] : [`  and ${left} more columns`]),
    ...(primaryKey.length === 0 ? [] : [`  primary key (${primaryKey.join(", ")})`]),
    ...references.map((to) => `  foreign key (${to.columns.join(", ")}) references ${to.table} (${to.to.join(", ")})`),
  ].join("\n");
}

type Column = TableFacts["columns"][number];

function pickColumns(table: TableFacts, terms: ReadonlySet<string>): readonly Column[] {
  const { columns, primary_key: primaryKey, references } = table;
  if (columns.length <= MAX_COLUMNS) return columns;
  const keys = new Set([...primaryKey, ...references.flatMap((to) => to.columns)]);
  const matters = ({ name, comment }: Column) =>
    keys.has(name) || toTerms(`${name} ${comment ?? ""}`).some((term) => terms.has(term));
  const kept = new Set([...new Set([...columns.filter(matters), ...columns])].slice(0, MAX_COLUMNS));
  return columns.filter((column) => kept.has(column));
}

function writeColumn({ name, type, comment, values }: Column): string {
  const known = values === null || values.length === 0 ? "" : `: ${values.map(toOneLine).join(" | ")}`;
  return `  ${name} ${type}${known}${writeComment(comment)}`;
}

function writeComment(comment: string | null): string {
  return comment === null || comment.trim() === "" ? "" : ` -- ${toOneLine(comment)}`;
}

function toOneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
