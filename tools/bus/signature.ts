/** A tool's parameters on one line: what a model needs to write the arguments of most tools. */

type Schema = Readonly<Record<string, unknown>>;

/** Values of an `enum` that are listed, characters of each, and levels of objects. */
const MAX_CHOICES = 8;
const MAX_CHOICE = 30;
const MAX_DEPTH = 2;

/**
 * Formats `name(required: type, optional?: type)` in about `room` characters: required parameters first, and `…` for
 * those that do not fit. A text needs no type.
 */
export function formatSignature(name: string, parameters: Schema, room: number): string {
  const open = `${name}(`;
  let text = open;
  const fields = listFields(parameters);
  for (const { name: field, schema, isRequired } of fields) {
    const type = formatType(schema, MAX_DEPTH);
    const whole = `${field}${isRequired ? "" : "?"}${type === "string" ? "" : `: ${type}`}`;
    const separator = text === open ? "" : ", ";
    if (text.length + separator.length + whole.length + 4 <= room) {
      text += separator + whole;
      continue;
    }
    const bare = `${field}${isRequired ? "" : "?"}`;
    if (text.length + separator.length + bare.length + 4 > room) return `${text}${separator}…)`;
    text += separator + bare;
  }
  return `${text})`;
}

/** Returns the fields of an object, the required ones first. */
function listFields({ properties, required }: Schema) {
  if (!isSchema(properties)) return [];
  const needed = new Set(Array.isArray(required) ? required : []);
  const fields = Object.entries(properties).map(([name, schema]) => ({ name, schema, isRequired: needed.has(name) }));
  return [...fields.filter(({ isRequired }) => isRequired), ...fields.filter(({ isRequired }) => !isRequired)];
}

function formatType(schema: unknown, depth: number): string {
  if (!isSchema(schema)) return "any";
  const { type, enum: choices, const: constant, items, properties } = schema;
  if (constant !== undefined) return formatChoice(constant);
  if (Array.isArray(choices)) {
    const listed = choices.slice(0, MAX_CHOICES).map(formatChoice);
    return [...listed, ...(choices.length > MAX_CHOICES ? ["…"] : [])].join("|");
  }
  const joined = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(joined)) return [...new Set(joined.map((part) => formatType(part, depth)))].join("|");
  if (type === "array") return `${formatType(items ?? {}, depth)}[]`;
  if (isSchema(properties) && depth > 0) {
    const fields = listFields(schema).map(({ name, schema: inner, isRequired }) => {
      const of = formatType(inner, depth - 1);
      return `${name}${isRequired ? "" : "?"}${of === "string" ? "" : `: ${of}`}`;
    });
    return `{${fields.join(", ")}}`;
  }
  if (Array.isArray(type)) return type.join("|");
  return typeof type === "string" ? type : "any";
}

function formatChoice(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  return text.length > MAX_CHOICE ? `${text.slice(0, MAX_CHOICE - 1).toWellFormed()}…` : text;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
