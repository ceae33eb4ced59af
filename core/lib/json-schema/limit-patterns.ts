/** A pattern engine with a bound on the total cost of many patterns, such as those of a document. */
import { failed, type Result } from "../../base/errors.ts";
import type { Pattern, PatternsPort, SearchStyle } from "../patterns.ts";

/** The budget of many patterns together, in the units of `PatternsPort.estimateWork`. */
export class PatternBudget {
  #left: number;
  #refusals = 0;

  constructor(maxWork: number) {
    this.#left = maxWork;
  }

  /** The number of refused patterns. */
  get refusals(): number {
    return this.#refusals;
  }

  /** Charges work in advance; false without a charge if it does not fit. */
  charge(work: number): boolean {
    const fits = work <= this.#left;
    if (fits) this.#left -= work;
    else this.#refusals += 1;
    return fits;
  }
}

/** Characters of a pattern that are read in one unit of work, even for a refused one. */
const READ_CHARACTERS = 8;

/**
 * Wraps an engine with a budget that is charged before a pattern is estimated and before it is compiled. Each pattern
 * is estimated, charged and compiled once, even if refused. `tooMany` is the error beyond the budget.
 */
export function limitPatterns(
  patterns: PatternsPort,
  budget: PatternBudget,
  tooMany: Result<never> = TOO_MANY,
): PatternsPort {
  const known = new Map<string, Result<Pattern>>();
  const tryCompile = (source: string, search?: SearchStyle): Result<Pattern> => {
    const isAffordable =
      budget.charge(source.length / READ_CHARACTERS) && budget.charge(patterns.estimateWork(source, search));
    return isAffordable ? patterns.compile(source, search) : tooMany;
  };
  return {
    estimateWork: (source, search) => patterns.estimateWork(source, search),
    compile(source, search) {
      const key = JSON.stringify([source, search]);
      const compiled = known.get(key) ?? tryCompile(source, search);
      known.set(key, compiled);
      return compiled;
    },
  };
}

const TOO_MANY = failed(
  "invalid_input",
  "The patterns are too large together. Use fewer of them, or fewer and smaller repeats.",
);
