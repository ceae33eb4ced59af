/**
 * Regular expressions of tenants and models on RE2, which is linear in the text for every pattern. Patterns of schemas
 * use JavaScript's syntax with the flag `u`, as JSON Schema recommends, and are translated where RE2 differs; patterns
 * of searches use RE2's syntax. Only this file uses the engine.
 */
import { RE2JS, RE2JSException } from "re2js";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { estimatePattern, MAX_PATTERN_WORK, MAX_PROGRAM } from "../../core/lib/pattern-work.ts";
import type { Pattern, PatternsPort, SearchStyle } from "../../core/lib/patterns.ts";

const MAX_SOURCE = 1_000;
const WHAT_WORKS = "Patterns are RE2's: no look-around, no back references, repeats up to 1000.";

export const linearPatterns: PatternsPort = { compile, estimateWork };

/** Returns 0 for an invalid or too large pattern, which `compile` rejects at once. */
function estimateWork(source: string, search?: SearchStyle): number {
  const read = readPattern(source, search);
  return read.ok ? read.value.work : 0;
}

function compile(source: string, search?: SearchStyle): Result<Pattern> {
  const read = readPattern(source, search);
  if (!read.ok) return read;
  try {
    const compiled = RE2JS.compile(read.value.text, toFlags(search));
    const size = compiled.programSize();
    if (size > MAX_PROGRAM) return TOO_LARGE;
    return ok({ size, test: (text) => compiled.test(text), matcher: (text) => compiled.matcher(text) });
  } catch (thrown) {
    if (!(thrown instanceof RE2JSException)) throw thrown;
    return failed("invalid_input", `The pattern cannot be used: ${thrown.message}. ${WHAT_WORKS}`);
  }
}

/**
 * The pattern in RE2's syntax, and the work to compile it: the engine expands repeats before it can report their
 * number.
 */
function readPattern(source: string, search?: SearchStyle): Result<{ readonly text: string; readonly work: number }> {
  if (source.length > MAX_SOURCE) {
    return failed("invalid_input", `A pattern may have ${MAX_SOURCE} characters: this one has ${source.length}.`);
  }
  const translated = search === undefined ? translate(source) : ok(source);
  if (!translated.ok) return translated;
  const { work, instructions } = estimatePattern(translated.value, search?.ignoresCase === true);
  // The estimate can exceed the program. Stored schemas are checked by the program, as when they were stored.
  const isTooLarge = work > MAX_PATTERN_WORK || (search !== undefined && instructions > MAX_PROGRAM);
  return isTooLarge ? TOO_LARGE : ok({ text: translated.value, work });
}

function toFlags({ ignoresCase, isMultiline }: SearchStyle = JAVASCRIPT): number {
  return (ignoresCase ? RE2JS.CASE_INSENSITIVE : 0) | (isMultiline ? RE2JS.MULTILINE : 0);
}

const JAVASCRIPT: SearchStyle = { ignoresCase: false, isMultiline: false };

const TOO_LARGE = failed("invalid_input", "The pattern is too large. Use fewer or smaller repeats.");

const ANY = "\\x{0}-\\x{10ffff}";
const LINE_ENDS = "\\n\\r\\x{2028}\\x{2029}";
/** JavaScript's `\s` and its complement. RE2's covers ASCII only. */
const SPACES =
  "\\x{9}-\\x{d}\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}";
const NO_SPACES =
  "\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}";

/** The general categories by their long names, which RE2 does not know. */
const CATEGORIES: ReadonlyMap<string, string> = new Map([
  ["Letter", "L"],
  ["Cased_Letter", "LC"],
  ["Uppercase_Letter", "Lu"],
  ["Lowercase_Letter", "Ll"],
  ["Titlecase_Letter", "Lt"],
  ["Modifier_Letter", "Lm"],
  ["Other_Letter", "Lo"],
  ["Mark", "M"],
  ["Number", "N"],
  ["Decimal_Number", "Nd"],
  ["Letter_Number", "Nl"],
  ["Other_Number", "No"],
  ["Punctuation", "P"],
  ["Symbol", "S"],
  ["Separator", "Z"],
  ["Space_Separator", "Zs"],
  ["Other", "C"],
  ["Control", "Cc"],
]);

