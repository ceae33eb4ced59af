/** Removes characters that a document cannot contain. */

/** Characters that XML 1.0 excludes: controls, lone surrogates, two noncharacters (https://www.w3.org/TR/xml/#charsets). */
const INVALID = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

export function removeInvalid(text: string): string {
  return text.replaceAll(INVALID, "");
}

/** Removes them from every text of a JSON value. */
export function removeInvalidTexts<Value>(value: Value): Value {
  return cleanValue(value) as Value;
}

function cleanValue(value: unknown): unknown {
  if (typeof value === "string") return removeInvalid(value);
  if (Array.isArray(value)) return value.map(cleanValue);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cleanValue(inner)]));
}
