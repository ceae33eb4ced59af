/**
 * Finds the values of secrets in a text, in one pass over each way of reading it: as it is, with the escapes of URLs, JSON
 * and HTML read back wherever they stand, and its stretches of base64 and hex and its UTF-16 decoded. Every reading is fed to
 * one automaton, so that the time grows with the text's length, however many secrets there are.
 *
 * An escape can be read in two ways, as itself and as what it stands for. Both are followed where the automaton can go on
 * from both. That is bounded (`MAX_EXTRA_WORK`): where a text has too many readings, all of it counts as found.
 * Case means nothing in ASCII.
 */
import { ByteAutomaton, ROOT } from "../lib/byte-automaton.ts";
import { BASE64, HEX, NO_DIGIT, SMALL } from "./byte-tables.ts";
import { beginsSpelling, type Spelling, spellingsAt, utf8Of } from "./spellings.ts";

/** A stretch of the text, to its end without it, and the number of the value that it holds. */
export interface FoundValue {
  start: number;
  end: number;
  readonly value: number;
}

/** Steps for other readings than the plain one, in one text; each takes up to 50 ns. */
const MAX_EXTRA_WORK = 1_000_000;
/** Places at which readings wait: more than the longest spelling, of 12 bytes, is wide. */
const WAITING = 16;
const BITS_OF_BASE64 = 6;
/** A shorter value has fewer than four digits of base64 of its own, which stand in any text. */
const MIN_BYTES_IN_BASE64 = 3;
const [EQUALS, BYTES] = [0x3d, 256];

/** Where UTF-16 begins, and where in each pair the higher and the lower byte are. */
const ORDERS = [
  [0, 1, 0],
  [0, 0, 1],
  [1, 1, 0],
  [1, 0, 1],
] as const;

/** One reading of the text up to a place, which read escapes back. */
interface Reading {
  readonly state: number;
  readonly last: Escape;
}

/** An escape that a reading read back, and the one before it. */
interface Escape {
  readonly at: number;
  readonly width: number;
  readonly bytes: number;
  readonly before: Escape | null;
}

/** Thrown when the extra work is used up. */
class TooManyReadings extends Error {
  override readonly name = "TooManyReadings";
}

/** Values that can be looked for. */
export class SecretFinder {
  readonly #automaton: ByteAutomaton;
  /** Bytes of each value, and its 16-bit units. */
  readonly #lengths: readonly number[];
  readonly #units: readonly number[];
  readonly #shortest: number;
  /** False: the UTF-16 of every value has a byte that is 0. */
  readonly #hasWideValue: boolean;
  /** Bytes that begin a spelling, of those that can matter to these values. */
  readonly #opens: Uint8Array;
  /** Two bytes with which a value can begin: most of a text needs no look at the automaton. */
  readonly #begins: Uint8Array;

