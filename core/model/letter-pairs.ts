/**
 * Pairs of letters that are rare in English words (fewer than one pair in 5,000, over 10,000 words of documentation and
 * prose). Tokenizers have most English words as one token; a word with such a pair (a name, an abbreviation, random
 * text or another language) needs about one more token for each.
 */
import { getOwn } from "../base/own-field.ts";
const RARE_AFTER: Readonly<Record<string, string>> = {
  a: "aehjoqz",
  b: "bdfghkmnpqvwxz",
  c: "bdfgjmnpqvwxz",
  d: "bcfhjkmnpqtvwxz",
  e: "jkz",
  f: "bcdghjkmnpqsvwxz",
  g: "bcdfjkmpqtvwxyz",
  h: "bcdfghjklnpqvwxz",
  i: "hijquwy",
  j: "abcdfghijklmnpqrstvwxyz",
  k: "bcdfghjkmopqrtuvwxyz",
  l: "cghjkmnqrwxz",
  m: "cdfghjknqrtvwxyz",
  n: "bhjqrwxz",
  o: "hjqyz",
  p: "bcfgjkmnqvwxz",
  q: "abcdefghijklmnopqrstvwxyz",
  r: "hjqxz",
  s: "bdgjnqrvxz",
  t: "bfgjkqvxz",
  u: "hjkquvwxyz",
  v: "bcdfghjklmnpqrstuvwxyz",
  w: "bcdfgjklmpqtuvwxyz",
  x: "bdfghjklmnoqrsuvwxyz",
  y: "abcdfghjkqruvwxyz",
  z: "bcdfghjklmnopqrstuvwxyz",
};

const LETTER_A = 97;
/** Indexed by the lower five bits of two ASCII letters, which are equal in both cases. */
const RARE = Uint8Array.from({ length: 1024 }, (_, pair) => {
  const [first, second] = [pair >> 5, pair & 31].map((letter) => String.fromCharCode(LETTER_A - 1 + letter));
  return getOwn(RARE_AFTER, first ?? "")?.includes(second ?? "") === true ? 1 : 0;
});

/** Counts the rare pairs in the ASCII letters of `text` from `start` to before `end`. */
export function countRarePairs(text: string, start: number, end: number): number {
  let count = 0;
  let pair = text.charCodeAt(start) & 31;
  for (let at = start + 1; at < end; at += 1) {
    pair = ((pair & 31) << 5) | (text.charCodeAt(at) & 31);
    if (RARE[pair] === 1) count += 1;
  }
  return count;
}
