/**
 * The reference to the credential of a call's account, `{{connection}}`. Otto's own templates contain it, in one
 * spelling; in the text of a model or a stranger every spelling is refused or left as it is.
 */

/** Its place in lists of secrets. No secret has such a name. */
export const CONNECTION_NAME = "connection";
export const CONNECTION_REFERENCE = "{{connection}}";

/** Also with spaces, and percent-encoded. */
const ANY_SPELLING = /(?:\{\{|%7B%7B)(?:[ \t+]|%20)*connection(?:[ \t+]|%20)*(?:\}\}|%7D%7D)/i;

/** True for a text that refers to it in any spelling. */
export function mentionsConnection(text: string): boolean {
  return ANY_SPELLING.test(text);
}

/** True for a text that refers to it as Otto's templates do. */
export function refersToConnection(text: string): boolean {
  return text.includes(CONNECTION_REFERENCE);
}
