/** Names of actions in a request: `GMAIL_SEND_EMAIL`, also as the tool `composio_GMAIL_SEND_EMAIL`. */

const NAME = /(?<![A-Za-z0-9_])(?:composio_)?([A-Z][A-Z0-9]{0,60}(?:_[A-Z0-9]{1,60}){1,20})(?![A-Za-z0-9_])/g;
/** The most names of one request. */
const MAX_NAMES = 100;

/** Finds the different names in a text, in order. A name of that shape need not be one of an action. */
export function findExplicitNames(text: string): string[] {
  const names = new Set<string>();
  for (const [, name = ""] of text.matchAll(NAME)) {
    names.add(name);
    if (names.size === MAX_NAMES) break;
  }
  return [...names];
}
