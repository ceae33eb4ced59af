/** A JSON Schema of parameters in few characters: what a model needs to write the arguments. */

type Schema = Readonly<Record<string, unknown>>;

/** A schema up to this long is given as it is. */
const SHORT_CHARACTERS = 1_200;
/** Limits for a longer one: characters of a description, values of an `enum`, depth. If that is too long, only required fields are listed. */
const MAX_DESCRIPTION = 100;
const MAX_CHOICES = 20;
const MAX_DEPTH = 3;
const LONG_CHARACTERS = 3_000;

/** Keywords that a compact schema keeps. References are followed. */
const KEPT = new Set(["type", "format", "default", "minimum", "maximum", "required", "const"]);

/** Keywords that join schemas. */
const JOINS = new Set(["anyOf", "oneOf", "allOf"]);

export function compactSchema(schema: Schema): Record<string, unknown> {
  const { $schema: _, title: __, ...whole } = schema;
  if (JSON.stringify(whole).length <= SHORT_CHARACTERS) return whole;
  const told = tell(schema, schema, MAX_DEPTH);
  if (JSON.stringify(told).length <= LONG_CHARACTERS) return told;
  const flat = tell(schema, schema, 1);
  if (JSON.stringify(flat).length <= LONG_CHARACTERS) return flat;
  const required = namesIn(schema["required"]);
  const properties = Object.fromEntries(
    required.slice(0, MAX_CHOICES).map((name) => [name.slice(0, MAX_DESCRIPTION), { type: typeOf(schema, name) }]),
  );
  return { type: "object", properties, required: Object.keys(properties), note: "Only required fields are listed." };
}

function tell(given: unknown, root: Schema, depth: number): Record<string, unknown> {
  const schema = follow(given, root);
  const told: Record<string, unknown> = Object.fromEntries(Object.entries(schema).filter(([key]) => KEPT.has(key)));
  const { description, enum: choices } = schema;
  if (typeof description === "string") told["description"] = cut(description);
  if (Array.isArray(choices)) told["enum"] = choices.slice(0, MAX_CHOICES);
  if (depth === 0) return told;
  const { properties, items } = schema;
  if (isSchema(properties))
    told["properties"] = Object.fromEntries(
      Object.entries(properties).map(([name, inner]) => [name, tell(inner, root, depth - 1)]),
    );
  if (isSchema(items)) told["items"] = tell(items, root, depth - 1);
  const joined = Object.entries(schema).flatMap(([key, of]) => {
    if (!JOINS.has(key) || !Array.isArray(of)) return [];
    return [[key, of.slice(0, MAX_CHOICES).map((inner) => tell(inner, root, depth - 1))] as const];
  });
  return { ...told, ...Object.fromEntries(joined) };
}

/** The schema that a local reference names, if it is one. */
function follow(given: unknown, root: Schema): Schema {
  if (!isSchema(given)) return {};
  const { $ref: reference } = given;
  if (typeof reference !== "string" || !reference.startsWith("#/")) return given;
  let at: unknown = root;
  for (const step of reference.slice(2).split("/")) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    at = isSchema(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  }
  return isSchema(at) ? at : {};
}

function typeOf(schema: Schema, name: string): unknown {
  const { properties } = schema;
  const property = isSchema(properties) && Object.hasOwn(properties, name) ? follow(properties[name], schema) : {};
  return typeof property["type"] === "string" ? property["type"] : undefined;
}

function namesIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function cut(text: string): string {
  return text.length <= MAX_DESCRIPTION ? text : `${text.slice(0, MAX_DESCRIPTION - 1).toWellFormed()}…`;
}
