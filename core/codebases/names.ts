/** The parts of names in code, and the words by which a text is found. Pure; both sides of a search use the same rules. */

const MAX_WORD_CHARACTERS = 60;
/** Words of a chunk; the rest of it is not found by words. */
const MAX_WORDS = 400;
const MIN_PART_CHARACTERS = 2;
const NAME = /[\p{L}\p{N}_$]+/gu;

/** `getUserName`, `get_user_name` and `GetUserName` → get, user, name; `HTTPServer2` → http, server2. Lower case. */
export function splitName(name: string): readonly string[] {
  return name
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part !== "")
    .map((part) => part.toLowerCase());
}

/** The words of a text: each name in lower case without underscores, and its parts. Without repeats, in order. */
export function listWords(text: string): readonly string[] {
  const words = new Set<string>();
  for (const [name] of text.matchAll(NAME)) {
    const parts = splitName(name);
    for (const word of [parts.join(""), ...parts]) {
      const length = word.length;
      if (length >= MIN_PART_CHARACTERS && length <= MAX_WORD_CHARACTERS) words.add(word);
    }
    if (words.size >= MAX_WORDS) break;
  }
  return [...words].slice(0, MAX_WORDS);
}

/** A name as names are compared: `get_user` and `getUser` are one. */
export function normalizeName(name: string): string {
  return splitName(name).join("");
}
