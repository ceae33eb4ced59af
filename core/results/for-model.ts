/**
 * A long structured result in short, for a model: tool, status, count, and the first results with the fields that say
 * most. It replaces a cut through the middle of JSON. The caller adds where the whole result is.
 */
import { type DetectedType, detectType } from "./detect-type.ts";
import { TextLimit } from "./fields.ts";
import { toTypedData, type TypedData } from "./page-data.ts";
import { standardize } from "./standardize.ts";
import type { TableData } from "./tables.ts";

/** The most characters of the text. */
export const MAX_MODEL_CHARACTERS = 4_500;
/** Results that the text has if their shortest form fits, and the most that it has. */
const [FIRST_RESULTS, MAX_RESULTS] = [4, 20];
/** The least characters of a text of a result, and the share to which a text is lowered. */
const [LEAST_TEXT, LOWERED] = [40, 0.7];
const MAX_ERROR = 300;

/** Characters of one text of several results, by their type. They are lowered until the first results fit. */
const TEXT_LIMITS: Readonly<Record<Exclude<DetectedType, "terminal_output">, number>> = {
  documents: 700,
  code_snippets: 900,
  database_results: 200,
  emails: 600,
  table_data: 300,
  files: 300,
  events: 300,
};

/** A result in short. `count`: all results. `shown`: the first of them, which the text has. */
export interface ModelText {
  readonly text: string;
  readonly count: number;
  readonly shown: number;
}

/**
 * Formats the result of a call of `tool` in at most `most` characters, and never more than `MAX_MODEL_CHARACTERS`. Null
 * for a plain text and a program's output, whose end says as much as its start, and when not even the first result fits.
 * Never throws for JSON.
 */
export function forModel(tool: string, result: unknown, most: number): ModelText | null {
  const { results, status, error } = standardize(tool, result);
  if (!results.some((one) => typeof one === "object" && one !== null)) return null;
  const type = detectType(results);
  if (type === "terminal_output") return null;
  const room = Math.min(most, MAX_MODEL_CHARACTERS);
  const said = error === null ? {} : { error: new TextLimit(MAX_ERROR).cut(error) };
  let best: ModelText | null = null;
  let characters = results.length === 1 ? MAX_MODEL_CHARACTERS : TEXT_LIMITS[type];
  for (; characters >= LEAST_TEXT; characters = Math.floor(characters * LOWERED)) {
    const typed = toTypedData(type, results, MAX_RESULTS, new TextLimit(characters));
    const { count } = typed;
    const { before, rows } = toLines(typed);
    const start = [JSON.stringify({ tool, status, count, type, ...said }), ...before].join("\n");
    const fitting = takeFitting(rows, room - start.length);
    const shown = fitting.length;
    if (shown > (best?.shown ?? 0)) best = { text: [start, ...fitting].join("\n"), count, shown };
    if (shown >= Math.min(FIRST_RESULTS, rows.length)) break;
  }
  return best;
}

/** One line of compact JSON for each result. Before the rows of a table: the names of its columns. */
interface Lines {
  readonly before: readonly string[];
  readonly rows: readonly string[];
}

function toLines(typed: TypedData): Lines {
  switch (typed.detected_type) {
    case "documents":
      return { before: [], rows: typed.documents.map(toLine) };
    case "code_snippets":
      return { before: [], rows: typed.code_snippets.map(toLine) };
    case "terminal_output":
      return { before: [], rows: typed.terminal_output.map(toLine) };
    case "emails":
      return { before: [], rows: typed.emails.map(toLine) };
    case "files":
      return { before: [], rows: typed.files.map(toLine) };
    case "events":
      return { before: [], rows: typed.events.map(toLine) };
    case "database_results":
      return toTableLines(typed.database_results);
    case "table_data":
      return toTableLines(typed.table_data);
  }
}

function toTableLines({ columns, rows }: TableData): Lines {
  return { before: [JSON.stringify(columns)], rows: rows.map(toLine) };
}

function toLine(item: unknown): string {
  return JSON.stringify(item);
}

/** Takes the first lines that fit into a number of characters. */
function takeFitting(lines: readonly string[], characters: number): readonly string[] {
  let left = characters;
  const end = lines.findIndex((line) => (left -= line.length + 1) < 0);
  return end === -1 ? lines : lines.slice(0, end);
}
