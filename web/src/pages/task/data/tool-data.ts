/** Reads the data of a `tool-data` event. Everything in it came from outside: what is not of the wanted kind is left out. */
import type { ToolDataEvent } from "../../../api/types.generated.ts";
import { type Fields, fieldsOf, listOf, numberOf, oneOf, textOf, textsOf } from "../timeline/fields.ts";

export const DATA_TYPES = [
  "documents",
  "code_snippets",
  "database_results",
  "terminal_output",
  "emails",
  "table_data",
  "files",
  "events",
] as const satisfies readonly ToolDataEvent["data"]["detected_type"][];
export type DataType = (typeof DATA_TYPES)[number];

export type Cell = string | number | boolean | null;

/** An entry of a list: a text of one line or none for each name. */
export type Entry = Readonly<Record<string, string | null>>;

export interface Terminal {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
}

export type DataContent =
  | { readonly kind: "table"; readonly columns: readonly string[]; readonly rows: readonly (readonly Cell[])[] }
  | { readonly kind: "terminal"; readonly outputs: readonly Terminal[] }
  | { readonly kind: "list"; readonly entries: readonly Entry[] };

/** `count`: all results; the content may have only the first ones. `isCut`: some are in the ledger alone. */
export interface ToolData {
  readonly type: DataType;
  readonly count: number;
  readonly isCut: boolean;
  readonly content: DataContent;
}

/** Null for data of a later release. */
export function toolDataOf(data: Fields): ToolData | null {
  const type = oneOf(DATA_TYPES, data["detected_type"]);
  if (type === null) return null;
  const content = contentOf(type, data[type]);
  return { type, count: numberOf(data["count"]) ?? 0, isCut: textOf(data["ledger"]) !== null, content };
}

function contentOf(type: DataType, value: unknown): DataContent {
  switch (type) {
    case "table_data":
    case "database_results": {
      const { columns, rows } = fieldsOf(value);
      const names = textsOf(columns);
      const cells = listOf(rows).map((row) => names.map((_, at) => cellOf(listOf(row)[at])));
      return { kind: "table", columns: names, rows: cells };
    }
    case "terminal_output":
      return { kind: "terminal", outputs: listOf(value).map(terminalOf) };
    default:
      return { kind: "list", entries: listOf(value).map(entryOf) };
  }
}

function cellOf(value: unknown): Cell {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null;
}

function terminalOf(value: unknown): Terminal {
  const { stdout, stderr, exit_code } = fieldsOf(value);
  return { stdout: textOf(stdout) ?? "", stderr: textOf(stderr) ?? "", exitCode: numberOf(exit_code) };
}

function entryOf(value: unknown): Entry {
  return Object.fromEntries(
    Object.entries(fieldsOf(value)).map(([name, field]) => [
      name,
      textOf(field) ?? numberOf(field)?.toString() ?? null,
    ]),
  );
}

/** True when the type says no more than the result itself: one text without a title, or nothing. */
export function isPlain({ content }: ToolData): boolean {
  if (content.kind === "table") return content.rows.length === 0;
  if (content.kind === "terminal") return content.outputs.length === 0;
  const [first, ...others] = content.entries;
  return others.length === 0 && Object.keys(first ?? {}).every((name) => name === "text");
}

/** An address of the web; null for any other text. */
export function webAddressOf(text: string | null | undefined): string | null {
  return text != null && /^https?:\/\//i.test(text) && URL.canParse(text) ? text : null;
}

/** The path of a file that a call of an app saves (`core/apps/calls/saved-files.ts`); null for any other text. */
export function savedPathOf(text: string | null | undefined): string | null {
  return text != null && /^apps\/[A-Za-z0-9_-]+\/[^/\n]{1,255}$/.test(text) ? text : null;
}

const [ONE, SEVERAL] = [0, 1] as const;
const COUNTED: Readonly<Record<DataType, readonly [string, string]>> = {
  documents: ["document", "documents"],
  code_snippets: ["code snippet", "code snippets"],
  database_results: ["row", "rows"],
  terminal_output: ["output", "outputs"],
  emails: ["email", "emails"],
  table_data: ["row", "rows"],
  files: ["file", "files"],
  events: ["event", "events"],
};

/** Names a number of results. */
export function countedName(type: DataType, number: number): string {
  return COUNTED[type][number === 1 ? ONE : SEVERAL];
}
