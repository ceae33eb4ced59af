/** JSON as the model reads it: compact, and a long list as rows. */
import type { Shown } from "../tool/tool.ts";

/** A shorter value is one line. */
const MIN_ROWS_CHARACTERS = 2_000;
/** A longer text is not parsed. */
const MAX_PARSED_CHARACTERS = 500_000;
/** The share of an object's text from which one of its lists is what it is about. */
const LIST_SHARE = 0.5;

/** Formats a value on one line; a long list, or a long object that is mostly one list, as one row an item. */
export function showJson(value: unknown): Shown {
  const text = JSON.stringify(value) ?? "";
  if (text.length < MIN_ROWS_CHARACTERS) return text;
  if (isList(value)) return { head: "[", rows: toRows(value), tail: "]" };
  const list = findList(value, text.length);
  if (list === null) return text;
  const { name, items, others } = list;
  const start = JSON.stringify(others).slice(0, -1);
  return {
    head: `${start}${start === "{" ? "" : ","}${JSON.stringify(name)}:[`,
    rows: toRows(items),
    tail: "]}",
  };
}

/** Formats a text that may be JSON, without its blanks. A text that JSON numbers cannot repeat stays as it is. */
export function showJsonText(text: string): Shown {
  if (text.length > MAX_PARSED_CHARACTERS || !/^\s*[[{]/.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    const isSame = JSON.stringify(value) === withoutBlanks(text);
    return isSame ? showJson(value) : text;
  } catch {
    return text;
  }
}

/** True for a list whose items are worth a line each. */
function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 1 && value.every((item) => typeof item === "object" && item !== null);
}

function toRows(items: readonly unknown[]): string[] {
  return items.map((item, at) => `${JSON.stringify(item) ?? "null"}${at < items.length - 1 ? "," : ""}`);
}

/** Returns the list that makes up most of an object. */
function findList(value: unknown, characters: number) {
  if (typeof value !== "object" || value === null) return null;
  for (const [name, items] of Object.entries(value)) {
    if (!isList(items)) continue;
    if (JSON.stringify(items).length < characters * LIST_SHARE) continue;
    const others = Object.fromEntries(Object.entries(value).filter(([other]) => other !== name));
    return { name, items, others };
  }
  return null;
}

/** Removes the blanks outside of the strings of a valid JSON text. Linear. */
function withoutBlanks(text: string): string {
  return text.replaceAll(/"(?:[^"\\]|\\.)*"|\s+/g, (part) => (part.startsWith('"') ? part : ""));
}
