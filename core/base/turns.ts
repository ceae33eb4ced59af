/**
 * Long work in turns. Nothing can interrupt code that does not wait: work that may take long counts itself, and lets everything
 * else that is due run in between. Core has no timers, so what waits is given from outside.
 */

/** Resolves after everything else that is due has run. */
export type GiveWay = () => Promise<void>;

/** Counts work against turns of so many units. */
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

  /** Whether others are to run before more work is done. */
  get isOver(): boolean {
    return this.#left < 0;
  }

  /** Lets others run, and begins the next turn. */
  async next(): Promise<void> {
    await this.#giveWay();
    this.#left = this.#units;
  }
}
