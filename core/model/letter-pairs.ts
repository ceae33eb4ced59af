/**
 * Pairs of letters that English words rarely hold (fewer than one pair in 5,000, over 10,000 words of documentation and
 * prose). Tokenizers know most English words whole; a word with such a pair, which is a name, an abbreviation, random or of
 * another language, is cut about once more for each.
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
/** Of two ASCII letters of either case, the lower five bits name the letter. */
const RARE = Uint8Array.from({ length: 1024 }, (_, pair) => {
  const [first, second] = [pair >> 5, pair & 31].map((letter) => String.fromCharCode(LETTER_A - 1 + letter));
  return getOwn(RARE_AFTER, first ?? "")?.includes(second ?? "") === true ? 1 : 0;
});

/** How many rare pairs the ASCII letters of `text` from `start` to before `end` hold. */
export function countRarePairs(text: string, start: number, end: number): number {
  let count = 0;
  let pair = text.charCodeAt(start) & 31;
  for (let at = start + 1; at < end; at += 1) {
    pair = ((pair & 31) << 5) | (text.charCodeAt(at) & 31);
    if (RARE[pair] === 1) count += 1;
  }
  return count;
}
