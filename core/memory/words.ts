/** The words of a text, as tags and queries are compared. */

/** Words of one text that are looked at. */
const MAX_WORDS = 2_000;
const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu;

/** Runs of letters and digits, in lower case and compatibility form (NFKC), in their order and as often as they come. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const [word] of text.normalize("NFKC").toLowerCase().matchAll(WORD)) {
    if (words.push(word) === MAX_WORDS) break;
  }
  return words;
}

/** The words of several texts, each once. */
export function wordSetOf(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap(wordsOf))];
}
