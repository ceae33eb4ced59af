/** Writes the facts about a table as a model reads them. Comments and values are text from outside: each stays within its line. */
import { toTerms } from "../../lib/tool-search/words.ts";
import { measureTokens } from "../../model/tokens.ts";
import type { TableFacts } from "../facts.ts";

const MAX_COLUMNS = 100;
/** Of the tokens besides the name of the table, the share that its keys may take. */
const MAX_SHARE_OF_KEYS = 1 / 2;
/** The lines that say what was left out. */
const TOKENS_OF_NOTES = 40;

/**
 * Writes the table with as many columns and keys as fit, and says how many it has besides. `terms`: columns that have these come first.
 * Null: not even the name and one column fit.
 */
export function writeTable(table: TableFacts, terms: ReadonlySet<string>, maxTokens: number): string | null {
  const { name, kind, comment } = table;
  const head = `${kind} ${name}${writeComment(comment)}`;
  const room = maxTokens - measureText(head) - TOKENS_OF_NOTES;
  const keys = pickFitting(writeKeys(table), room * MAX_SHARE_OF_KEYS);
  const columns = pickColumns(table, terms, room - keys.tokens);
  if (room < 0 || (columns.lines.length === 0 && table.columns.length > 0)) return null;
  return [
    head,
    ...columns.lines,
    ...describeRest(table.columns.length - columns.lines.length, "columns"),
    ...keys.lines,
    ...describeRest(keys.left, "keys"),
  ].join("\n");
}

/** Tokens of the text as a part of JSON, in the encoding that counts more: which one the model has is not known here. */
export function measureText(text: string): number {
  return measureTokens(JSON.stringify(text), "cl100k");
}

/** Lines in their first order, their tokens, and how many did not fit. */
interface Picked {
  readonly lines: readonly string[];
  readonly tokens: number;
  readonly left: number;
}

/** Picks the lines that fit, the first ones first. */
function pickFitting(lines: readonly string[], maxTokens: number): Picked {
  let tokens = 0;
  const fitting = lines.filter((line) => {
    const size = measureText(line);
    if (tokens + size > maxTokens) return false;
    tokens += size;
    return true;
  });
  return { lines: fitting, tokens, left: lines.length - fitting.length };
}

function describeRest(count: number, what: "columns" | "keys"): readonly string[] {
  return count === 0 ? [] : [`  and ${count} more ${what}`];
}

function writeKeys({ primary_key: primaryKey, references }: TableFacts): readonly string[] {
  return [
    ...(primaryKey.length === 0 ? [] : [`  primary key (${primaryKey.join(", ")})`]),
    ...references.map((to) => `  foreign key (${to.columns.join(", ")}) references ${to.table} (${to.to.join(", ")})`),
  ];
}

type Column = TableFacts["columns"][number];

/** Columns that have terms fit first, then those of keys. The order of the lines is that of the table. */
function pickColumns(table: TableFacts, terms: ReadonlySet<string>, maxTokens: number): Pick<Picked, "lines"> {
  const { columns, primary_key: primaryKey, references } = table;
  const keys = new Set([...primaryKey, ...references.flatMap((to) => to.columns)]);
  const isMeant = ({ name, comment }: Column) => toTerms(`${name} ${comment ?? ""}`).some((term) => terms.has(term));
  const isKey = ({ name }: Column) => keys.has(name);
  const ordered = new Set([...columns.filter(isMeant), ...columns.filter(isKey), ...columns]);
  const fitting = new Set(pickFitting([...ordered].slice(0, MAX_COLUMNS).map(writeColumn), maxTokens).lines);
  return { lines: columns.map(writeColumn).filter((line) => fitting.has(line)) };
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
