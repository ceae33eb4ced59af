/** An engine of patterns with a bound on what many of them cost together, for whatever brings its patterns by the hundred. */
import { failed, type Result } from "../errors.ts";
import type { Pattern, PatternsPort } from "../ports.ts";

/**
 * The same engine for at most so much work, in the units of `PatternsPort.workOf`, charged before a pattern is compiled. The
 * same pattern is compiled and charged once. `invalid_input` for what is over the bound.
 */
export function limitPatterns(patterns: PatternsPort, maxWork: number): PatternsPort {
  const known = new Map<string, Result<Pattern>>();
  let left = maxWork;
  return {
    workOf: (source) => patterns.workOf(source),
    compile(source) {
      const found = known.get(source);
      if (found !== undefined) return found;
      const work = patterns.workOf(source);
      if (work > left) return TOO_MANY;
      left -= work;
      const compiled = patterns.compile(source);
      known.set(source, compiled);
      return compiled;
    },
  };
}

const TOO_MANY = failed(
  "invalid_input",
  "The patterns are too large together. Use fewer of them, or fewer and smaller repeats.",
);
