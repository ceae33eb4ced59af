/** Parses JSON; null for invalid text. For outside replies, which a schema validates next. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
