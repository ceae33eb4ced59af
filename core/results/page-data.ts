/**
 * What a page and a model get of a result: one list of plain items, by its type. Texts come from outside services: they
 * are shown as text, and only addresses of the web become links.
 */
import { getField } from "../base/json-fields.ts";
import type { DetectedType } from "./detect-type.ts";
import { isObject, pick, type Row, type TextLimit, toMoment, toRow, toText, toWebAddress } from "./fields.ts";
import { toTable, type TableData } from "./tables.ts";

export interface DocumentItem {
  readonly id?: string;
  readonly title?: string;
  readonly url?: string;
  readonly author?: string;
  readonly date?: string;
  readonly text?: string;
}

export interface CodeItem {
  readonly path?: string;
  readonly language?: string;
  readonly url?: string;
  readonly code: string;
}

export interface TerminalItem {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit_code: number | null;
}

export interface EmailItem {
  readonly id?: string;
  readonly thread_id?: string;
  readonly from?: string;
  readonly to?: string;
  readonly subject?: string;
  readonly date?: string;
  readonly text?: string;
}

export interface FileItem {
  readonly id?: string;
  readonly name: string;
  readonly url?: string;
  readonly content_type?: string;
  /** In bytes. */
  readonly size?: number;
  readonly modified?: string;
  /** Where the call saved it in the task's sandbox. */
  readonly path?: string;
}

export interface EventItem {
  readonly id?: string;
  readonly title?: string;
  readonly start?: string;
  readonly end?: string;
  readonly location?: string;
  readonly people?: string;
  readonly url?: string;
}

/** The data of a result by its type, which may be the first of its results. `count`: all results, or all rows of a table. */
export type TypedData = { readonly count: number } & (
  | { readonly detected_type: "documents"; readonly documents: readonly DocumentItem[] }
  | { readonly detected_type: "code_snippets"; readonly code_snippets: readonly CodeItem[] }
  | { readonly detected_type: "database_results"; readonly database_results: TableData }
  | { readonly detected_type: "table_data"; readonly table_data: TableData }
  | { readonly detected_type: "terminal_output"; readonly terminal_output: readonly TerminalItem[] }
  | { readonly detected_type: "emails"; readonly emails: readonly EmailItem[] }
  | { readonly detected_type: "files"; readonly files: readonly FileItem[] }
  | { readonly detected_type: "events"; readonly events: readonly EventItem[] }
);

/** Characters of a title, a name or an address of mail. */
const MAX_LINE = 300;

/** Reads at most `maxItems` of standard results as this type. */
export function toTypedData(
  type: DetectedType,
  results: readonly unknown[],
  maxItems: number,
  limit: TextLimit,
): TypedData {
  if (type === "database_results") {
    const { table, count } = toTable(results, maxItems, limit);
    return { detected_type: type, count, database_results: table };
  }
  if (type === "table_data") {
    const { table, count } = toTable(results, maxItems, limit);
    return { detected_type: type, count, table_data: table };
  }
  if (results.length > maxItems) limit.isCut = true;
  const items = results.slice(0, maxItems);
  const read = <Item>(toItem: (row: Row, limit: TextLimit, whole: unknown) => Item): Item[] =>
    items.map((item) => toItem(toRow(item), limit, item));
  const { length: count } = results;
  switch (type) {
    case "documents":
      return { detected_type: type, count, documents: read(toDocument) };
    case "code_snippets":
      return { detected_type: type, count, code_snippets: read(toCode) };
    case "terminal_output":
      return { detected_type: type, count, terminal_output: read(toTerminal) };
    case "emails":
      return { detected_type: type, count, emails: read(toEmail) };
    case "files":
      return { detected_type: type, count, files: read(toFile) };
    case "events":
      return { detected_type: type, count, events: read(toEvent) };
  }
}

function toDocument(row: Row, limit: TextLimit, whole: unknown): DocumentItem {
  if (!isObject(whole)) return { text: limit.cut(toText(whole)) };
  return {
    ...line("id", row, ["id", "documentid", "pageid"]),
    ...line("title", row, ["title", "heading", "name", "subject"]),
    ...link(row, ["url", "link", "htmlurl", "weburl", "href", "uri", "permalink"]),
    ...line("author", row, ["author", "user", "username", "sender", "from"]),
    ...moment("date", row, ["date", "publisheddate", "publishedat", "createdat", "createddatetime", "timestamp", "ts"]),
    ...body(
      "text",
      row,
      ["snippet", "text", "content", "body", "message", "excerpt", "markdown", ...MORE_TEXTS],
      limit,
    ),
  };
}

const MORE_TEXTS = ["extract", "highlights", "description"];

function toCode(row: Row, limit: TextLimit): CodeItem {
  const matches = pick(row, ["textmatches"]);
  const fragments = Array.isArray(matches)
    ? matches.slice(0, 10).flatMap((match) => {
        const fragment = getField(match, "fragment");
        return typeof fragment === "string" ? [fragment] : [];
      })
    : [];
  const code = pick(row, ["code", "patch", "sourcecode", "snippet", "content"]);
  return {
    ...line("path", row, ["path", "filename", "file", "title", "name"]),
    ...line("language", row, ["language", "lang"]),
    ...link(row, ["htmlurl", "url", "bloburl"]),
    code: limit.cut(fragments.length > 0 ? fragments.join("\n…\n") : toText(code)),
  };
}

