/**
 * Estimates token counts without a tokenizer: one pass over the characters, a cost per word, number, sign and letter. A word
 * after a space is at least one token, as in every tokenizer. The costs are fitted to o200k and cl100k;
 * `test/unit/model/tokens.test.ts` measures the error (at most 10 % for prose, code, JSON, tables and tool specifications). English
 * text costs the same in both encodings; most other scripts cost up to four times as much in cl100k.
 */
import type { Message } from "./messages.ts";
import { countRarePairs } from "./letter-pairs.ts";

/** The encodings that the costs are fitted to. */
export type Encoding = "o200k" | "cl100k";

/** Role and separators of one message. */
const TOKENS_PER_MESSAGE = 4;
/** The frame of one tool call in a message. */
const TOKENS_PER_CALL = 8;

/** A word after a space or at the start of a line, after a sign, and inside a longer word (`camelCase`, `x7f`). */
const [AFTER_SPACE, AFTER_SIGN, INSIDE] = [1, 0.9, 1];
/** Each letter of a word after a sign from the 6th on, of an inner word from the 4th on. */
const [LETTER_6, INNER_LETTER_4] = [0.11, 0.12];
/** Each rare pair of letters in a word of four letters or more after a space, in one after a sign, and in an inner one. */
const RARE_PAIR: Readonly<Record<Encoding, number>> = { o200k: 0.95, cl100k: 1.15 };
const [RARE_PAIR_AFTER_SIGN, INNER_RARE_PAIR] = [0.9, 1.2];
/** The rest of a word after a letter with an accent, and each letter of it from the 4th on. */
const AFTER_ACCENT: Readonly<Record<Encoding, number>> = { o200k: 0.15, cl100k: 0.55 };
const LETTER_4_AFTER_ACCENT = 1.3;
/** `'t`, `'s`, `'ll` after a word. */
const CONTRACTION: Readonly<Record<Encoding, number>> = { o200k: 0.1, cl100k: 1.05 };
/** Two or more capitals, each one from the 4th on, and each small letter after them from the 3rd on. */
const [CAPITALS, CAPITAL_4, AFTER_CAPITALS_3] = [1.08, 0.11, 0.6];
/** Up to three digits; a number after a space does not share a token with it. */
const [DIGITS, SPACE_BEFORE_DIGITS] = [1.02, 1.05];
/** Blanks in a row; lines after a sign share its token. */
const [SPACES, TAB, LINES] = [1, 0.65, 1];
/** The most blanks of one token. */
const BLANKS_OF_TOKEN = 64;
/** One sign before a word; other signs in a row, each repeated one, each other one from the 3rd and from the 5th on. */
const [SIGN_BEFORE_WORD, SIGNS, REPEATED_SIGN, SIGN_3, SIGN_5] = [0.16, 0.95, 0.3, 0.14, 0.46];

