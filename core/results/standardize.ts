/**
 * Gives the result of any outside call one form: the envelopes of apps, MCP servers and HTTP replies are opened until a
 * list of results or one result remains. Pure and bounded: every JSON value has a standard form.
 */
import { getField } from "../base/json-fields.ts";
import { hasAny, isObject, MAX_FIELDS, pick, type Row, toRow, toText } from "./fields.ts";

/** A result in its standard form. */
export interface StandardResult {
  /** True only for `successful: true`, or for data without a status. */
  readonly success: boolean;
  /** The provider's own word, at most 60 characters; without one `ok`, `failed` or `empty`. */
  readonly status: string;
  readonly results: readonly unknown[];
  readonly metadata: {
    readonly tool: string;
    readonly count: number;
    /** The names of the fields of the outermost object, at most 100. */
    readonly original_keys: readonly string[];
  };
  /** The provider's error, at most 1,000 characters. */
  readonly error: string | null;
}

/** A longer text is not parsed. */
const MAX_PARSED_CHARACTERS = 500_000;
const MAX_ENVELOPES = 8;
const [MAX_STATUS, MAX_ERROR] = [60, 1_000];

/** Fields that wrap a result of any shape. */
const WRAPPERS = ["data", "result", "results", "response", "responsedata", "payload", "output"];
/** Fields that hold the list of a reply. */
const LISTS = ["items", "messages", "value", "values", "records", "entries", "issues", "events", "documents", "hits"];
/** Fields of an object that is itself a result, whose lists are parts of it. */
const OWN_FIELDS = ["id", "uid", "sha", "subject", "title", "name", "url", "summary", "text", "body"];
/** Fields that only a result has, and no list around it: a calendar has a summary, a page of search a title. */
const IDENTITIES = ["id", "uid", "sha", "number", "subject"];
const FLAGS = ["ok", "success"];
const STATUSES = ["status", "state"];
const REPLY_STATUSES = ["statuscode", "status"];

/** What the opened envelopes say. */
interface Said {
  flag?: unknown;
  status?: unknown;
  error?: unknown;
  hasRefused?: boolean;
}

/** Standardizes the result of a call of `tool`. */
export function standardize(tool: string, result: unknown): StandardResult {
  const said: Said = {};
  let value = result;
  for (let opened = 0; opened < MAX_ENVELOPES; opened += 1) {
    const inner = open(value, said);
    if (inner === NOTHING_INSIDE) break;
    value = inner;
  }
  const results = toResults(value);
  const error = said.error === undefined ? null : toText(said.error).slice(0, MAX_ERROR).toWellFormed();
  const hasData = value !== null && value !== undefined && value !== "";
  const isRefused = said.hasRefused === true || error !== null || ("flag" in said && said.flag !== true);
  const success = "flag" in said ? said.flag === true : hasData && said.status === undefined && !isRefused;
  return {
    success,
    status: readWord(said.status) ?? (isRefused ? "failed" : results.length === 0 ? "empty" : "ok"),
    results,
    metadata: { tool, count: results.length, original_keys: getKeys(result) },
    error,
  };
}

const NOTHING_INSIDE = Symbol("the value is no envelope");

/** Opens one envelope and records what it says. */
function open(value: unknown, said: Said): unknown {
  if (typeof value === "string") return parse(value);
  if (!isObject(value)) return NOTHING_INSIDE;
  const row = toRow(value);
  if (isTable(row) || isTerminal(row)) return NOTHING_INSIDE;
  if (row.names.has("successful")) {
    said.flag = getField(value, row.names.get("successful") ?? "");
    said.error ??= pick(row, ["error"]);
    return pick(row, ["data", "responsedata"]) ?? null;
  }
  if (isReply(row)) {
    said.status ??= readReplyStatus(pick(row, REPLY_STATUSES));
    return pick(row, ["body"]) ?? null;
  }
  if (isMcpResult(row)) return pick(row, ["structured"]) ?? pickFiles(row) ?? pick(row, ["content"]) ?? null;
  return openList(row, said);
}

