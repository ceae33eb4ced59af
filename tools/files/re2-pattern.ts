/** The patterns of a model that searches: written as RE2 has them, and compiled by the engine of all patterns. */
import { failed, ok, type Result } from "../../core/base/errors.ts";
import type { Pattern, PatternsPort, SearchStyle } from "../../core/lib/patterns.ts";

/** Characters of a pattern. */
export const MAX_PATTERN_CHARACTERS = 500;
/** Characters times instructions between two turns of others: each takes up to 100 ns, and most patterns far less. */
export const TURN_WORK = 1_000_000;

/** Compiles a pattern; `invalid_input` says what is wrong with it. */
export function compileSearch(pattern: string, style: SearchStyle, patterns: PatternsPort): Result<Pattern> {
  const compiled = patterns.compile(pattern, style);
  return compiled.ok ? ok(compiled.value) : badPattern(compiled.error.message);
}

/** A failure about the argument `pattern`. */
export function badPattern(message: string): Result<never> {
  return failed("invalid_input", message, { field: "pattern" });
}
