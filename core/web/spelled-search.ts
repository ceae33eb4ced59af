/**
 * Searches a text with and without its escapes decoded (URLs, JSON, HTML), in one pass.
 *
 * An escape has two readings, plain and decoded. Both continue while the automaton can continue from both. That is
 * limited (`MAX_EXTRA_WORK`): a text with more concurrent readings throws `TooManyReadings`.
 */
import { type ByteAutomaton, ROOT } from "../lib/byte-automaton.ts";
import { BYTES, SMALL } from "./byte-tables.ts";
import type { FoundValues } from "./found-values.ts";
import { type Spelling, readEscapes } from "./spellings.ts";

/** Steps of decoded readings in one text; each takes up to 50 ns. */
const MAX_EXTRA_WORK = 1_000_000;
/** Positions at which readings wait: more than the longest escape, 12 bytes. */
const WAITING = 16;

/** One reading of the text up to a position, with decoded escapes. */
interface Reading {
  readonly state: number;
  readonly last: Escape;
}

/** A decoded escape of a reading, and the one before it. */
interface Escape {
  readonly at: number;
  readonly width: number;
  readonly bytes: number;
  readonly before: Escape | null;
}

/** Thrown when the extra work is used up. */
export class TooManyReadings extends Error {
  override readonly name = "TooManyReadings";
}

/** The values to search for. */
export interface Wanted {
  readonly automaton: ByteAutomaton;
  /** Bytes of each value. */
  readonly lengths: readonly number[];
  /** For each pair of bytes, 1 when a value can begin with it: most of a text needs no step of the automaton. */
  readonly begins: Uint8Array;
}

/** One search of one text. */
export class SpelledSearch {
  readonly #automaton: ByteAutomaton;
  readonly #lengths: readonly number[];
  readonly #begins: Uint8Array;
  readonly #found: FoundValues;
  #extra = MAX_EXTRA_WORK;

  constructor({ automaton, lengths, begins }: Wanted, found: FoundValues) {
    this.#automaton = automaton;
    this.#lengths = lengths;
    this.#begins = begins;
    this.#found = found;
  }

  /** Reads the text. `opens`: for each byte, 1 when it begins an escape. Throws `TooManyReadings`. */
  read(text: Uint8Array, opens: Uint8Array): void {
    const automaton = this.#automaton;
    const waiting: Reading[][] = Array.from({ length: WAITING }, () => []);
    let waits = 0;
    let readings: Reading[] = [];
    const begins = this.#begins;
    // `ROOT` also after a byte that alone begins a value: it is read together with the next one.
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
        for (const spelling of readEscapes(text, at)) {
          const later = waiting[(at + spelling.width) % WAITING] ?? [];
          waits -= later.length;
          this.#readBack(spelling, at, plain, null, later);
          for (const reading of readings) this.#readBack(spelling, at, reading.state, reading.last, later);
          waits += later.length;
        }
      }
      plain = automaton.next(plain, SMALL[raw] ?? 0);
      this.#report(plain, at + 1, null);
      if (readings.length > 0) readings = this.#continue(readings, SMALL[raw] ?? 0, at + 1);
    }
  }

  /** Continues a reading with a decoded escape. A reading that falls back to `ROOT` is dropped: the plain one covers it. */
  #readBack({ width, bytes }: Spelling, at: number, from: number, before: Escape | null, later: Reading[]): void {
    this.#spend(1);
    let state = from;
    for (const byte of bytes) state = this.#automaton.next(state, SMALL[byte] ?? 0);
    if (state === ROOT) return;
    const last = { at, width, bytes: bytes.length, before };
    this.#report(state, at + width, last);
    later.push({ state, last });
  }

  /** Keeps one reading for each state, the earlier one: the other finds no more. */
  #join(readings: Reading[], reading: Reading, at: number): void {
    this.#spend(readings.length + 1);
    const same = readings.findIndex(({ state }) => state === reading.state);
    const known = readings[same];
    if (known === undefined) readings.push(reading);
    else if (this.#getStart(reading, at) < this.#getStart(known, at)) readings[same] = reading;
  }

  #continue(readings: readonly Reading[], byte: number, end: number): Reading[] {
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

  #getStart({ state, last }: Reading, end: number): number {
    return this.#placeBefore(end, this.#automaton.depth(state), last);
  }

  /** The position in the text where the last `bytes` bytes of a reading begin. */
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
    this.#found.add(state, value, this.#placeBefore(end, this.#lengths[value] ?? 0, last), end);
  }

  #spend(steps: number): void {
    this.#extra -= steps;
    if (this.#extra < 0) throw new TooManyReadings();
  }
}
