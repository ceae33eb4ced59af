/**
 * Fits arguments to the types of a schema where a model wrote the right value in the wrong type: a number, a boolean, an
 * object or a list as text, and one value where a list is wanted. A value whose own type the schema accepts is left as it
 * is, and so is everything whose meaning would be a guess. The schema itself judges the outcome.
 */
import { parseArguments } from "./parse-arguments.ts";

type JsonType = "string" | "number" | "integer" | "boolean" | "object" | "array" | "null";
type Fields = Readonly<Record<string, unknown>>;

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** Keywords that decide on a value's type in ways that are not followed here. */
const OPAQUE: readonly string[] = ["$ref", "$dynamicRef", "allOf", "not", "if"];

/** Returns the value, fitted to the schema. */
export function fitTypes(value: unknown, schema: unknown): unknown {
  const types = listTypes(schema);
  if (types === null || !isFields(schema)) return value;
  if (typesOf(value).some((type) => types.has(type))) return fitParts(value, schema);
  const read = typeof value === "string" ? readText(value.trim(), types) : undefined;
  if (read !== undefined) return fitParts(read, schema);
  if (!types.has("array") || value === null) return value;
  const item = fitTypes(value, schema["items"]);
  const itemTypes = listTypes(schema["items"]);
  const isItem = itemTypes === null || typesOf(item).some((type) => itemTypes.has(type));
  return isItem ? [item] : value;
}

/** Fits the members of an object and the items of a list. */
function fitParts(value: unknown, schema: Fields): unknown {
  if (Array.isArray(value))
    return isFields(schema["items"]) ? value.map((item) => fitTypes(item, schema["items"])) : value;
  if (!isFields(value)) return value;
  const properties = isFields(schema["properties"]) ? schema["properties"] : {};
  const members = Object.entries(value).map(([name, member]) => {
    const own = Object.hasOwn(properties, name) ? properties[name] : schema["additionalProperties"];
    return [name, fitTypes(member, own)] as const;
  });
  return Object.fromEntries(members);
}

/** Reads a text as one of the wanted types; undefined for any other text. */
function readText(text: string, types: ReadonlySet<JsonType>): unknown {
  if ((types.has("number") || types.has("integer")) && NUMBER.test(text)) {
    const number = Number(text);
    if (isExact(number, text) && (types.has("number") || Number.isInteger(number))) return number;
  }
  if (types.has("boolean") && /^(?:true|false)$/i.test(text)) return text.toLowerCase() === "true";
  const wantsObject = types.has("object") && text.startsWith("{");
  const wantsList = types.has("array") && text.startsWith("[");
  if (!wantsObject && !wantsList) return undefined;
  const parsed = parseArguments(text);
  return parsed.ok ? parsed.value : undefined;
}

/** False where a number would round the text's digits, as it does beyond 2 ** 53. */
function isExact(number: number, text: string): boolean {
  return Number.isFinite(number) && toDigits(String(number)) === toDigits(text);
}

/** Writes a decimal number in one form: its significant digits, and the power of ten of the last one. */
function toDigits(text: string): string {
  const [mantissa = "", exponent = "0"] = text.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".");
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = trimZeros(digits);
  if (significant === "") return "0";
  return `${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

/** A loop, because `/0+$/` takes quadratic time. */
function trimZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === "0") end -= 1;
  return digits.slice(0, end);
}

const listed = new WeakMap<object, ReadonlySet<JsonType> | null>();

/** Returns the types that a schema accepts; null if it accepts any, or does not say plainly. */
function listTypes(schema: unknown): ReadonlySet<JsonType> | null {
  if (!isFields(schema)) return null;
  const known = listed.get(schema);
  if (known !== undefined) return known;
  const types = readTypes(schema);
  listed.set(schema, types);
  return types;
}

function readTypes(schema: Fields): ReadonlySet<JsonType> | null {
  if (OPAQUE.some((keyword) => Object.hasOwn(schema, keyword))) return null;
  const { type, anyOf, oneOf } = schema;
  if (typeof type === "string") return new Set([type as JsonType]);
  if (Array.isArray(type)) return new Set(type.filter((one): one is JsonType => typeof one === "string"));
  if (Array.isArray(schema["enum"])) return new Set(schema["enum"].flatMap(typesOf));
  if (Object.hasOwn(schema, "const")) return new Set(typesOf(schema["const"]));
  const alternatives: unknown = anyOf ?? oneOf;
  if (!Array.isArray(alternatives)) return null;
  const types = new Set<JsonType>();
  for (const alternative of alternatives) {
    const own = listTypes(alternative);
    if (own === null) return null;
    for (const one of own) types.add(one);
  }
  return types;
}

/** Returns the types of a value. A whole number is also a number. */
function typesOf(value: unknown): readonly JsonType[] {
  if (value === null) return ["null"];
  if (Array.isArray(value)) return ["array"];
  switch (typeof value) {
    case "number":
      return Number.isInteger(value) ? ["integer", "number"] : ["number"];
    case "string":
      return ["string"];
    case "boolean":
      return ["boolean"];
    case "object":
      return ["object"];
    default:
      return [];
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
