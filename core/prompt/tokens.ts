/**
 * Estimates token counts without a tokenizer: one pass over the characters, a cost per word, number, sign and letter. The
 * costs are fitted to o200k and cl100k; `test/pure/tokens.test.ts` measures the error (at most 10 % for prose, code, JSON
 * and tool specifications). Latin text costs the same in both encodings; most other scripts cost up to four times as much
 * in cl100k.
 */
import type { Message } from "../messages.ts";

/** The encodings that the costs are fitted to. */
export type Encoding = "o200k" | "cl100k";

/** Role and separators of one message. */
const TOKENS_PER_MESSAGE = 4;
/** The frame of one tool call in a message. */
const TOKENS_PER_CALL = 8;

/** A word after a space, after anything else, and inside a longer word (`camelCase`, `x7f`). */
const [AFTER_SPACE, AFTER_SIGN, INSIDE] = [0.6, 1, 1.1];
/** Each letter of a word from the 5th, the 9th and the 17th on. */
const [LETTER_5, LETTER_9, LETTER_17] = [0.3, 0.1, 0.4];
/** Each letter of an inner word from the 5th to the 8th: random text, such as base64, has few known words. */
const INNER_LETTER_5 = 0.75;
/** Two or more capitals, each further one, and each small letter after them from the 4th on. */
const [CAPITALS, CAPITAL, AFTER_CAPITALS] = [1.9, 0.1, 0.25];
/** Three digits; a number after a space does not share a token with it. */
const [DIGITS, SPACE_BEFORE_DIGITS] = [1.1, 0.9];
const [SPACES, TAB, LINES, LINES_AFTER_SIGN] = [0.4, 1, 2, 0.3];
/** Blanks that one token holds at most. */
const BLANKS_OF_TOKEN = 64;
/** Signs in a row, more after a space; each repeated one, and each other one from the 5th on. */
const [SIGNS, SPACE_BEFORE_SIGNS, REPEATED_SIGN, SIGN_5] = [0.5, 0.75, 0.1, 0.6];

/** Tokens per UTF-16 unit outside ASCII, up to a code that is a multiple of 16: `[end, o200k, cl100k]`. */
const SCRIPTS: readonly (readonly [end: number, o200k: number, cl100k: number])[] = [
  // Control characters and signs of Latin-1.
  [0x00c0, 1, 1],
  // Latin with accents.
  [0x0250, 0.25, 1.25],
  [0x0370, 1, 1],
  // Greek.
  [0x0400, 0.39, 1.02],
  // Cyrillic; letters of Ukrainian, Serbian and Belarusian; more Cyrillic.
  [0x0450, 0.32, 0.52],
  [0x0460, 1.3, 2.6],
  [0x0530, 0.32, 0.52],
  // Armenian.
  [0x0590, 0.37, 2.1],
  // Hebrew.
  [0x0600, 0.54, 1.13],
  // Arabic.
  [0x0900, 0.36, 0.84],
  // Devanagari, Bengali, Gurmukhi, Gujarati and Oriya, Tamil, Telugu, Kannada to Sinhala.
  [0x0980, 0.37, 1.18],
  [0x0a00, 0.42, 1.38],
  [0x0a80, 0.58, 1.95],
  [0x0b80, 0.44, 1.97],
  [0x0c00, 0.37, 1.5],
  [0x0c80, 0.47, 1.97],
  [0x0e00, 0.39, 1.78],
  // Thai and Lao, then Tibetan and Burmese.
  [0x0f00, 0.41, 0.93],
  [0x10a0, 0.53, 1.83],
  // Georgian, then Jamo.
  [0x1100, 0.37, 2.1],
  [0x1200, 0.7, 1.1],
  [0x1780, 2, 3],
  // Khmer.
  [0x1800, 0.53, 1.83],
  [0x1e00, 2, 3],
  // Vietnamese, then polytonic Greek.
  [0x1f00, 0.25, 1.25],
  [0x2000, 1, 2],
  // Dashes, quotation marks, arrows, symbols.
  [0x2e80, 0.8, 1],
  [0x3040, 1.3, 2.2],
  // Kana, then Han, then Hangul.
  [0x3100, 0.58, 0.91],
  [0x3400, 1.3, 2.2],
  [0xa000, 0.72, 0.98],
  [0xac00, 2, 3],
  [0xd7b0, 0.7, 1.1],
  [0xd800, 2, 3],
  // Halves of code points above U+FFFF.
  [0xe000, 0.9, 1.5],
  // Private use.
  [0xf900, 3, 3],
  [0xfb00, 1, 2],
  [0xfe00, 1, 1.5],
  // Full-width forms.
  [0x10000, 1.3, 2.2],
];

/** What each block of 16 codes costs. */
const COSTS: Readonly<Record<Encoding, Float64Array>> = {
  o200k: costsOfBlocks(([, cost]) => cost),
  cl100k: costsOfBlocks(([, , cost]) => cost),
};

