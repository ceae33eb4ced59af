/** The call of an approval as channels show it: whole, or to be approved somewhere else. */

/** UTF-16 units of arguments, as people read them, that every channel has room for. */
export const MAX_SHOWN_ARGUMENTS = 8_000;
/** What `&`, `<` and `>` become in Slack is up to so much longer. */
const ESCAPE_CHARACTERS = 4;

/** What stands in the place of arguments that are longer. */
export const TOO_LONG_TO_SHOW =
  "The arguments are too long to be shown here, and nobody approves what they have not seen: look at them and approve in the console, or by the API. It can be refused from here.";

/** The arguments as text; null: they are too long for some channel, so they are approved in none. */
export function shownArguments(given: unknown): string | null {
  const text = JSON.stringify(given, null, 2) ?? "";
  const escapes = text.match(/[&<>]/g)?.length ?? 0;
  const backticks = text.match(/`/g)?.length ?? 0;
  return text.length + ESCAPE_CHARACTERS * escapes + backticks <= MAX_SHOWN_ARGUMENTS ? text : null;
}
