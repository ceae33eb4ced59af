/**
 * Reads rows of unknown shape. Names of fields are compared without case, dashes and underscores. Every function looks
 * at a bounded part of a value, and none throws.
 */
import { getField } from "../base/json-fields.ts";
import { cutBefore } from "../gateway/shape.ts";

/** Fields of one object that are read. */
export const MAX_FIELDS = 100;
/** Entries of a nested list or object in a text, and how deep it is followed. */
const [MAX_ENTRIES, MAX_NESTING] = [20, 4];
/** Numbers in this range are moments in seconds since the epoch, those in the next one in milliseconds: 2001 to 2128. */
const [FIRST_SECOND, LAST_SECOND] = [1_000_000_000, 5_000_000_000];

/** An object whose fields are found by their plain names. */
export interface Row {
  readonly own: Readonly<Record<string, unknown>>;
  /** The field names by their plain form: lower case, letters and digits only. */
  readonly names: ReadonlyMap<string, string>;
}

/** Counts what a text limit omitted, for one result. */
export class TextLimit {
  readonly characters: number;
  isCut = false;

  constructor(characters: number) {
    this.characters = characters;
  }

  /** Cuts a text; never half of a surrogate pair. */
  cut(text: string, most = this.characters): string {
    if (text.length <= most) return text.toWellFormed();
    this.isCut = true;
    return `${cutBefore(text, Math.max(0, most - 1)).toWellFormed()}…`;
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Indexes the first fields of an object; an empty row for any other value. */
export function toRow(value: unknown): Row {
  const names = new Map<string, string>();
  if (!isObject(value)) return { own: {}, names };
  let count = 0;
  for (const name in value) {
    if (count >= MAX_FIELDS) break;
    if (!Object.hasOwn(value, name)) continue;
    count += 1;
    const plain = toPlainName(name);
    if (!names.has(plain)) names.set(plain, name);
  }
  return { own: value, names };
}

/** Returns the plain form of a field's name. */
export function toPlainName(name: string): string {
  return name
    .slice(0, 200)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, "");
}

/** Returns the first of these fields that has a value; undefined if none has. `names` are plain. */
export function pick(row: Row, names: readonly string[]): unknown {
  for (const plain of names) {
    const name = row.names.get(plain);
    const value = name === undefined ? undefined : getField(row.own, name);
    if (value !== undefined && value !== null && value !== "") return value;
  }
  return undefined;
}

/** True when the row has one of these fields, even without a value. */
export function hasAny(row: Row, names: readonly string[]): boolean {
  return names.some((name) => row.names.has(name));
}

/** Formats a value on one line: a text as it is, a person by name and address, anything else as short JSON. */
export function toText(value: unknown, depth = 0): string {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
    case "boolean":
    case "bigint":
      return String(value);
    case "object":
      return value === null ? "" : Array.isArray(value) ? listToText(value, depth) : objectToText(value, depth);
    default:
      return "";
  }
}

function listToText(list: readonly unknown[], depth: number): string {
  if (depth >= MAX_NESTING) return "[…]";
  const texts = list.slice(0, MAX_ENTRIES).map((one) => toText(one, depth + 1));
  return [...texts.filter((text) => text !== ""), ...(list.length > MAX_ENTRIES ? ["…"] : [])].join(", ");
}

/** The names of a nested object that stand for the whole, most telling first. */
const LABELS = ["displayname", "fullname", "name", "login", "username", "title", "label", "summary", "value", "text"];
const ADDRESSES = ["email", "address", "emailaddress"];
const MOMENTS = ["datetime", "date"];
const MOMENT_FIELDS = [...MOMENTS, "timezone"];

/** True for an object that one of its texts names, such as a person. */
export function hasLabel(value: Readonly<Record<string, unknown>>): boolean {
  return typeof pick(toRow(value), [...LABELS, ...ADDRESSES, ...MOMENTS]) === "string";
}

function objectToText(value: object, depth: number): string {
  if (depth >= MAX_NESTING) return "{…}";
  const row = toRow(value);
  const moment = pick(row, MOMENTS);
  if (typeof moment === "string" && [...row.names.keys()].every((name) => MOMENT_FIELDS.includes(name))) return moment;
  const [label, address] = [pick(row, LABELS), pick(row, ADDRESSES)];
  if (isObject(address)) return toText(address, depth + 1);
  if (typeof label === "string") return typeof address === "string" ? `${label} <${address}>` : label;
  if (typeof address === "string") return address;
  const parts = [...row.names.values()].slice(0, MAX_ENTRIES).flatMap((name) => {
    const text = toText(getField(value, name), depth + 1);
    return text === "" ? [] : [`${name}: ${text}`];
  });
  return parts.join("; ");
}

/** Formats a moment as ISO 8601 if it is a number of the epoch or such an object; any other text stays as it is. */
export function toMoment(value: unknown): string {
  if (typeof value === "string" && /^\d{10}(?:\d{3})?(?:\.\d{1,9})?$/.test(value)) return toMoment(Number(value));
  if (typeof value !== "number") return toText(value);
  const seconds = value > LAST_SECOND ? value / 1000 : value;
  if (!(seconds >= FIRST_SECOND && seconds <= LAST_SECOND)) return String(value);
  return new Date(Math.floor(seconds) * 1000).toISOString().replace(".000Z", "Z");
}

/** Returns an address that a page may link to; undefined for any other text. */
export function toWebAddress(value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > 2_000 || !/^https?:\/\//i.test(value)) return undefined;
  return URL.canParse(value) ? value.toWellFormed() : undefined;
}