const [SIGN, SMALL, LARGE, DIGIT, SPACE, LINE, TABULATOR, OTHER] = [0, 1, 2, 3, 4, 5, 6, 7];
/** The kind of each ASCII character. */
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => kindOfAscii(code));

/** The estimated tokens of a text, as a whole number. Linear: twice the time of a loop over the characters. */
export function estimateTokens(text: string, encoding: Encoding = "o200k"): number {
  return Math.ceil(measureTokens(text, encoding));
}

/** The estimated tokens of a text, not rounded, so that those of its pieces can be added up. */
export function measureTokens(text: string, encoding: Encoding = "o200k"): number {
  const costs = COSTS[encoding];
  const { length } = text;
  let tokens = 0;
  let before = LINE;
  for (let at = 0; at < length; ) {
    const code = text.charCodeAt(at);
    const kind = kindOf(code);
    let end = at + 1;
    switch (kind) {
      case OTHER:
        tokens += costs[code >> 4] ?? 1;
        break;
      case SMALL:
      case LARGE: {
        if (kind === LARGE) while (end < length && kindOf(text.charCodeAt(end)) === LARGE) end += 1;
        const capitals = kind === LARGE ? end - at : 0;
        while (end < length && kindOf(text.charCodeAt(end)) === SMALL) end += 1;
        tokens += wordCost(end - at, capitals, before);
        break;
      }
      case DIGIT:
        while (end < length && kindOf(text.charCodeAt(end)) === DIGIT) end += 1;
        tokens += Math.ceil((end - at) / 3) * DIGITS + (before === SPACE ? SPACE_BEFORE_DIGITS : 0);
        break;
      case SIGN: {
        let repeated = 0;
        for (; end < length && kindOf(text.charCodeAt(end)) === SIGN; end += 1) {
          if (text.charCodeAt(end) === text.charCodeAt(end - 1)) repeated += 1;
        }
        tokens += SIGNS + (before === SPACE ? SPACE_BEFORE_SIGNS : 0) + repeated * REPEATED_SIGN;
        tokens += Math.max(0, end - at - repeated - 4) * SIGN_5;
        break;
      }
      default:
        while (end < length && kindOf(text.charCodeAt(end)) === kind) end += 1;
        tokens += blankCost(kind, end - at, before);
    }
    before = kind;
    at = end;
  }
  return tokens;
}

/** The estimated tokens of messages as a request holds them. */
export function estimateMessages(messages: readonly Message[], encoding: Encoding = "o200k"): number {
  let tokens = 0;
  for (const message of messages) {
    tokens += TOKENS_PER_MESSAGE + measureTokens(message.content, encoding);
    if (message.role !== "assistant") continue;
    for (const call of message.calls ?? []) {
      tokens += TOKENS_PER_CALL + measureTokens(call.name, encoding) + measureTokens(call.arguments, encoding);
    }
  }
  return Math.ceil(tokens);
}

function wordCost(length: number, capitals: number, before: number): number {
  if (capitals > 1) {
    return CAPITALS + (capitals - 2) * CAPITAL + Math.max(0, length - capitals - 3) * AFTER_CAPITALS;
  }
  const isInside = before === SMALL || before === LARGE || before === DIGIT || before === OTHER;
  const begin = isInside ? INSIDE : before === SPACE ? AFTER_SPACE : AFTER_SIGN;
  if (length <= 4) return begin;
  const more = Math.min(4, length - 4) * (isInside ? INNER_LETTER_5 : LETTER_5);
  return begin + more + Math.min(8, Math.max(0, length - 8)) * LETTER_9 + Math.max(0, length - 16) * LETTER_17;
}

function blankCost(kind: number, length: number, before: number): number {
  const more = Math.floor(length / BLANKS_OF_TOKEN);
  if (kind === SPACE) return (length > 1 ? SPACES : 0) + more;
  if (kind === TABULATOR) return TAB + more;
  return (before === SIGN ? LINES_AFTER_SIGN : LINES) + more;
}

function kindOf(code: number): number {
  return code < 128 ? (KINDS[code] ?? OTHER) : OTHER;
}

function kindOfAscii(code: number): number {
  if (code >= 97 && code <= 122) return SMALL;
  if (code >= 65 && code <= 90) return LARGE;
  if (code >= 48 && code <= 57) return DIGIT;
  if (code === 32) return SPACE;
  if (code === 10 || code === 13) return LINE;
  if (code === 9) return TABULATOR;
  return code < 32 || code === 127 ? OTHER : SIGN;
}

function costsOfBlocks(cost: (row: (typeof SCRIPTS)[number]) => number): Float64Array {
  const costs = new Float64Array(4096);
  let block = 0;
  for (const row of SCRIPTS) for (; block < row[0] >> 4; block += 1) costs[block] = cost(row);
  return costs;
}
