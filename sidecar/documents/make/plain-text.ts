/** Letters that a document can hold. */

/** What XML 1.0 leaves out: control characters, halves of letters, two that are none (https://www.w3.org/TR/xml/#charsets). */
const ODD = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

export function plainText(text: string): string {
  return text.replaceAll(ODD, "");
}

/** A value of JSON with every text in it so. */
export function withPlainTexts<Value>(value: Value): Value {
  return changed(value) as Value;
}

function changed(value: unknown): unknown {
  if (typeof value === "string") return plainText(value);
  if (Array.isArray(value)) return value.map(changed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, changed(inner)]));
}