  /** `values` are not empty texts. Of equal ones the first is found. */
  constructor(values: readonly string[]) {
    const encoder = new TextEncoder();
    const words = values.map((value) => encoder.encode(value).map((byte) => SMALL[byte] ?? 0));
    this.#automaton = new ByteAutomaton(words);
    this.#lengths = words.map(({ length }) => length);
    this.#units = values.map(({ length }) => length);
    this.#shortest = this.#lengths.reduce((least, length) => Math.min(least, length), Number.MAX_SAFE_INTEGER);
    this.#hasWideValue = values.some((value) => !hasNarrowUnit(value));
    const hasLatin = values.some(hasLatinLetter);
    this.#begins = beginningsOf(words);
    this.#opens = Uint8Array.from({ length: BYTES }, (_, byte) =>
      beginsSpelling(byte) && (byte < 0x80 || hasLatin) ? 1 : 0,
    );
  }

  /** Where values stand, in no order. Stretches of two values may overlap; those of one do only where they were found apart. */
  find(text: Uint8Array): FoundValue[] {
    const search = new Search(text, this.#automaton, this.#lengths, this.#begins);
    if (!this.#pass(search)) return [{ start: 0, end: text.length, value: 0 }];
    return search.found;
  }

  /** The numbers of all values in the text, also of those that stand inside of another one. */
  present(text: Uint8Array): ReadonlySet<number> {
    const all = new Set<number>();
    const search = new Search(text, this.#automaton, this.#lengths, this.#begins, all);
    return this.#pass(search) ? all : new Set(this.#lengths.keys());
  }

  #pass(search: Search): boolean {
    try {
      search.readSpelled(this.#opens);
    } catch (thrown) {
      if (thrown instanceof TooManyReadings) return false;
      throw thrown;
    }
    search.readDigits(this.#shortest);
    if (this.#hasWideValue || search.hasZero) search.readUtf16(this.#units);
    return true;
  }
}

/** One search through one text. */
class Search {
  readonly found: FoundValue[] = [];
  readonly #text: Uint8Array;
  readonly #automaton: ByteAutomaton;
  readonly #lengths: readonly number[];
  readonly #begins: Uint8Array;
  /** When wanted, every value that was found; and the states whose words it has. */
  readonly #all: Set<number> | null;
  readonly #seen = new Set<number>();
  /** The stretch of each value that was found last. */
  readonly #last: FoundValue[] = [];
  #extra = MAX_EXTRA_WORK;

  constructor(
    text: Uint8Array,
    automaton: ByteAutomaton,
    lengths: readonly number[],
    begins: Uint8Array,
    all: Set<number> | null = null,
  ) {
    this.#text = text;
    this.#automaton = automaton;
    this.#lengths = lengths;
    this.#begins = begins;
    this.#all = all;
  }

  get hasZero(): boolean {
    return this.#text.includes(0);
  }

  /** The text as it is, and every way to read its escapes back. */
  readSpelled(opens: Uint8Array): void {
    const [text, automaton] = [this.#text, this.#automaton];
    const waiting: Reading[][] = Array.from({ length: WAITING }, () => []);
    let waits = 0;
    let readings: Reading[] = [];
    const begins = this.#begins;
    // `ROOT` also where the last byte alone begins a value: that is looked at together with the next one.
    let plain = ROOT;
    for (let at = 0; at < text.length; at += 1) {
      const raw = text[at] ?? 0;
      const before = at === 0 ? -1 : (text[at - 1] ?? 0);
      const mayBegin = before < 0 || begins[before * BYTES + raw] === 1;
      if (plain === ROOT && !mayBegin && opens[raw] !== 1 && waits === 0 && readings.length === 0) continue;
      if (waits > 0) {
        const arrived = waiting[at % WAITING] ?? [];
        waits -= arrived.length;
        for (const reading of arrived.splice(0)) this.#join(readings, reading, at);
      }
      if (plain === ROOT && before >= 0) plain = automaton.next(ROOT, SMALL[before] ?? 0);
      if (opens[raw] === 1) {
        for (const spelling of spellingsAt(text, at)) {
          const later = waiting[(at + spelling.width) % WAITING] ?? [];
          waits -= later.length;
          this.#readBack(spelling, at, plain, null, later);
          for (const reading of readings) this.#readBack(spelling, at, reading.state, reading.last, later);
          waits += later.length;
        }
      }
      plain = automaton.next(plain, SMALL[raw] ?? 0);
      this.#report(plain, at + 1, null);
      if (readings.length > 0) readings = this.#goOn(readings, SMALL[raw] ?? 0, at + 1);
    }
  }

  /** Stretches of base64 and of hex, whose digits are some of its digits. */
  readDigits(shortest: number): void {
    const [least, leastHex] = [Math.ceil((8 * shortest) / BITS_OF_BASE64), 2 * shortest];
    this.#eachRun(BASE64, 0, this.#text.length, least, (start, end) => {
      this.#readBase64(start, end);
      this.#eachRun(HEX, start, end, leastHex, (from, to) => this.#readHex(from, to));
    });
  }

  /** A stretch of hex, from either of its first two digits on. */
  #readHex(start: number, end: number): void {
    const [text, automaton] = [this.#text, this.#automaton];
    for (const from of [start, start + 1]) {
      let state = ROOT;
      for (let at = from; at + 1 < end; at += 2) {
        const byte = ((HEX[text[at] ?? 0] ?? 0) << 4) | (HEX[text[at + 1] ?? 0] ?? 0);
        state = automaton.next(state, SMALL[byte] ?? 0);
        if (!automaton.endsWord(state)) continue;
        const value = automaton.longestWord(state);
        this.#add(state, value, at + 2 - 2 * (this.#lengths[value] ?? 0), at + 2);
      }
    }
  }

  /**
   * A stretch of base64: a value may begin at every second bit of it. The places that begin with two bytes of a value are
   * decoded from there on, of each of the four ways to cut it into bytes no place twice. The ends of the stretch hold bits
   * of a value too, so that all of it counts as found.
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

  /** Decodes a stretch of base64 from a bit on while it continues a value. Gives the bit up to which it did. */
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
      if ((this.#lengths[value] ?? 0) >= MIN_BYTES_IN_BASE64) this.#add(state, value, start, this.#paddedEnd(end));
    }
    return bit;
  }

  /** The text as UTF-16 of either order, from its first two bytes on. `units`: of each value. */
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
          for (const byte of utf8Of(point)) state = automaton.next(state, byte);
        }
        if (!automaton.endsWord(state)) continue;
        const value = automaton.longestWord(state);
        this.#add(state, value, at + 2 - 2 * (units[value] ?? 0), at + 2);
      }
    }
  }

  /** Calls for every stretch of at least so many bytes that are digits, of a part of the text. */
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

  /** Reads an escape back after what was read; where nothing can come of that, the plain reading says as much. */
  #readBack({ width, bytes }: Spelling, at: number, from: number, before: Escape | null, later: Reading[]): void {
    this.#spend(1);
    let state = from;
    for (const byte of bytes) state = this.#automaton.next(state, SMALL[byte] ?? 0);
    if (state === ROOT) return;
    const last = { at, width, bytes: bytes.length, before };
    this.#report(state, at + width, last);
    later.push({ state, last });
  }

  /** Of two readings in one state the one that began earlier is left: the other one finds nothing more. */
  #join(readings: Reading[], reading: Reading, at: number): void {
    this.#spend(readings.length + 1);
    const same = readings.findIndex(({ state }) => state === reading.state);
    const known = readings[same];
    if (known === undefined) readings.push(reading);
    else if (this.#startOf(reading, at) < this.#startOf(known, at)) readings[same] = reading;
  }

  #goOn(readings: readonly Reading[], byte: number, end: number): Reading[] {
    this.#spend(readings.length);
    const next: Reading[] = [];
    for (const { state: before, last } of readings) {
      const state = this.#automaton.next(before, byte);
      if (state === ROOT) continue;
      this.#report(state, end, last);
      this.#join(next, { state, last }, end);
    }
    return next;
  }

  #startOf({ state, last }: Reading, end: number): number {
    return this.#placeBefore(end, this.#automaton.depth(state), last);
  }

  /** Where the last so many bytes of a reading begin in the text. */
  #placeBefore(end: number, bytes: number, last: Escape | null): number {
    let [place, left] = [end, bytes];
    for (let escape = last; escape !== null && left > 0; escape = escape.before) {
      this.#spend(1);
      const plain = place - escape.at - escape.width;
      if (left <= plain) return place - left;
      left -= plain + escape.bytes;
      place = escape.at;
    }
    return place - Math.max(0, left);
  }

  #report(state: number, end: number, last: Escape | null): void {
    if (!this.#automaton.endsWord(state)) return;
    const value = this.#automaton.longestWord(state);
    this.#add(state, value, this.#placeBefore(end, this.#lengths[value] ?? 0, last), end);
  }

  /** Notes a value; one that overlaps what was found of it last becomes one with that. */
  #add(state: number, value: number, start: number, end: number): void {
    if (this.#all !== null) this.#automaton.addWords(state, this.#all, this.#seen);
    const last = this.#last[value];
    if (last !== undefined && start < last.end && last.start < end) {
      last.start = Math.min(start, last.start);
      last.end = Math.max(end, last.end);
      return;
    }
    const found = { start, end, value };
    this.#last[value] = found;
    this.found.push(found);
  }

  #spend(steps: number): void {
    this.#extra -= steps;
    if (this.#extra < 0) throw new TooManyReadings();
  }
}

/** By two bytes of a text: whether a value begins with them, or is the second one. */
function beginningsOf(words: readonly Uint8Array[]): Uint8Array {
  const begins = new Uint8Array(BYTES * BYTES);
  const everyByte = Array.from({ length: BYTES }, (_, byte) => byte);
  const spelled = (letter: number) => everyByte.filter((byte) => SMALL[byte] === letter);
  for (const [first = 0, second] of words) {
    const pairs = second === undefined ? [everyByte, spelled(first)] : [spelled(first), spelled(second)];
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
