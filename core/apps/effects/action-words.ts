/** The words of an action's name. Rules compare whole words: `profile` has no `file`, and `reset` no `set`. */
import { splitWords } from "../../lib/tool-search/words.ts";

/** An action by its name and its app. */
export interface NamedAction {
  /** Such as `GMAIL_SEND_EMAIL`. */
  readonly action: string;
  /** Such as `gmail`. */
  readonly app: string;
}

/** Returns the words of a name after its app, in lower case: `send`, `email`. The app says nothing of what an action does. */
export function splitActionName({ action, app }: NamedAction): string[] {
  const prefix = `${app}_`.toLowerCase();
  const isOfApp = action.toLowerCase().startsWith(prefix) && action.length > prefix.length;
  return splitWords(isOfApp ? action.slice(prefix.length) : action);
}

/** Reads a list of words from lines of text. */
export function toWordSet(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

/** Returns the verb of a third person: `sends`, `replies`, `fetches`. */
export function toInfinitive(word: string): string {
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (/(?:ss|sh|ch|x)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}
