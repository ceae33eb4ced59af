/** Crashes of the simulated world of a task. */

/** Where a crash may fall. `chance` draws from [0, 1). */
export interface Faults {
  readonly chance: () => number;
  readonly crashRate: number;
  /**
   * Asked at each command of a hop: whether the next hop begins in the same decision, as it does while the time of the
   * alarm's run lasts. By default always.
   */
  readonly joins?: () => boolean;
}

export const NO_FAULTS: Faults = { chance: () => 1, crashRate: 0 };

/** Crashes at this rate, with the next hop begun now in the same decision and now in one of its own. */
export function crashing(draw: () => number, crashRate: number): Faults {
  return { chance: draw, crashRate, joins: () => draw() < 0.5 };
}

export class Crash extends Error {}
