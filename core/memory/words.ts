/** Splits a text into words, to compare tags with queries. */

/** Most words of a text. */
const MAX_WORDS = 2_000;
const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu;

/** Runs of letters and digits in order, in lower case and compatibility form (NFKC), with repeats. */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  for (const [word] of text.normalize("NFKC").toLowerCase().matchAll(WORD)) {
    if (words.push(word) === MAX_WORDS) break;
  }
  return words;
}

/** The words of several texts, each once. */
export function listWords(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap(splitWords))];
}
