/** The engine of regular expressions, as the libraries that run patterns of others need it. */
import type { Result } from "../base/errors.ts";

/** A compiled regular expression of a tenant or a model. */
export interface Pattern {
  /** The most work for a character of a text; a unit takes up to 20 ns. */
  readonly size: number;
  /** Whether it matches anywhere in the text. Time is proportional to the size times the text's length. */
  test(text: string): boolean;
  /** Iterates over the matches in a text. Each takes at most as long as `test`. */
  matcher(text: string): PatternMatcher;
}

/** Iterates over the matches in a text. */
export interface PatternMatcher {
  /** Moves to the next match; false at the end. */
  find(): boolean;
  /** The offsets of the match in characters (UTF-16 units), `end` exclusive. */
  start(): number;
  end(): number;
}

/** Options of a search's pattern, which is in RE2 syntax. */
export interface SearchStyle {
  readonly ignoresCase: boolean;
  /** True if `^` and `$` also match at the ends of lines. */
  readonly isMultiline: boolean;
}

/**
 * The engine for regular expressions of tenants and models, in JavaScript syntax with the flag `u`, or in a search in
 * RE2 syntax: no look-around, no back references. It has no fake, because nothing outside is behind it.
 */
export interface PatternsPort {
  /** `invalid_input` says what is wrong with the pattern; it is bounded before it is compiled. */
  compile(source: string, search?: SearchStyle): Result<Pattern>;
  /**
   * Estimates the most work to compile a pattern from its text, in units of about a microsecond. 0 when `compile`
   * refuses it at once.
   */
  estimateWork(source: string, search?: SearchStyle): number;
}
