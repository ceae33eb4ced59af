/**
 * Finds the values of secrets in a text, in one pass over each way of reading it: as it is, with the escapes of URLs, JSON
 * and HTML decoded (`spelled-search.ts`), its stretches of base64 and hex decoded, and as UTF-16. One automaton serves all
 * readings, so the time grows with the text's length, not with the number of secrets. ASCII letters match in any case.
 */
import { ByteAutomaton, ROOT } from "../lib/byte-automaton.ts";
import { BASE64, BYTES, HEX, NO_DIGIT, SMALL } from "./byte-tables.ts";
import { type FoundValue, FoundValues } from "./found-values.ts";
import { SpelledSearch, TooManyReadings, type Wanted } from "./spelled-search.ts";
import { startsEscape, encodeUtf8 } from "./spellings.ts";

const BITS_OF_BASE64 = 6;
/** A shorter value has fewer than four base64 digits of its own, which any text may contain. */
const MIN_BYTES_IN_BASE64 = 3;
const EQUALS = 0x3d;

/** For each reading as UTF-16: its first byte, and the offsets of the higher and the lower byte in a pair. */
const ORDERS = [
  [0, 1, 0],
  [0, 0, 1],
  [1, 1, 0],
  [1, 0, 1],
] as const;

/** Finds the given values in texts. */
export class SecretFinder {
  readonly #wanted: Wanted;
  /** 16-bit units of each value. */
  readonly #units: readonly number[];
  readonly #shortest: number;
  /** False when the UTF-16 of every value has a zero byte. */
  readonly #hasWideValue: boolean;
  /** Bytes that begin an escape which matters for these values. */
  readonly #opens: Uint8Array;