function toTerminal(row: Row, limit: TextLimit): TerminalItem {
  const code = pick(row, ["exitcode", "returncode", "code", "exitstatus"]);
  return {
    stdout: limit.cut(toText(pick(row, ["stdout", "output", "text", "log"]))),
    stderr: limit.cut(toText(pick(row, ["stderr"]))),
    exit_code: typeof code === "number" && Number.isFinite(code) ? code : null,
  };
}

function toEmail(row: Row, limit: TextLimit): EmailItem {
  const payload = toRow(pick(row, ["payload"]));
  const headers = readHeaders(pick(payload, ["headers"]));
  const of = (name: string, own: readonly string[]) => pick(row, own) ?? headers.get(name);
  const date = of("date", [
    "date",
    "receiveddatetime",
    "receivedat",
    "messagetimestamp",
    "sentdatetime",
    "internaldate",
  ]);
  const to = of("to", ["to", "torecipients", "recipients", "toaddresses"]);
  return {
    ...line("id", row, ["id", "messageid", "emailid"]),
    ...line("thread_id", row, ["threadid", "conversationid"]),
    ...lineOf("from", of("from", ["from", "sender", "fromaddress", "fromemail"])),
    ...lineOf("to", to),
    ...lineOf("subject", of("subject", ["subject"])),
    ...lineOf("date", date === undefined ? undefined : toMoment(date)),
    ...body("text", row, ["messagetext", "bodypreview", "textbody", "snippet", "text", "body", "preview"], limit),
  };
}

/** Reads the headers of a message as Gmail's API has them, `[{name, value}]`. */
function readHeaders(headers: unknown): ReadonlyMap<string, unknown> {
  const list = Array.isArray(headers) ? headers.slice(0, 200) : [];
  return new Map(
    list.flatMap((header): [string, unknown][] => {
      const name = getField(header, "name");
      return typeof name === "string" ? [[name.toLowerCase(), getField(header, "value")]] : [];
    }),
  );
}

function toFile(row: Row): FileItem {
  const size = Number(pick(row, ["size", "filesize", "sizebytes", "bytes"]) ?? Number.NaN);
  const name = toText(pick(row, ["name", "filename", "path", "title", "pathdisplay"]));
  return {
    ...line("id", row, ["id", "fileid"]),
    name: cutLine(name),
    ...link(row, ["webviewlink", "htmlurl", "weburl", "url", "link", "downloadurl"]),
    ...line("content_type", row, ["mimetype", "contenttype"]),
    ...(Number.isSafeInteger(size) && size >= 0 ? { size } : {}),
    ...moment("modified", row, ["modifiedtime", "modified", "lastmodified", "lastmodifieddatetime", "clientmodified"]),
    ...line("path", row, ["savedas"]),
  };
}

function toEvent(row: Row): EventItem {
  return {
    ...line("id", row, ["id", "eventid"]),
    ...line("title", row, ["summary", "title", "subject", "name"]),
    ...moment("start", row, ["start", "starttime", "startsat", "startdate", "startat", "startdatetime"]),
    ...moment("end", row, ["end", "endtime", "endsat", "enddate", "endat", "enddatetime"]),
    ...line("location", row, ["location", "place"]),
    ...line("people", row, ["attendees", "participants", "organizer"]),
    ...link(row, ["htmllink", "weblink", "url", "link", "hangoutlink"]),
  };
}

type Field<Name extends string> = { readonly [N in Name]?: string };

function line<Name extends string>(name: Name, row: Row, fields: readonly string[]): Field<Name> {
  return lineOf(name, pick(row, fields));
}

/** A field of one line; absent without a text. */
function lineOf<Name extends string>(name: Name, value: unknown): Field<Name> {
  const text = cutLine(toText(value));
  return text === "" ? {} : ({ [name]: text } as Field<Name>);
}

function moment<Name extends string>(name: Name, row: Row, fields: readonly string[]): Field<Name> {
  const value = pick(row, fields);
  return value === undefined ? {} : lineOf(name, toMoment(value));
}

function link(row: Row, fields: readonly string[]): Field<"url"> {
  const url = fields.map((field) => toWebAddress(pick(row, [field]))).find((address) => address !== undefined);
  return url === undefined ? {} : { url };
}

function body<Name extends string>(name: Name, row: Row, fields: readonly string[], limit: TextLimit): Field<Name> {
  const text = limit.cut(toText(pick(row, fields)).trim());
  return text === "" ? {} : ({ [name]: text } as Field<Name>);
}

/** Shortens a text to one line. */
function cutLine(text: string): string {
  const start = text
    .slice(0, MAX_LINE * 4)
    .replaceAll(/\s+/g, " ")
    .trim()
    .toWellFormed();
  return start.length > MAX_LINE ? `${start.slice(0, MAX_LINE - 1).toWellFormed()}…` : start;
}
