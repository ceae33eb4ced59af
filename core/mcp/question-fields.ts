/**
 * The fields of a server's form, which are flat and of simple types in the protocol, and their values in a person's
 * answer.
 */
import { cleanText } from "./tool-list.ts";

const MAX_FIELDS = 30;
const MAX_OPTIONS = 200;
const MAX_NOTE = 300;
const MAX_TEXT = 10_000;

interface Common {
  readonly name: string;
  readonly required: boolean;
  /** The server's description. */
  readonly note: string;
  /** The default value. */
  readonly fallback: unknown;
}

interface Option {
  readonly value: string;
  readonly title: string;
}

export type Field = Common &
  (
    | { readonly kind: "text"; readonly min: number; readonly max: number; readonly format: string | null }
    | { readonly kind: "number"; readonly whole: boolean; readonly min: number; readonly max: number }
    | { readonly kind: "boolean" }
    | { readonly kind: "choice"; readonly options: readonly Option[] }
    | { readonly kind: "choices"; readonly options: readonly Option[]; readonly min: number; readonly max: number }
  );

type Raw = Readonly<Record<string, unknown>>;

/** The fields of a requested schema; null for a form that the protocol does not allow. */
export function parseFields(schema: Raw): readonly Field[] | null {
  const properties = toObject(schema["properties"] ?? {});
  if (properties === null || (schema["type"] ?? "object") !== "object") return null;
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const entries = Object.entries(properties);
  if (entries.length > MAX_FIELDS) return null;
  const fields = entries.map(([name, raw]) => parseField(name, toObject(raw), required.includes(name)));
  return fields.every((field) => field !== null) ? fields : null;
}

function parseField(name: string, raw: Raw | null, required: boolean): Field | null {
  if (raw === null || name === "" || name.length > 100) return null;
  const note = cleanText([raw["title"], raw["description"]].filter(isText).join(": "), MAX_NOTE);
  const common = { name, required, note, fallback: raw["default"] };
  switch (raw["type"]) {
    case "string": {
      const options = parseOptions(raw);
      if (options !== null) return { ...common, kind: "choice", options };
      if (["enum", "oneOf", "anyOf"].some((keyword) => Object.hasOwn(raw, keyword))) return null;
      const format = isText(raw["format"]) ? raw["format"] : null;
      const max = Math.min(toNumber(raw["maxLength"], MAX_TEXT), MAX_TEXT);
      return { ...common, kind: "text", min: toNumber(raw["minLength"], 0), max, format };
    }
    case "integer":
    case "number": {
      const [min, max] = [toNumber(raw["minimum"], -Infinity), toNumber(raw["maximum"], Infinity)];
      return { ...common, kind: "number", whole: raw["type"] === "integer", min, max };
    }
    case "boolean":
      return { ...common, kind: "boolean" };
    case "array": {
      const options = parseOptions(toObject(raw["items"]) ?? {});
      if (options === null) return null;
      const max = toNumber(raw["maxItems"], options.length);
      return { ...common, kind: "choices", options, min: toNumber(raw["minItems"], 0), max };
    }
    default:
      return null;
  }
}

/** The values of an enumeration in each of the protocol's forms; null for another schema. */
function parseOptions(raw: Raw): readonly Option[] | null {
  const titled = raw["oneOf"] ?? raw["anyOf"];
  const names = Array.isArray(raw["enumNames"]) ? raw["enumNames"] : [];
  const options = Array.isArray(titled)
    ? titled.map((one) => ({ value: toObject(one)?.["const"], title: toObject(one)?.["title"] }))
    : Array.isArray(raw["enum"])
      ? raw["enum"].map((value: unknown, index) => ({ value, title: names[index] as unknown }))
      : [];
  if (options.length === 0 || options.length > MAX_OPTIONS) return null;
  const read = options.flatMap(({ value, title }) =>
    isText(value) ? [{ value, title: cleanText(isText(title) ? title : value, 200) }] : [],
  );
  return read.length === options.length ? read : null;
}

/** Formats a field for a person. */
export function formatField(field: Field): string {
  const fallback = field.fallback === undefined ? "" : `; else ${cleanText(JSON.stringify(field.fallback), MAX_NOTE)}`;
  const what = `${field.name} (${formatKind(field)}${field.required ? "" : ", optional"}${fallback})`;
  return field.note === "" ? `- ${what}` : `- ${what}: ${field.note}`;
}