  /** `values` are non-empty texts. Of equal ones the first is found. */
  constructor(values: readonly string[]) {
    const encoder = new TextEncoder();
    const words = values.map((value) => encoder.encode(value).map((byte) => SMALL[byte] ?? 0));
    const lengths = words.map(({ length }) => length);
    this.#wanted = { automaton: new ByteAutomaton(words), lengths, begins: listBeginnings(words) };
    this.#units = values.map(({ length }) => length);
    this.#shortest = lengths.reduce((least, length) => Math.min(least, length), Number.MAX_SAFE_INTEGER);
    this.#hasWideValue = values.some((value) => !hasNarrowUnit(value));
    const hasLatin = values.some(hasLatinLetter);
    this.#opens = Uint8Array.from({ length: BYTES }, (_, byte) =>
      startsEscape(byte) && (byte < 0x80 || hasLatin) ? 1 : 0,
    );
  }

  /** Finds the stretches with values, in no order. Stretches of two values may overlap. */
  find(text: Uint8Array): FoundValue[] {
    const values = new FoundValues(this.#wanted.automaton, null);
    return this.#pass(text, values) ? values.found : [{ start: 0, end: text.length, value: 0 }];
  }

  /** The numbers of all values in the text, also of nested ones. */
  present(text: Uint8Array): ReadonlySet<number> {
    const all = new Set<number>();
    const isWhole = this.#pass(text, new FoundValues(this.#wanted.automaton, all));
    return isWhole ? all : new Set(this.#wanted.lengths.keys());
  }

  /** False when the text has too many readings: then the whole text counts as found. */
  #pass(text: Uint8Array, found: FoundValues): boolean {
    try {
      new SpelledSearch(this.#wanted, found).read(text, this.#opens);
    } catch (thrown) {
      if (thrown instanceof TooManyReadings) return false;
      throw thrown;
    }
    const search = new DecodedSearch(text, this.#wanted, found);
    search.readDigits(this.#shortest);
    if (this.#hasWideValue || text.includes(0)) search.readUtf16(this.#units);
    return true;
  }
}

/** Searches one text with its base64, hex and UTF-16 decoded. */
class DecodedSearch {
  readonly #text: Uint8Array;
  readonly #automaton: ByteAutomaton;
  readonly #lengths: readonly number[];
  readonly #begins: Uint8Array;
  readonly #found: FoundValues;

  constructor(text: Uint8Array, { automaton, lengths, begins }: Wanted, found: FoundValues) {
    this.#text = text;
    this.#automaton = automaton;
    this.#lengths = lengths;
    this.#begins = begins;
    this.#found = found;
  }

  /** Reads stretches of base64, and of hex inside them: hex digits are base64 digits too. */
  readDigits(shortest: number): void {
    const [least, leastHex] = [Math.ceil((8 * shortest) / BITS_OF_BASE64), 2 * shortest];
    this.#eachRun(BASE64, 0, this.#text.length, least, (start, end) => {
      this.#readBase64(start, end);
      this.#eachRun(HEX, start, end, leastHex, (from, to) => this.#readHex(from, to));
    });
  }

  /** Reads a stretch of hex from its first digit and from its second. */
  #readHex(start: number, end: number): void {
    const [text, automaton] = [this.#text, this.#automaton];
    for (const from of [start, start + 1]) {
      let state = ROOT;
      for (let at = from; at + 1 < end; at += 2) {
        const byte = ((HEX[text[at] ?? 0] ?? 0) << 4) | (HEX[text[at + 1] ?? 0] ?? 0);
        state = automaton.next(state, SMALL[byte] ?? 0);
        if (!automaton.endsWord(state)) continue;
        const value = automaton.longestWord(state);
        this.#found.add(state, value, at + 2 - 2 * (this.#lengths[value] ?? 0), at + 2);
      }
    }
  }

  /**
   * Reads a stretch of base64. A value may begin at every second bit of it, so there are four alignments. Decoding
   * starts wherever the first two bytes of a value occur, at no position twice in one alignment. The ends may contain
   * bits of a value, so the whole stretch counts as found.
   */
  #readBase64(start: number, end: number): void {
    const [text, begins] = [this.#text, this.#begins];
    const readUntil = [0, 0, 0, 0];
    let window = 0;
    for (let at = start; at < end; at += 1) {
      window = ((window << BITS_OF_BASE64) | (BASE64[text[at] ?? 0] ?? 0)) & 0xffffff;
      const bits = (at - start - 3) * BITS_OF_BASE64;
      if (bits < 0) continue;
      for (let offset = 0; offset < BITS_OF_BASE64; offset += 2) {
        if (begins[(window >> (8 - offset)) & 0xffff] !== 1) continue;
        const from = bits + offset;
        const cut = (from & 7) >> 1;
        if (from >= (readUntil[cut] ?? 0)) readUntil[cut] = this.#decodeFrom(start, end, from);
      }
    }
  }

  /** Decodes a stretch of base64 from a bit on while a value continues. Returns the bit where it stopped. */
  #decodeFrom(start: number, end: number, from: number): number {
    const [text, automaton] = [this.#text, this.#automaton];
    const last = (end - start) * BITS_OF_BASE64 - 8;
    let state = ROOT;
    let bit = from;
    for (; bit <= last; bit += 8) {
      const at = start + Math.floor(bit / BITS_OF_BASE64);
      const digits = ((BASE64[text[at] ?? 0] ?? 0) << BITS_OF_BASE64) | (BASE64[text[at + 1] ?? 0] ?? 0);
      state = automaton.next(state, SMALL[(digits >> (4 - (bit % BITS_OF_BASE64))) & 0xff] ?? 0);
      if (state === ROOT) return bit + 8;
      if (!automaton.endsWord(state)) continue;
      const value = automaton.longestWord(state);
      if ((this.#lengths[value] ?? 0) >= MIN_BYTES_IN_BASE64)
        this.#found.add(state, value, start, this.#paddedEnd(end));
    }
    return bit;
  }

  /** Reads the text as UTF-16 of both byte orders, from its first byte and from its second. `units`: of each value. */
  readUtf16(units: readonly number[]): void {
    const [text, automaton] = [this.#text, this.#automaton];
    for (const [from, high, low] of ORDERS) {
      let state = ROOT;
      for (let at = from; at + 1 < text.length; at += 2) {
        const unit = ((text[at + high] ?? 0) << 8) | (text[at + low] ?? 0);
        if (unit < 0x80) state = automaton.next(state, SMALL[unit] ?? 0);
        else {
          const next =
            unit >= 0xd800 && unit <= 0xdbff ? ((text[at + 2 + high] ?? 0) << 8) | (text[at + 2 + low] ?? 0) : 0;
          const isPair = next >= 0xdc00 && next <= 0xdfff;
          if (isPair) at += 2;
          const point = isPair ? 0x10000 + ((unit - 0xd800) << 10) + (next - 0xdc00) : unit;
          for (const byte of encodeUtf8(point)) state = automaton.next(state, byte);
        }
        if (!automaton.endsWord(state)) continue;
        const value = automaton.longestWord(state);
        this.#found.add(state, value, at + 2 - 2 * (units[value] ?? 0), at + 2);
      }
    }
  }

  /** Calls `run` for each stretch of at least `shortest` digits in a part of the text. */
  #eachRun(
    digits: Uint8Array,
    from: number,
    to: number,
    shortest: number,
    run: (start: number, end: number) => void,
  ): void {
    const text = this.#text;
    for (let at = from; at < to; at += 1) {
      if (digits[text[at] ?? 0] === NO_DIGIT) continue;
      const start = at;
      while (at < to && digits[text[at] ?? 0] !== NO_DIGIT) at += 1;
      if (at - start >= shortest) run(start, at);
    }
  }

  #paddedEnd(end: number): number {
    let padded = end;
    while (this.#text[padded] === EQUALS) padded += 1;
    return padded;
  }
}

/** For each pair of bytes, 1 when a value begins with it, or when the second byte is a whole value. */
function listBeginnings(words: readonly Uint8Array[]): Uint8Array {
  const begins = new Uint8Array(BYTES * BYTES);
  const everyByte = Array.from({ length: BYTES }, (_, byte) => byte);
  const findSpellings = (letter: number) => everyByte.filter((byte) => SMALL[byte] === letter);
  for (const [first = 0, second] of words) {
    const pairs =
      second === undefined ? [everyByte, findSpellings(first)] : [findSpellings(first), findSpellings(second)];
    for (const before of pairs[0] ?? []) for (const byte of pairs[1] ?? []) begins[before * BYTES + byte] = 1;
  }
  return begins;
}

function hasNarrowUnit(value: string): boolean {
  for (let at = 0; at < value.length; at += 1) {
    const unit = value.charCodeAt(at);
    if (unit < 0x100 || (unit & 0xff) === 0) return true;
  }
  return false;
}

function hasLatinLetter(value: string): boolean {
  for (let at = 0; at < value.length; at += 1) {
    const unit = value.charCodeAt(at);
    if (unit > 0x7f && unit < 0x100) return true;
  }
  return false;
}
