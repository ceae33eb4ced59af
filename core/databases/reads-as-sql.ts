/** Tells a statement from a question in plain language. The sidecar alone parses SQL. */

/** The words that begin a statement, and rarely a question. Of those that often begin one, the form of the statement. */
const STATEMENTS: readonly RegExp[] = [
  /^(?:select|insert|update|delete|merge|create|drop|alter|truncate|copy|grant|revoke|commit|rollback|vacuum)\b/i,
  /^with\s+(?:recursive\s+)?(?:"[^"]*"|[\p{L}\p{N}_$]+)\s*(?:\([^)]*\)\s*)?as\b[^(]{0,30}\(/iu,
  /^explain\s*(?:\(|(?:analyze|verbose|select|with|values|insert|update|delete)\b)/i,
  /^(?:values|call\s+[\w."]+)\s*\(/i,
  /^table\s+[\w."]+\s*(?:;\s*)?$/i,
  /^set\s+(?:local|session|role|[\w.]+\s*(?:=|to\b))/i,
  /^do\s*(?:\$|'|language\b)/i,
  /^begin\s*(?:;|$|transaction\b|read\b|isolation\b)/i,
];

/** True if the text is written as a statement, after comments and parentheses. Whether it may run is not decided here. */
export function readsAsSql(text: string): boolean {
  const rest = skipComments(text).trimEnd();
  return !rest.endsWith("?") && STATEMENTS.some((form) => form.test(rest));
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
