/**
 * Splits long work into turns. Code that does not wait cannot be interrupted, so long work counts its units and yields to
 * other due work between turns. Core has no timers: the caller passes the function that waits.
 */

/** Resolves after everything else that is due has run. */
export type GiveWay = () => Promise<void>;

/** Counts work in turns of a fixed number of units. */
export class Turns {
  readonly #giveWay: GiveWay;
  readonly #units: number;
  #left: number;

  constructor(giveWay: GiveWay, units: number) {
    this.#giveWay = giveWay;
    this.#units = units;
    this.#left = units;
  }

  /** Counts units of work that is about to be done, or was. */
  spend(units: number): void {
    this.#left -= units;
  }

  /** True when the turn is used up and other work should run next. */
  get isOver(): boolean {
    return this.#left < 0;
  }

  /** Yields to other work, and begins the next turn. */
  async next(): Promise<void> {
    await this.#giveWay();
    this.#left = this.#units;
  }
}
