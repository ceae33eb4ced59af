/**
 * Patterns of a model. They are compiled and run by RE2, whose time grows with the text's length times the pattern's size
 * and never faster; the size is bounded before anything is compiled.
 */
import { RE2JS, RE2JSException } from "re2js";
import { failed, ok, type Result } from "../../core/errors.ts";

/** Characters of a pattern. */
export const MAX_PATTERN_CHARACTERS = 500;
/** Instructions that a compiled pattern may have. */
const MAX_PROGRAM = 2_000;
/** Characters times instructions between two turns of others: each takes up to 100 ns, and most patterns far less. */
export const TURN_WORK = 1_000_000;

/** Compiles a pattern; `invalid_input` says what is wrong with it. `flags` are those of RE2JS. */
export function compileRe2(pattern: string, flags = 0): Result<RE2JS> {
  // Compiling takes its time by the size, before it can be asked for.
  if (repeatedSize(pattern) > MAX_PROGRAM) return tooLarge();
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

/** Lets whatever else is due have its turn: nothing can interrupt code that does not wait. */
export async function giveWay(): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}

/** A failure about the argument `pattern`. */
export function badPattern(message: string): Result<never> {
  return failed("invalid_input", message, { field: "pattern" });
}

function tooLarge(): Result<never> {
  return badPattern("The pattern is too large. Use fewer or smaller repeats.");
}

/**
 * About how many instructions a pattern has when its counted repeats are written out. Reads it once, from left to right; of a
 * text that is no pattern it says anything.
 */
function repeatedSize(pattern: string): number {
  const groups = [0];
  let last = 0;
  const add = (size: number) => {
    groups.push((groups.pop() ?? 0) + size);
    last = size;
  };
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern.charAt(at);
    const end = itemEnd(pattern, at);
    if (character === "(") groups.push(0);
    else if (character === ")") add(groups.length > 1 ? (groups.pop() ?? 0) : 0);
    else if (character === "{") add(last * Math.max(0, repeatsAt(pattern.slice(at + 1, end)) - 1));
    else add(1);
    at = Math.max(at, end);
  }
  return groups.reduce((sum, size) => sum + size, 0);
}

/** Where what begins here ends: an escape, a set, a count. */
function itemEnd(pattern: string, at: number): number {
  const close = (bracket: string, from: number) => {
    const found = pattern.indexOf(bracket, from);
    return found < 0 ? at : found;
  };
  const character = pattern.charAt(at);
  if (character === "{") return close("}", at);
  // A bracket that comes first in a set stands for itself.
  if (character === "[") return close("]", at + (pattern.charAt(at + 1) === "^" ? 3 : 2));
  if (character !== "\\") return at;
  return pattern.charAt(at + 2) === "{" && "pPx".includes(pattern.charAt(at + 1)) ? close("}", at) : at + 1;
}

/** The larger number of `{3}`, `{3,}` or `{3,5}`; 1 for what is no count. */
function repeatsAt(inside: string): number {
  const counts = inside.split(",").map(Number);
  const most = Math.max(...counts);
  return Number.isInteger(most) ? most : 1;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
