/** JSON Schema as OpenAI takes it in a tool's parameters. What is left out is still judged by the gateway. */

/** Keywords that hold a schema, or a list of them. */
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
/** Keywords that hold schemas by name. */
const HOLDS_NAMED_SCHEMAS: ReadonlySet<string> = new Set(["$defs", "definitions", "patternProperties", "properties"]);

/** The schema without what OpenAI refuses: `propertyNames`, and a `pattern` that looks ahead or behind. */
export function acceptedSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(acceptedSchema);
  if (!isObject(schema)) return schema;
  const accepted = Object.entries(schema).filter(
    ([keyword, value]) => keyword !== "propertyNames" && !(keyword === "pattern" && looksAround(value)),
  );
  return Object.fromEntries(accepted.map(([keyword, value]) => [keyword, acceptedValue(keyword, value)]));
}

function acceptedValue(keyword: string, value: unknown): unknown {
  if (HOLDS_SCHEMAS.has(keyword)) return acceptedSchema(value);
  return HOLDS_NAMED_SCHEMAS.has(keyword) && isObject(value) ? acceptedSchemas(value) : value;
}

function acceptedSchemas(schemas: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, acceptedSchema(schema)]));
}

/** Whether a pattern holds `(?=`, `(?!`, `(?<=` or `(?<!` that is neither escaped nor in a class. */
function looksAround(pattern: unknown): boolean {
  if (typeof pattern !== "string") return false;
  return /\(\?<?[=!]/.test(pattern.replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]/gs, " "));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A tool's name as OpenAI takes it in a call of the conversation: a model may have written anything. */
export function acceptedName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "_";
}
