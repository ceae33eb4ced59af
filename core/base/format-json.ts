/** Characters up to which a value is written with a line for each part: with its indents it is up to a hundred times as long. */
const MAX_INDENTED = 100_000;

/** A JSON value as a model reads it: a line for each part, or all in one when it is large. */
export function shownJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > MAX_INDENTED ? text : JSON.stringify(value, null, 1);
}
