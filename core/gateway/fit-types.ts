/**
 * Fits arguments to the types of a schema where a model wrote the right value in the wrong type: a number, a boolean, an
 * object or a list as text, and one value where a list is wanted. A value whose own type the schema accepts is left as it
 * is, and so is everything whose meaning would be a guess. The schema itself judges the outcome.
 */
import { findExceededBound, MAX_DEPTH } from "../base/json-size.ts";
import { parseJson } from "../base/parse-json.ts";

type JsonType = "string" | "number" | "integer" | "boolean" | "object" | "array" | "null";
type Fields = Readonly<Record<string, unknown>>;

/** Alternatives inside alternatives that are looked at. */
const MAX_NESTED_ALTERNATIVES = 4;
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
    // Digits beyond 2 ** 53 would be rounded.
    const isExact = Number.isSafeInteger(number) || (Number.isFinite(number) && !/^-?\d+$/.test(text));
    if (isExact && (types.has("number") || Number.isInteger(number))) return number;
  }
  if (types.has("boolean") && /^(?:true|false)$/i.test(text)) return text.toLowerCase() === "true";
  const wantsObject = types.has("object") && text.startsWith("{");
  const wantsList = types.has("array") && text.startsWith("[");
  if (!wantsObject && !wantsList) return undefined;
  const value = parseJson(text);
  const isTooDeep = findExceededBound(value, { depth: MAX_DEPTH, values: Infinity, characters: Infinity }) !== null;
  return isTooDeep || value === null ? undefined : value;
}

const listed = new WeakMap<object, ReadonlySet<JsonType> | null>();

/** Returns the types that a schema accepts; null if it accepts any, or does not say plainly. */
function listTypes(schema: unknown, depth = 0): ReadonlySet<JsonType> | null {
  if (!isFields(schema) || depth > MAX_NESTED_ALTERNATIVES) return null;
  const known = listed.get(schema);
  if (known !== undefined) return known;
  const types = readTypes(schema, depth);
  listed.set(schema, types);
  return types;
}

function readTypes(schema: Fields, depth: number): ReadonlySet<JsonType> | null {
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
    const own = listTypes(alternative, depth + 1);
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
