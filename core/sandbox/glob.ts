/**
 * Globs over the path of a file, matched segment by segment:
 *
 * - `**` alone as a segment is any number of segments, also none; at the end of a glob it is at least one.
 * - Inside a segment the rules are those of `core/lib/fnmatch.ts`: `*` is any characters, `?` one, `[a-z]` and `[!a-z]` one of a
 *   set or outside of it. None of them crosses a `/`, and neither does `**` beside other characters.
 * - A leading dot is a character like any other. Case counts. There are no braces and no escapes.
 *
 * No regular expression is built. A glob takes time by the number of segments of a path, and of its own segments by words
 * of 32.
 */
import { accepts, type Automaton, createAutomaton } from "../lib/automaton.ts";
import { failed, ok, type Result } from "../base/errors.ts";
import { compilePattern, matchesPattern, type CompiledPattern } from "../lib/fnmatch.ts";

/** Characters of a glob. */
const MAX_GLOB_CHARACTERS = 1_000;

/** A glob, ready to be matched against any number of paths. */
export type CompiledGlob = Automaton;

/** One segment: a plain name, a pattern, or null for `**`. */
type SegmentPattern = string | CompiledPattern | null;

/** A glob of a model, compiled; `field` is the argument that an error names. */
export function parseGlob(raw: string, field = "glob"): Result<CompiledGlob> {
  const refuse = (reason: string) => failed("invalid_input", `${field}: ${reason}`, { field });
  if (raw === "") return refuse("a glob must not be empty");
  if (!raw.isWellFormed()) return refuse("a glob must not hold half of a surrogate pair");
  if (raw.length > MAX_GLOB_CHARACTERS) return refuse(`a glob has at most ${MAX_GLOB_CHARACTERS} characters`);
  if (/\p{Cc}/u.test(raw)) return refuse("a glob must not hold control characters");
  if (raw.includes("\\")) return refuse("a glob must not hold a backslash; segments are separated by /");
  const segments = raw.normalize("NFC").split("/");
  if (segments.includes("..") || segments[0] === "") {
    return failed("sandbox_denied", `File access denied by sandbox: ${raw}`, { field });
  }
  if (segments.includes("") || segments.includes(".")) {
    return refuse("a glob must not hold a segment that is empty or a single dot");
  }
  const parts = segments.map(segmentPattern);
  return ok(makeGlob(parts.at(-1) === null ? [...parts, compilePattern("*")] : parts));
}

/** A glob of these segments. A `null` at the end takes any number of segments, also none. */
export function makeGlob(parts: readonly SegmentPattern[]): CompiledGlob {
  const pieces: (string | CompiledPattern)[] = [];
  const stars: number[] = [];
  for (const part of parts) {
    if (part === null) stars.push(pieces.length);
    else pieces.push(part);
  }
  return createAutomaton(pieces.length, stars, (index, name) => {
    const piece = pieces[index] ?? "";
    return typeof piece === "string" ? name === piece : matchesPattern(name, piece);
  });
}

/** A segment of a glob as it is matched. */
export function segmentPattern(segment: string): SegmentPattern {
  if (segment === "**") return null;
  return /[*?[]/.test(segment) ? compilePattern(segment) : segment;
}

/** True when all segments of a path match. */
export function matchesGlob(segments: readonly string[], glob: CompiledGlob): boolean {
  return accepts(segments, glob);
}
