/**
 * Patterns of a model. They are compiled and run by RE2, whose time grows with the text's length times the pattern's size
 * and never faster; the size is bounded before anything is compiled.
 */
import { RE2JS, RE2JSException } from "re2js";
import { failed, ok, type Result } from "../../core/errors.ts";
import { estimatePattern, MAX_PATTERN_WORK, MAX_PROGRAM } from "../../core/lib/pattern-work.ts";

/** Characters of a pattern. */
export const MAX_PATTERN_CHARACTERS = 500;
/** Characters times instructions between two turns of others: each takes up to 100 ns, and most patterns far less. */
export const TURN_WORK = 1_000_000;

/** Compiles a pattern; `invalid_input` says what is wrong with it. `flags` are those of RE2JS. */
export function compileRe2(pattern: string, flags = 0): Result<RE2JS> {
  // The engine expands repeats before it can report how many instructions they make.
  const { instructions, work } = estimatePattern(pattern, (flags & RE2JS.CASE_INSENSITIVE) !== 0);
  if (instructions > MAX_PROGRAM || work > MAX_PATTERN_WORK) return tooLarge();
  try {
    const compiled = RE2JS.compile(pattern, flags);
    return compiled.programSize() > MAX_PROGRAM ? tooLarge() : ok(compiled);
  } catch (thrown) {
    if (!(thrown instanceof RE2JSException)) throw thrown;
    return badPattern(
      `${sentence(thrown.message)} Patterns are RE2's: no look-around, no back references, repeats up to 1000.`,
    );
  }
}

/** A failure about the argument `pattern`. */
export function badPattern(message: string): Result<never> {
  return failed("invalid_input", message, { field: "pattern" });
}

function tooLarge(): Result<never> {
  return badPattern("The pattern is too large. Use fewer or smaller repeats.");
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
