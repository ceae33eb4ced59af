/** The most characters of indented JSON: indents can make it a hundred times as long. */
const MAX_INDENTED = 100_000;

/** Formats a JSON value for a model: indented, or on one line when it is large. */
export function formatJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > MAX_INDENTED ? text : JSON.stringify(value, null, 1);
}
