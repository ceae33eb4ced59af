/** What a text says as JSON; null when it is none. For replies of others, which a schema judges next. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
