/** Collects the values that a search finds in one text. */
import type { ByteAutomaton } from "../lib/byte-automaton.ts";

/** A stretch of a text, from byte `start` to before byte `end`, and the number of its value. */
export interface FoundValue {
  start: number;
  end: number;
  readonly value: number;
}

export class FoundValues {
  /** The stretches, unordered. Stretches of one value overlap only if they were found separately. */
  readonly found: FoundValue[] = [];
  readonly #automaton: ByteAutomaton;
  /** The numbers of all values, if requested, and the states that were counted. */
  readonly #all: Set<number> | null;
  readonly #seen = new Set<number>();
  /** The latest stretch of each value. */
  readonly #last: FoundValue[] = [];

  /** `all` receives the number of every value, also of nested ones. */
  constructor(automaton: ByteAutomaton, all: Set<number> | null) {
    this.#automaton = automaton;
    this.#all = all;
  }

  /** Adds a value that ends in `state`. It is joined with an overlapping latest stretch of the same value. */
  add(state: number, value: number, start: number, end: number): void {
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
}
