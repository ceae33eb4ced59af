/** The engine of regular expressions, as the libraries that run patterns of others need it. */
import type { Result } from "../base/errors.ts";

/** A regular expression of a tenant or a model, compiled. */
export interface Pattern {
  /** How much work a character of a text is at most; a unit takes up to 20 ns. */
  readonly size: number;
  /** Whether it matches anywhere in the text. Takes time by the product of the size and the text's length. */
  test(text: string): boolean;
  /** Finds the matches in a text one by one. Finding one takes as long as `test` does, at most. */
  matcher(text: string): PatternMatcher;
}

/** Goes through the matches in a text. */
export interface PatternMatcher {
  /** Goes to the next match; false: there is no more. */
  find(): boolean;
  /** The offsets of the match in characters (UTF-16 units), `end` exclusive. */
  start(): number;
  end(): number;
}

/** How a search reads its pattern, which is written as RE2 has it. */
export interface SearchStyle {
  readonly ignoresCase: boolean;
  /** True: `^` and `$` match at the ends of lines, too. */
  readonly isMultiline: boolean;
}

/**
 * The engine of others' regular expressions, written as JavaScript has them with the flag `u`, or in a search as RE2 has
 * them: no look-around, no back references. It has no fake, since nothing outside is behind it.
 */
export interface PatternsPort {
  /** `invalid_input` says what is wrong with the pattern; it is bounded before it is compiled. */
  compile(source: string, search?: SearchStyle): Result<Pattern>;
  /**
   * The most work to compile it, in units of about a microsecond, estimated from its text. 0 when `compile` refuses
   * it at once.
   */
  workOf(source: string, search?: SearchStyle): number;
}
