/** The budget for the patterns of one step: those in the schemas of its tools, and those that its calls name. */
import { type Failure, failed } from "../base/errors.ts";
import { limitPatterns, PatternBudget } from "../lib/json-schema/limit-patterns.ts";
import type { PatternsPort } from "../lib/patterns.ts";

/** Work to compile the patterns of a step, in units of about a microsecond. A schema takes 40,000. */
const MAX_STEP_WORK = 100_000;

export function createStepBudget(): PatternBudget {
  return new PatternBudget(MAX_STEP_WORK);
}

/** The pattern engine that all calls of a step share. */
export function limitStep(patterns: PatternsPort, budget: PatternBudget): PatternsPort {
  return limitPatterns(patterns, budget, TOO_MANY_IN_CALLS);
}

const TOO_MANY_IN_CALLS = failed(
  "invalid_input",
  "The patterns of this step's calls are too large together. Make this call again in the next step.",
);

/** The error of a call whose tool's schema does not fit the budget. */
export const TOO_MANY_PATTERNS: Failure = {
  code: "budget_exceeded",
  message:
    "The patterns in the schemas of this step's tools are too large together. Call this tool again in the next step.",
};