function formatKind(field: Field): string {
  switch (field.kind) {
    case "text":
      return field.format === null ? "text" : cleanText(field.format, 30);
    case "number":
      return `${field.whole ? "whole number" : "number"}${formatRange(field)}`;
    case "boolean":
      return "yes or no";
    case "choice":
      return `one of: ${formatOptions(field.options)}`;
    case "choices":
      return `some of, with commas between: ${formatOptions(field.options)}`;
  }
}

function formatRange({ min, max }: { readonly min: number; readonly max: number }): string {
  const from = min === -Infinity ? "" : ` from ${min}`;
  return max === Infinity ? from : `${from} up to ${max}`;
}

function formatOptions(options: readonly Option[]): string {
  return options.map(({ value, title }) => (title === value ? value : `${title} (${value})`)).join(", ");
}

type ReadValue = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string };

/** Reads a field's value from text or JSON. `problem` ends a sentence that begins with the field's name. */
export function readValue(field: Field, given: unknown): ReadValue {
  switch (field.kind) {
    case "text":
      return isText(given) ? readText(field, given) : failValue("has to be text");
    case "number":
      return readNumber(field, given);
    case "boolean":
      return readBoolean(given);
    case "choice":
      return readChoice(field.options, given);
    case "choices":
      return readChoices(field, given);
  }
}

function readText({ min, max, format }: Extract<Field, { kind: "text" }>, given: string): ReadValue {
  const { length } = Array.from(given);
  if (length < min || length > max) return failValue(`has to have ${min} to ${max} characters`);
  return format === null || hasFormat(format, given) ? { ok: true, value: given } : failValue(`has to be a ${format}`);
}

/** The formats that a form may name; the server checks others. */
function hasFormat(format: string, text: string): boolean {
  switch (format) {
    case "email":
      return /^[^\s@]{1,64}@[^\s@]{1,255}$/.test(text);
    case "uri":
      return URL.canParse(text);
    case "date":
      return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`));
    case "date-time":
      return /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d/.test(text) && !Number.isNaN(Date.parse(text));
    default:
      return true;
  }
}

function readNumber({ whole, min, max }: Extract<Field, { kind: "number" }>, given: unknown): ReadValue {
  const value = isText(given) && given.trim() !== "" ? Number(given) : given;
  if (typeof value !== "number" || !Number.isFinite(value)) return failValue("has to be a number");
  if (whole && !Number.isSafeInteger(value)) return failValue("has to be a whole number");
  return value < min || value > max ? failValue(`has to be${formatRange({ min, max })}`) : { ok: true, value };
}

function readBoolean(given: unknown): ReadValue {
  if (typeof given === "boolean") return { ok: true, value: given };
  const text = isText(given) ? given.trim().toLowerCase() : "";
  if (["yes", "true", "y"].includes(text)) return { ok: true, value: true };
  if (["no", "false", "n"].includes(text)) return { ok: true, value: false };
  return failValue("has to be yes or no");
}

function readChoice(options: readonly Option[], given: unknown): ReadValue {
  const text = isText(given) ? given.trim() : "";
  const found = options.find(({ value, title }) => value === text || title === text);
  return found === undefined
    ? failValue(`has to be one of: ${formatOptions(options)}`)
    : { ok: true, value: found.value };
}

function readChoices({ options, min, max }: Extract<Field, { kind: "choices" }>, given: unknown): ReadValue {
  const list = Array.isArray(given)
    ? given
    : isText(given)
      ? given.split(",").filter((one) => one.trim() !== "")
      : null;
  if (list === null) return failValue(`has to be some of: ${formatOptions(options)}`);
  if (list.length < min || list.length > max)
    return failValue(`has to be ${min} to ${max} of: ${formatOptions(options)}`);
  const values: unknown[] = [];
  for (const one of list) {
    const read = readChoice(options, one);
    if (!read.ok) return read;
    values.push(read.value);
  }
  return { ok: true, value: values };
}

function failValue(problem: string): ReadValue {
  return { ok: false, problem };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function toObject(value: unknown): Raw | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Raw) : null;
}

function toNumber(value: unknown, otherwise: number): number {
  return typeof value === "number" && Number.isFinite(value) ? value : otherwise;
}