/** One escape at the start of the rest, by kind. */
const ESCAPE =
  /^\\(?:u\{([\da-fA-F]{1,6})\}|u(d[89ab][\da-f]{2})\\u(d[c-f][\da-f]{2})|u([\da-fA-F]{4})|x([\da-fA-F]{2})|c([A-Za-z])|([pP])\{(?:[A-Za-z_]{1,40}=)?(\w{1,40})\}|([^]))/u;

/** Translates a pattern to RE2's syntax; rejects escapes that JavaScript or RE2 does not know. */
function translate(source: string): Result<string> {
  let out = "";
  let inClass = false;
  for (let at = 0; at < source.length; ) {
    const rest = source.slice(at);
    const character = rest.slice(0, 1);
    if (character === "\\") {
      const escape = ESCAPE.exec(rest);
      const meant = escape === null ? null : translateEscape(escape, inClass);
      if (escape === null || meant === null) return rejectEscape(rest);
      out += meant;
      at += escape[0].length;
    } else if (inClass) {
      out += character === "[" ? "\\[" : character;
      inClass = character !== "]";
      at += 1;
    } else {
      const [length, meant] = translatePlain(rest);
      out += meant;
      inClass = character === "[" && length === (rest[1] === "^" ? 2 : 1);
      at += length;
    }
  }
  return ok(out);
}

/** Translates what is at the start outside of a class: its length, and RE2's syntax for it. */
function translatePlain(rest: string): readonly [length: number, meant: string] {
  if (rest.startsWith("[^]")) return [3, `[${ANY}]`];
  if (rest.startsWith("[]")) return [2, `[^${ANY}]`];
  if (rest.startsWith("[^")) return [2, "[^"];
  // Group names are only for back references, which RE2 lacks.
  const named = /^\(\?<(?![=!])[^>]{1,100}>/.exec(rest);
  if (named !== null) return [named[0].length, "(?:"];
  if (rest.startsWith(".")) return [1, `[^${LINE_ENDS}]`];
  return [1, rest.slice(0, 1)];
}

function translateEscape(escape: RegExpExecArray, inClass: boolean): string | null {
  const [, braced, high, low, four, two, control, p, property = "", other = ""] = escape;
  const hex = braced ?? four ?? two;
  if (hex !== undefined) return Number.parseInt(hex, 16) > 0x10ffff ? null : `\\x{${hex}}`;
  if (high !== undefined && low !== undefined) {
    const point = String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16)).codePointAt(0) ?? 0;
    return `\\x{${point.toString(16)}}`;
  }
  if (control !== undefined) return `\\x{${(control.charCodeAt(0) % 32).toString(16)}}`;
  if (p !== undefined) return `\\${p}{${CATEGORIES.get(property) ?? property}}`;
  if (other === "s") return inClass ? SPACES : `[${SPACES}]`;
  if (other === "S") return inClass ? NO_SPACES : `[${NO_SPACES}]`;
  if (other === "0") return "\\x{0}";
  if (other === "b" && inClass) return "\\x{8}";
  if (other === "B" && inClass) return null;
  if (/^[dDwWbBfnrtv]$/.test(other)) return `\\${other}`;
  // Unneeded escapes are common, also of characters beyond ASCII.
  if (/^[!-/:-@[-`{-~]$/.test(other)) return `\\${other}`;
  return /^[\da-zA-Z]$/.test(other) ? null : other;
}

function rejectEscape(rest: string): Result<never> {
  return failed("invalid_input", `The pattern cannot be used: ${rest.slice(0, 2)} is no escape here. ${WHAT_WORKS}`);
}
