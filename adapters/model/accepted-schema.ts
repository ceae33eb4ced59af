/** Reduces JSON Schema to what OpenAI accepts in a tool's parameters. The gateway still validates the full schema. */

/** Keywords with a schema, or a list of schemas. */
const HOLDS_SCHEMAS: ReadonlySet<string> = new Set([
  "additionalItems",
  "additionalProperties",
  "allOf",
  "anyOf",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "oneOf",
  "prefixItems",
  "then",
]);
/** Keywords with schemas by name. */
const HOLDS_NAMED_SCHEMAS: ReadonlySet<string> = new Set(["$defs", "definitions", "patternProperties", "properties"]);

/** The schema without what OpenAI rejects: `propertyNames`, and a `pattern` with look-around. */
export function toAcceptedSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toAcceptedSchema);
  if (!isObject(schema)) return schema;
  const accepted = Object.entries(schema).filter(
    ([keyword, value]) => keyword !== "propertyNames" && !(keyword === "pattern" && hasLookaround(value)),
  );
  return Object.fromEntries(accepted.map(([keyword, value]) => [keyword, toAcceptedValue(keyword, value)]));
}

function toAcceptedValue(keyword: string, value: unknown): unknown {
  if (HOLDS_SCHEMAS.has(keyword)) return toAcceptedSchema(value);
  return HOLDS_NAMED_SCHEMAS.has(keyword) && isObject(value) ? toAcceptedSchemas(value) : value;
}

function toAcceptedSchemas(schemas: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, toAcceptedSchema(schema)]));
}

/** True for a pattern with `(?=`, `(?!`, `(?<=` or `(?<!` that is neither escaped nor in a class. */
function hasLookaround(pattern: unknown): boolean {
  if (typeof pattern !== "string") return false;
  return /\(\?<?[=!]/.test(pattern.replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]/gs, " "));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A tool's name as OpenAI accepts it in a call of the conversation: a model may have written anything. */
export function toAcceptedName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "_";
}
