/** Decodes an escaped character at a position of a text, as in URLs, JSON, HTML and forms. */

/** `width` bytes of a text that encode `bytes`, which are UTF-8. */
export interface Spelling {
  readonly width: number;
  readonly bytes: readonly number[];
}

const NONE: readonly Spelling[] = [];
const [PERCENT, AMPERSAND, BACKSLASH, PLUS, HASH, SEMICOLON, SPACE] = [0x25, 0x26, 0x5c, 0x2b, 0x23, 0x3b, 0x20];
const [SMALL_U, SMALL_X] = [0x75, 0x78];
/** Digits of a numeric HTML reference, including leading zeros. */
const MAX_DIGITS = 8;
const HTML_NAMES: ReadonlyMap<string, number> = new Map([
  ["amp", 0x26],
  ["lt", 0x3c],
  ["gt", 0x3e],
  ["quot", 0x22],
  ["apos", 0x27],
]);
const MAX_NAME = 4;
/** The characters after a backslash in JSON and scripts, with their meaning. */
const ESCAPES: ReadonlyMap<number, number> = new Map(
  Object.entries({ n: "\n", r: "\r", t: "\t", b: "\b", f: "\f", '"': '"', "/": "/", "'": "'", "\\": "\\" }).map(
    ([sign, meant]) => [sign.charCodeAt(0), meant.charCodeAt(0)],
  ),
);

/** Whether a byte can begin an escape. Bytes beyond ASCII can, as Latin-1 characters. */
export function startsEscape(byte: number): boolean {
  return byte === PERCENT || byte === AMPERSAND || byte === BACKSLASH || byte === PLUS || byte > 0x7f;
}

/** The decoded readings at a position; several if it is ambiguous. */
export function readEscapes(text: Uint8Array, at: number): readonly Spelling[] {
  const byte = text[at] ?? 0;
  if (byte === PERCENT) return readPercent(text, at);
  if (byte === BACKSLASH) return readBackslash(text, at);
  if (byte === AMPERSAND) return readReference(text, at);
  if (byte === PLUS) return [{ width: 1, bytes: [SPACE] }];
  return byte > 0x7f ? [{ width: 1, bytes: encodeUtf8(byte) }] : NONE;
}

/** `%41`, and `%2541`, which was escaped twice. */
function readPercent(text: Uint8Array, at: number): readonly Spelling[] {
  const byte = readHex(text, at + 1, 2);
  if (byte < 0) return NONE;
  const once = { width: 3, bytes: [byte] };
  const inside = byte === PERCENT ? readHex(text, at + 3, 2) : -1;
  return inside < 0 ? [once] : [once, { width: 5, bytes: [inside] }];
}

/** `\u0041`, two of them for a character beyond 16 bits, `\x41`, and the short ones. */
function readBackslash(text: Uint8Array, at: number): readonly Spelling[] {
  const sign = text[at + 1] ?? 0;
  const letter = toLowerCase(sign);
  const short = ESCAPES.get(letter);
  if (short !== undefined) return [{ width: 2, bytes: [short] }];
  if (letter === SMALL_X) {
    const point = readHex(text, at + 2, 2);
    return point < 0 ? NONE : [{ width: 4, bytes: encodeUtf8(point) }];
  }
  const unit = readUnit(text, at);
  if (unit < 0) return NONE;
  if (unit < 0xd800 || unit > 0xdfff) return [{ width: 6, bytes: encodeUtf8(unit) }];
  const low = readUnit(text, at + 6);
  if (unit > 0xdbff || low < 0xdc00 || low > 0xdfff) return NONE;
  return [{ width: 12, bytes: encodeUtf8(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00)) }];
}

/** The code unit of an escape such as `\u0041`; negative without one. */
function readUnit(text: Uint8Array, at: number): number {
  if (text[at] !== BACKSLASH || toLowerCase(text[at + 1] ?? 0) !== SMALL_U) return -1;
  return readHex(text, at + 2, 4);
}

/** `&amp;`, `&#65;` and `&#x41;`. */
function readReference(text: Uint8Array, at: number): readonly Spelling[] {
  const isNumber = text[at + 1] === HASH;
  const isHex = isNumber && toLowerCase(text[at + 2] ?? 0) === SMALL_X;
  const from = at + (isHex ? 3 : isNumber ? 2 : 1);
  const end = findSemicolon(text, from, isNumber ? MAX_DIGITS : MAX_NAME);
  if (end <= from) return NONE;
  const point = isNumber ? readNumber(text, from, end, isHex ? 16 : 10) : HTML_NAMES.get(readName(text, from, end));
  const isCharacter = point !== undefined && point >= 0 && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
  return isCharacter ? [{ width: end + 1 - at, bytes: encodeUtf8(point) }] : NONE;
}

function findSemicolon(text: Uint8Array, from: number, most: number): number {
  for (let at = from; at <= from + most; at += 1) if (text[at] === SEMICOLON) return at;
  return -1;
}

function readName(text: Uint8Array, from: number, end: number): string {
  return String.fromCharCode(...text.subarray(from, end)).toLowerCase();
}

/** The value of these digits; negative for an invalid digit. */
function readNumber(text: Uint8Array, from: number, end: number, base: number): number {
  let number = 0;
  for (let at = from; at < end; at += 1) {
    const digit = getHexDigit(text[at] ?? 0);
    if (digit < 0 || digit >= base) return -1;
    number = number * base + digit;
  }
  return number;
}

function readHex(text: Uint8Array, from: number, digits: number): number {
  return readNumber(text, from, from + digits, 16);
}

/** The value of a hex digit; negative for another byte. */
export function getHexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = toLowerCase(byte);
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

/** The lower case of an ASCII letter; any other byte unchanged. */
export function toLowerCase(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
}

/** The UTF-8 of a code point. */
export function encodeUtf8(point: number): number[] {
  if (point < 0x80) return [point];
  if (point < 0x800) return [0xc0 | (point >> 6), 0x80 | (point & 0x3f)];
  if (point < 0x10000) return [0xe0 | (point >> 12), 0x80 | ((point >> 6) & 0x3f), 0x80 | (point & 0x3f)];
  return [0xf0 | (point >> 18), 0x80 | ((point >> 12) & 0x3f), 0x80 | ((point >> 6) & 0x3f), 0x80 | (point & 0x3f)];
}
