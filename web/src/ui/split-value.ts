/** Which parts of a value a person reads better as texts than as JSON. */

/** A text of several lines, or of more characters than this, has a block of its own: JSON would show it as one line. */
const LONG = 120;

/** The long texts of an object by their names, and the object without them; null when nothing else is in it. */
export function splitValue(value: unknown): {
  readonly texts: readonly (readonly [string, string])[];
  readonly rest: unknown;
} {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { texts: [], rest: value };
  const fields = Object.entries(value);
  const texts = fields.filter((field): field is [string, string] => isLong(field[1]));
  const others = fields.filter(([, one]) => !isLong(one));
  return { texts, rest: others.length === 0 ? null : Object.fromEntries(others) };
}

function isLong(value: unknown): boolean {
  return typeof value === "string" && (value.length > LONG || value.includes("\n"));
}
