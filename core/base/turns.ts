/**
 * Splits long work into turns. Code that does not wait cannot be interrupted, so long work counts its units and yields
 * between turns. Core has no timers: the caller passes the function that waits.
 */

/** Resolves after all other due work has run. */
export type YieldTurn = () => Promise<void>;

/** Counts work in turns of a fixed number of units. */
export class Turns {
  readonly #giveWay: YieldTurn;
  readonly #units: number;
  #left: number;

  constructor(yieldTurn: YieldTurn, units: number) {
    this.#giveWay = yieldTurn;
    this.#units = units;
    this.#left = units;
  }

  /** Counts units of work, before or after it is done. */
  spend(units: number): void {
    this.#left -= units;
  }

  /** True when the turn is used up and other work should run next. */
  get isUsedUp(): boolean {
    return this.#left < 0;
  }

  /** Yields to other work, and begins the next turn. */
  async next(): Promise<void> {
    await this.#giveWay();
    this.#left = this.#units;
  }
}
