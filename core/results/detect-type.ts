/** Which kind of data a standard result is, by the shape of its rows. Every JSON value has one of the eight types. */
import { hasAny, isObject, pick, type Row, toRow } from "./fields.ts";
import { isTable, isTerminal } from "./standardize.ts";

/** The types of data, as `detected_type` in a `tool-data` event. */
export const DETECTED_TYPES = [
  "documents",
  "code_snippets",
  "database_results",
  "terminal_output",
  "emails",
  "table_data",
  "files",
  "events",
] as const;
export type DetectedType = (typeof DETECTED_TYPES)[number];

/** Rows that decide. */
const SAMPLE = 12;
/** The share of the sample that must have a shape. */
const SHARE = 0.6;

const BODIES = ["snippet", "content", "text", "body", "excerpt", "description", "highlights", "markdown", "extract"];
const TITLES = ["title", "name", "heading", "subject"];
const ADDRESSES = ["url", "link", "htmlurl", "weburl", "href", "uri", "permalink"];
/** Fields of records that are worked on: they are rows of a table, although they have a title and a text. */
const WORKED_ON = [
  "state",
  "status",
  "assignee",
  "assignees",
  "priority",
  "labels",
  "stage",
  "dueon",
  "duedate",
  "sha",
];

/** Detects the type of the results of `standardize`. */
export function detectType(results: readonly unknown[]): DetectedType {
  const sample = results.slice(0, SAMPLE);
  if (sample.length === 0) return "table_data";
  const texts = sample.filter((value) => typeof value === "string");
  if (texts.length > sample.length * SHARE) return "documents";
  const rows = sample.filter(isObject).map(toRow);
  const [first] = rows;
  if (first === undefined || rows.length < sample.length * SHARE) return "table_data";
  if (results.length === 1 && isTable(first))
    return hasAny(first, ["range", "majordimension"]) ? "table_data" : "database_results";
  const found = SHAPES.find(([, hasShape]) => rows.filter(hasShape).length >= rows.length * SHARE);
  return found?.[0] ?? "table_data";
}

/** The shapes, the most particular first. */
const SHAPES: readonly (readonly [DetectedType, (row: Row) => boolean])[] = [
  ["terminal_output", isTerminal],
  ["emails", isEmail],
  ["events", isEvent],
  ["code_snippets", isCode],
  ["files", isFile],
  ["documents", isDocument],
];

function isEmail(row: Row): boolean {
  const hasSender = hasAny(row, ["from", "sender", "fromaddress", "fromemail"]);
  if (hasAny(row, ["subject"]) && (hasSender || hasAny(row, ["receiveddatetime", "messagetimestamp"]))) return true;
  // A message as Gmail's API has it: its subject is a header of its payload.
  const headers = pick(toRow(pick(row, ["payload"])), ["headers"]);
  return hasAny(row, ["threadid"]) && Array.isArray(headers);
}

function isEvent(row: Row): boolean {
  const hasStart = hasAny(row, ["start", "starttime", "startsat", "startdate", "startat", "startdatetime"]);
  const hasEnd = hasAny(row, ["end", "endtime", "endsat", "enddate", "endat", "enddatetime", "duration"]);
  const isMeeting = hasAny(row, ["attendees", "location", "organizer", "summary", "title", "subject"]);
  return hasStart && hasEnd && isMeeting;
}

function isCode(row: Row): boolean {
  if (typeof pick(row, ["code", "patch", "sourcecode"]) === "string") return hasAny(row, CODE_PLACES);
  return hasAny(row, ["textmatches"]) && hasAny(row, ["path"]);
}

const CODE_PLACES = ["path", "filename", "file", "language", "repository", "title"];

function isFile(row: Row): boolean {
  if (!hasAny(row, ["name", "filename", "path", "title", "pathdisplay"])) return false;
  if (hasAny(row, ["mimetype", "contenttype", "webviewlink", "filesize", "sizebytes", "downloadurl", "isdir"]))
    return true;
  return hasAny(row, ["size"]) && hasAny(row, ["path", "type", "modified", "modifiedtime", "lastmodified", "file"]);
}

function isDocument(row: Row): boolean {
  if (hasAny(row, WORKED_ON)) return false;
  if (isChatMessage(row)) return true;
  const body = pick(row, BODIES);
  const hasBody = typeof body === "string" || Array.isArray(body);
  return hasBody && hasAny(row, TITLES) && (hasAny(row, ADDRESSES) || String(body).length > 80);
}

/** True for a message of a chat, which has an author and no title. */
function isChatMessage(row: Row): boolean {
  const hasAuthor = hasAny(row, ["user", "author", "username", "sender", "from"]);
  const isDated = hasAny(row, ["ts", "timestamp", "createdat", "createddatetime", "date"]);
  return hasAuthor && isDated && typeof pick(row, ["text", "content", "body", "message"]) === "string";
}