/** Opens the object around a list, or around a wrapped result. */
function openList(row: Row, said: Said): unknown {
  const wrapped = WRAPPERS.find((name) => isInside(pick(row, [name])));
  const isOwn = hasAny(row, OWN_FIELDS);
  const list = hasAny(row, IDENTITIES) ? undefined : LISTS.find((name) => Array.isArray(pick(row, [name])));
  const name = wrapped !== undefined && (!isOwn || row.names.size <= 4) ? wrapped : list;
  const inner = name === undefined ? (isOwn ? undefined : findOnlyList(row)) : pick(row, [name]);
  if (inner === undefined) {
    if (!isRefusal(row)) return NOTHING_INSIDE;
    said.hasRefused = true;
    said.error ??= pick(row, ["error", "message"]);
    return null;
  }
  if (FLAGS.some((flag) => getFlag(row, flag) === false)) said.hasRefused = true;
  said.error ??= pick(row, ["error"]);
  const status = pick(row, STATUSES);
  if (typeof status === "string" || typeof status === "number") said.status ??= status;
  return inner;
}

/** True for what a wrapper holds: an object, a list, or JSON as a text. */
function isInside(value: unknown): boolean {
  return (typeof value === "object" && value !== null) || (typeof value === "string" && /^\s*[[{]/.test(value));
}

/** Returns the only list of objects of an object; undefined without one, or with several. */
function findOnlyList(row: Row): readonly unknown[] | undefined {
  const lists = [...row.names.values()]
    .map((name) => getField(row.own, name))
    .filter((value) => Array.isArray(value) && value.some((item) => typeof item === "object" && item !== null));
  return lists.length === 1 ? (lists[0] as readonly unknown[]) : undefined;
}

/** True for an object that only says that the provider refused, such as `{"ok": false, "error": "…"}`. */
function isRefusal(row: Row): boolean {
  return FLAGS.some((flag) => getFlag(row, flag) === false) && pick(row, ["error", "message"]) !== undefined;
}

function getFlag(row: Row, flag: string): unknown {
  return getField(row.own, row.names.get(flag) ?? "");
}

/** True for the reply of a server. Next to headers, a `status` is its code; elsewhere it is a word about the data. */
function isReply(row: Row): boolean {
  if (!row.names.has("body")) return false;
  return row.names.has("statuscode") || (row.names.has("headers") && typeof pick(row, ["status"]) === "number");
}

/** True for a result that Otto made of an MCP server's parts (`core/mcp/content.ts`). */
function isMcpResult(row: Row): boolean {
  return row.names.has("content") && row.names.has("files") && row.names.size <= 3;
}

function pickFiles(row: Row): unknown {
  const files = pick(row, ["files"]);
  return Array.isArray(files) && files.length > 0 ? files : undefined;
}

/** True for rows with a list of their columns, or the cells of a sheet. */
export function isTable(row: Row): boolean {
  const cells = pick(row, ["rows", "values"]);
  if (!Array.isArray(cells)) return false;
  const columns = pick(row, ["columns", "fields", "columnnames"]);
  if (Array.isArray(columns)) return true;
  return hasAny(row, ["range", "majordimension"]) || (row.names.size <= 2 && Array.isArray(cells[0]));
}

/** True for what a program wrote. */
export function isTerminal(row: Row): boolean {
  if (hasAny(row, ["stdout", "stderr"])) return true;
  return hasAny(row, ["exitcode", "returncode"]) && hasAny(row, ["output", "text", "log"]);
}

/** A reply of 2xx is a transport's success, and says nothing of the data. */
function readReplyStatus(status: unknown): unknown {
  return typeof status === "number" && status >= 200 && status <= 299 ? undefined : status;
}

function parse(text: string): unknown {
  if (text.length > MAX_PARSED_CHARACTERS || !/^\s*[[{]/.test(text)) return NOTHING_INSIDE;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return NOTHING_INSIDE;
  }
}

function toResults(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value === null || value === undefined || value === "" ? [] : [value];
}

function readWord(status: unknown): string | null {
  const word = typeof status === "string" || typeof status === "number" ? String(status) : "";
  const line = word.replaceAll(/[\p{C}\s]+/gu, " ").trim();
  return line === "" ? null : line.slice(0, MAX_STATUS).toWellFormed();
}

function getKeys(value: unknown): string[] {
  return isObject(value) ? Object.keys(value).slice(0, MAX_FIELDS) : [];
}
