/** The budget of one calculation. Code that does not wait cannot be interrupted, so costs are counted in advance. */
import type { Turns } from "../../base/turns.ts";
import { MathsError } from "./maths-error.ts";

/** Bits of an integer: about 19,700 digits. */
const MAX_INTEGER_BITS = 65_536;

const WORD_BITS = 64;

/** Counts steps of work until there are too many. One step is about a nanosecond: the product of two 64-bit words. */
export class Work {
  #left: number;
  readonly #whole: Work | Turns | null;

  /** `whole` is charged for every step too: the enclosing work, or the current turn. */
  constructor(steps: number, whole: Work | Turns | null = null) {
    this.#left = steps;
    this.#whole = whole;
  }

  /** Throws `refused` when the steps are used up. */
  spend(steps: number): void {
    this.#whole?.spend(steps);
    this.#left -= steps;
    if (this.#left < 0)
      throw new MathsError("refused", "Too much work: the numbers in this are too large or too many.");
  }
}

/** Counts the words of a number with this many bits. */
export function countWords(bits: number): number {
  return Math.ceil(bits / WORD_BITS) + 1;
}

/** Refuses an integer with too many bits. */
export function refuseBits(bits: number): void {
  if (bits > MAX_INTEGER_BITS) {
    throw new MathsError("refused", `Too large: an integer may have at most ${MAX_INTEGER_BITS} bits.`);
  }
}

/** Returns null when the work exceeds its budget. */
export async function runUnlessRefused<T>(run: () => Promise<T>): Promise<T | null> {
  try {
    return await run();
  } catch (thrown) {
    if (thrown instanceof MathsError && thrown.kind === "refused") return null;
    throw thrown;
  }
}