/** Tokens per UTF-16 unit outside ASCII, up to a code that is a multiple of 16: `[end, o200k, cl100k]`. */
const SCRIPTS: readonly (readonly [end: number, o200k: number, cl100k: number])[] = [
  // Control characters and signs of Latin-1.
  [0x00c0, 1, 1],
  // Latin with accents.
  [0x0250, 0.45, 1.25],
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
  [0x1f00, 0.1, 0.12],
  [0x2000, 1, 2],
  // Dashes and quotation marks, then arrows and symbols.
  [0x2070, 0.45, 0.45],
  [0x2e80, 1, 1.3],
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

/** The cost of each block of 16 codes. */
const COSTS: Readonly<Record<Encoding, Float64Array>> = {
  o200k: createBlockCosts(([, cost]) => cost),
  cl100k: createBlockCosts(([, , cost]) => cost),
};

const [SIGN, SMALL, LARGE, DIGIT, SPACE, LINE, TABULATOR, ACCENT, OTHER] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
const APOSTROPHE = 39;
/** The kind of each UTF-16 unit. */
const KINDS = Uint8Array.from({ length: 65_536 }, (_, code) => classify(code));

/** Estimates the tokens of a text, rounded up. Linear: some four times the time of a loop over the characters. */
export function estimateTokens(text: string, encoding: Encoding = "o200k"): number {
  return Math.ceil(measureTokens(text, encoding));
}

/** Estimates the tokens of a text without rounding, so that pieces can be added up. */
export function measureTokens(text: string, encoding: Encoding = "o200k"): number {
  const costs = COSTS[encoding];
  const { length } = text;
  let tokens = 0;
  let before = LINE;
  for (let at = 0; at < length; ) {
    const code = text.charCodeAt(at);
    const kind = getKind(code);
    let end = at + 1;
    let last = kind;
    switch (kind) {
      case ACCENT:
      case OTHER:
        tokens += costs[code >> 4] ?? 1;
        break;
      case SMALL:
      case LARGE: {
        if (kind === LARGE) end = findRunEnd(text, end, LARGE);
        const capitals = kind === LARGE ? end - at : 0;
        end = findRunEnd(text, end, SMALL);
        tokens += capitals > 1 ? costCapitals(end - at, capitals) : costWord(text, at, end, before, encoding);
        break;
      }
      case DIGIT:
        end = findRunEnd(text, end, DIGIT);
        tokens += Math.ceil((end - at) / 3) * DIGITS + (before === SPACE ? SPACE_BEFORE_DIGITS : 0);
        break;
      case SIGN:
        if (code === APOSTROPHE && before === SMALL && isContraction(text, end)) {
          end = findRunEnd(text, end, SMALL);
          last = SMALL;
          tokens += CONTRACTION[encoding];
        } else {
          end = findRunEnd(text, end, SIGN);
          tokens += costSigns(text, at, end, before);
        }
        break;
      default:
        end = findRunEnd(text, end, kind);
        tokens += costBlanks(kind, end - at, before);
    }
    before = last;
    at = end;
  }
  return tokens;
}

/** Estimates the tokens of messages in a request. */
export function estimateMessages(messages: readonly Message[], encoding: Encoding = "o200k"): number {
  let tokens = 0;
  for (const message of messages) {
    tokens += getMessageTokens(message, encoding);
  }
  return Math.ceil(tokens);
}

/** The sizes of messages of running tasks. */
const sizes: Readonly<Record<Encoding, WeakMap<Message, number>>> = { o200k: new WeakMap(), cl100k: new WeakMap() };

function getMessageTokens(message: Message, encoding: Encoding): number {
  const known = sizes[encoding].get(message);
  if (known !== undefined) return known;
  let tokens = TOKENS_PER_MESSAGE + measureTokens(message.content, encoding);
  const calls = message.role === "assistant" ? (message.calls ?? []) : [];
  for (const call of calls) {
    tokens += TOKENS_PER_CALL + measureTokens(call.name, encoding) + measureTokens(call.arguments, encoding);
  }
  sizes[encoding].set(message, tokens);
  return tokens;
}

/** Returns the cost of a word of small letters, which may begin with a capital. */
function costWord(text: string, start: number, end: number, before: number, encoding: Encoding): number {
  const length = end - start;
  if (before === ACCENT) return AFTER_ACCENT[encoding] + Math.max(0, length - 3) * LETTER_4_AFTER_ACCENT;
  if (before === SPACE) {
    return AFTER_SPACE + (length < 4 ? 0 : countRarePairs(text, start, end) * RARE_PAIR[encoding]);
  }
  const rare = countRarePairs(text, start, end);
  const isInside = before === SMALL || before === LARGE || before === DIGIT;
  return isInside
    ? INSIDE + Math.max(0, length - 3) * INNER_LETTER_4 + rare * INNER_RARE_PAIR
    : (before === LINE ? AFTER_SPACE : AFTER_SIGN) + Math.max(0, length - 5) * LETTER_6 + rare * RARE_PAIR_AFTER_SIGN;
}

function costCapitals(length: number, capitals: number): number {
  return CAPITALS + Math.max(0, capitals - 3) * CAPITAL_4 + Math.max(0, length - capitals - 2) * AFTER_CAPITALS_3;
}

function costSigns(text: string, start: number, end: number, before: number): number {
  const length = end - start;
  if (length === 1 && before !== SPACE && isLetter(text.charCodeAt(end))) return SIGN_BEFORE_WORD;
  let repeated = 0;
  for (let at = start + 1; at < end; at += 1) if (text.charCodeAt(at) === text.charCodeAt(at - 1)) repeated += 1;
  const others = length - repeated;
  return SIGNS + repeated * REPEATED_SIGN + Math.max(0, others - 2) * SIGN_3 + Math.max(0, others - 4) * SIGN_5;
}

function costBlanks(kind: number, length: number, before: number): number {
  const more = Math.floor(length / BLANKS_OF_TOKEN);
  if (kind === SPACE) return (length > 1 ? SPACES : 0) + more;
  if (kind === TABULATOR) return TAB + more;
  return (before === SIGN ? 0 : LINES) + more;
}

/** True for one or two small letters that end a word, such as those of `don't` and `we'll`. */
function isContraction(text: string, start: number): boolean {
  const end = findRunEnd(text, start, SMALL);
  const next = getKind(text.charCodeAt(end));
  return end - start >= 1 && end - start <= 2 && next !== LARGE && next !== DIGIT && next !== ACCENT;
}

/** Returns the end of a run of characters of one kind from `start`. */
function findRunEnd(text: string, start: number, kind: number): number {
  const { length } = text;
  let end = start;
  while (end < length && KINDS[text.charCodeAt(end)] === kind) end += 1;
  return end;
}

function isLetter(code: number): boolean {
  const kind = getKind(code);
  return kind === SMALL || kind === LARGE;
}

/** Returns the kind of a UTF-16 unit; `OTHER` for `NaN`, the code after the end of a text. */
function getKind(code: number): number {
  return KINDS[code] ?? OTHER;
}

function classify(code: number): number {
  if (code >= 97 && code <= 122) return SMALL;
  if (code >= 65 && code <= 90) return LARGE;
  if (code >= 48 && code <= 57) return DIGIT;
  if (code === 32) return SPACE;
  if (code === 10 || code === 13) return LINE;
  if (code === 9) return TABULATOR;
  if ((code >= 0xc0 && code < 0x250) || (code >= 0x1e00 && code < 0x1f00)) return ACCENT;
  return code < 32 || code >= 127 ? OTHER : SIGN;
}

function createBlockCosts(cost: (row: (typeof SCRIPTS)[number]) => number): Float64Array {
  const costs = new Float64Array(4096);
  let block = 0;
  for (const row of SCRIPTS) for (; block < row[0] >> 4; block += 1) costs[block] = cost(row);
  return costs;
}
