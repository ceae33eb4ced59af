/** The words of a query, as `otto_find_pieces` takes them. */
import { isStopWord, splitRuns, splitWords } from "../lib/tool-search/words.ts";

/** Words of a query beyond these are ignored, as the database does. */
const MAX_WORDS = 32;
const MAX_WORD_CHARACTERS = 64;

/**
 * Returns the words of a query in lower case, each once, in order, with a space between them: a name such as `readFile`
 * as a whole and in its parts, a script without spaces in pairs of characters. Words that say nothing are left out,
 * unless the query has no others. Empty for a query without letters and digits.
 */
export function toQueryWords(query: string): string {
  const words = splitRuns(query).flatMap((run) => [
    run.slice(0, MAX_WORD_CHARACTERS).toLowerCase(),
    ...splitWords(run),
  ]);
  const telling = words.filter((word) => !isStopWord(word));
  return [...new Set(telling.length === 0 ? words : telling)].slice(0, MAX_WORDS).join(" ");
}
