/** A pattern engine with a bound on the total cost of many patterns, such as those of a document. */
import { failed, type Result } from "../../base/errors.ts";
import type { Pattern, PatternsPort, SearchStyle } from "../patterns.ts";

/** What many patterns may cost together, in the units of `PatternsPort.workOf`. */
export class PatternBudget {
  #left: number;
  #refusals = 0;

  constructor(maxWork: number) {
    this.#left = maxWork;
  }

  /** How many patterns did not fit. */
  get refusals(): number {
    return this.#refusals;
  }

  /** Charges work before it is done; false, and nothing is charged, when it does not fit. */
  charge(work: number): boolean {
    const fits = work <= this.#left;
    if (fits) this.#left -= work;
    else this.#refusals += 1;
    return fits;
  }
}

/** Characters of a pattern that are read in one unit of work: its text is read to estimate it, also when it is refused. */
const READ_CHARACTERS = 8;

/**
 * The same engine within a budget, charged before a pattern is estimated and before it is compiled. The same pattern is
 * estimated, charged and compiled once, also one that is refused. `tooMany` is the refusal of one beyond the budget.
 */
export function limitPatterns(
  patterns: PatternsPort,
  budget: PatternBudget,
  tooMany: Result<never> = TOO_MANY,
): PatternsPort {
  const known = new Map<string, Result<Pattern>>();
  const tryCompile = (source: string, search?: SearchStyle): Result<Pattern> => {
    const isAffordable =
      budget.charge(source.length / READ_CHARACTERS) && budget.charge(patterns.workOf(source, search));
    return isAffordable ? patterns.compile(source, search) : tooMany;
  };
  return {
    workOf: (source, search) => patterns.workOf(source, search),
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
