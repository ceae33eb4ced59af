/**
 * A tool's parameters as a model reads them: names, types, enums, required and one short description each. Bounds
 * (`maxLength`, `pattern`, `minimum`, …) stay in the gateway, which checks them and says what is wrong. References are
 * followed, and a schema of any size is bounded.
 */
import { getOwn } from "../base/own-field.ts";
import type { JsonSchema } from "../lib/json-schema/json-schema.ts";

/** The most characters of a description, values of an `enum`, schemas of a list, and properties of an object. */
const MAX_DESCRIPTION = 200;
const MAX_CHOICES = 50;
const MAX_PROPERTIES = 100;
/** The depths that are tried until the schema has at most `MAX_CHARACTERS`. */
const DEPTHS = [5, 3, 1] as const;
const MAX_CHARACTERS = 4_000;
/**
 * The most schemas that one depth visits. A short schema that refers to itself unfolds to billions; one that fits visits
 * a few hundred.
 */
const MAX_VISITS = 2_000;

const JOINS = ["anyOf", "oneOf", "allOf"] as const;
const TYPES: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);

/** The descriptions of a schema with its required properties only, in characters. */
const SHORT_DESCRIPTION = 40;

/** Returns the schema that a model reads for an object's input. */
export function toModelSchema(schema: JsonSchema): JsonSchema {
  for (const depth of DEPTHS) {
    const short = simplifyWithin(schema, openReading(schema, MAX_DESCRIPTION), depth);
    if (short !== null) return short;
  }
  const required = simplifyWithin(keepRequired(schema), openReading(schema, SHORT_DESCRIPTION), 1);
  return required ?? toObject({ description: "The parameters are too long to list." });
}

/** Null for a schema that exceeds the limits. */
function simplifyWithin(schema: JsonSchema, reading: Reading, depth: number): JsonSchema | null {
  const short = toObject(simplify(schema, reading, depth));
  return reading.visits <= MAX_VISITS && JSON.stringify(short).length <= MAX_CHARACTERS ? short : null;
}

/** One reading of a schema. References start at `root`; `description` is the most characters of one. */
interface Reading {
  readonly root: JsonSchema;
  readonly description: number;
  visits: number;
}

function openReading(root: JsonSchema, description: number): Reading {
  return { root, description, visits: 0 };
}

/** The parameters of a tool are an object, also where a server left that out. */
function toObject(short: Record<string, unknown>): JsonSchema {
  return { ...short, type: "object", properties: isSchema(short["properties"]) ? short["properties"] : {} };
}

/** Stops beyond `MAX_VISITS`; such a reading is not used. */
function simplify(given: unknown, reading: Reading, depth: number): Record<string, unknown> {
  reading.visits += 1;
  if (reading.visits > MAX_VISITS) return {};
  const schema = followReference(given, reading.root);
  const { type, const: constant, enum: choices, description: text, items, properties, required } = schema;
  const short: Record<string, unknown> = {};
  if (isType(type)) short["type"] = type;
  if (constant !== undefined) short["const"] = constant;
  if (isFilled(choices)) short["enum"] = choices.slice(0, MAX_CHOICES);
  if (typeof text === "string" && text !== "") short["description"] = cut(text, reading.description);
  if (depth === 0) return short;
  if (isSchema(properties)) Object.assign(short, simplifyProperties(properties, required, reading, depth));
  if (isSchema(items)) short["items"] = simplify(items, reading, depth - 1);
  for (const join of JOINS) {
    const parts = getOwn(schema, join);
    if (!isFilled(parts)) continue;
    const different = new Map(
      parts.slice(0, MAX_CHOICES).map((part) => {
        const one = simplify(part, reading, depth - 1);
        return [JSON.stringify(one), one] as const;
      }),
    );
    Object.assign(short, { [join]: [...different.values()] });
  }
  return short;
}

/** A provider refuses a whole request for one tool with another type, or with an empty list. */
function isType(type: unknown): boolean {
  return Array.isArray(type) ? isFilled(type) && type.every((one) => TYPES.has(one)) : TYPES.has(type);
}

function isFilled(list: unknown): list is readonly unknown[] {
  return Array.isArray(list) && list.length > 0;
}

function simplifyProperties(
  properties: JsonSchema,
  required: unknown,
  reading: Reading,
  depth: number,
): Record<string, unknown> {
  const fields = Object.entries(properties).slice(0, MAX_PROPERTIES);
  const names = new Set<unknown>(fields.map(([name]) => name));
  const needed = Array.isArray(required) ? required.filter((name) => names.has(name)) : [];
  const simplified = fields.map(([name, field]) => [name, simplify(field, reading, depth - 1)] as const);
  return { properties: Object.fromEntries(simplified), ...(needed.length === 0 ? {} : { required: needed }) };
}

/** A schema with its required properties only, because all of them do not fit. */
function keepRequired(schema: JsonSchema): JsonSchema {
  const { properties, required } = schema;
  if (!isSchema(properties) || !Array.isArray(required)) return { type: "object" };
  const names = new Set<unknown>(required);
  const needed = Object.entries(properties)
    .filter(([name]) => names.has(name))
    .slice(0, MAX_CHOICES);
  return {
    type: "object",
    description: "Only the required fields.",
    properties: Object.fromEntries(needed),
    required: needed.map(([name]) => name),
  };
}

/** Returns the schema that a local reference names. A loop ends at the depth. */
function followReference(given: unknown, root: JsonSchema): Readonly<Record<string, unknown>> {
  if (!isSchema(given)) return {};
  const { $ref: reference } = given;
  if (typeof reference !== "string" || !reference.startsWith("#/")) return given;
  let at: unknown = root;
  for (const step of reference.slice(2).split("/")) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    at = isSchema(at) ? getOwn(at, name) : undefined;
  }
  return isSchema(at) ? at : {};
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}
