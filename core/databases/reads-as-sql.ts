/** Tells a statement from a question in plain language. The sidecar alone parses SQL. */

/** The words that begin a statement. A question that begins with one is refused by the parser instead. */
const FIRST_WORD =
  /^(?:select|with|values|table|insert|update|delete|merge|create|drop|alter|truncate|copy|explain|set|grant|call|do|begin|commit)\b/i;

/** True if the text begins like a statement, after comments and parentheses. */
export function readsAsSql(text: string): boolean {
  return FIRST_WORD.test(skipComments(text));
}

function skipComments(text: string): string {
  let rest = text;
  for (;;) {
    rest = rest.replace(/^[\s(]+/, "");
    const end = rest.startsWith("--") ? "\n" : rest.startsWith("/*") ? "*/" : null;
    if (end === null) return rest;
    const at = rest.indexOf(end, 2);
    if (at < 0) return "";
    rest = rest.slice(at + end.length);
  }
}
