/**
 * Globs over a file's path, matched segment by segment:
 *
 * - `**` alone as a segment is any number of segments, including none; at the end of a glob it is at least one.
 * - Inside a segment the rules are those of `core/lib/fnmatch.ts`: `*` is any characters, `?` one, `[a-z]` and `[!a-z]`
 * one inside or outside a set. None of them crosses a `/`, and neither does `**` next to other characters.
 * - A leading dot is an ordinary character. Case counts. There are no braces and no escapes.
 *
 * No regular expression is built. Matching takes time by the number of a path's segments, and of the glob's segments in
 * words of 32.
 */
import { accepts, type Automaton, createAutomaton } from "../lib/automaton.ts";
import { canonicalisePath } from "./canonical-path.ts";
import { failed, ok, type Result } from "../base/errors.ts";
import { compilePattern, matchesPattern, type CompiledPattern } from "../lib/fnmatch.ts";

/** Characters of a glob. */
const MAX_GLOB_CHARACTERS = 1_000;

/** A compiled glob. */
export type CompiledGlob = Automaton;

/** One segment: a plain name, a pattern, or null for `**`. */
type SegmentPattern = string | CompiledPattern | null;

/** Compiles a model's glob; `field` is the argument that an error names. */
export function parseGlob(raw: string, field = "glob"): Result<CompiledGlob> {
  const refuse = (reason: string) => failed("invalid_input", `${field}: ${reason}`, { field });
  if (raw === "") return refuse("a glob must not be empty");
  if (!raw.isWellFormed()) return refuse("a glob must not hold half of a surrogate pair");
  if (raw.length > MAX_GLOB_CHARACTERS) return refuse(`a glob has at most ${MAX_GLOB_CHARACTERS} characters`);
  if (/\p{Cc}/u.test(raw)) return refuse("a glob must not hold control characters");
  if (raw.includes("\\")) return refuse("a glob must not hold a backslash; write / between its folders");
  const segments = canonicalisePath(raw).split("/");
  if (segments.includes("..")) {
    return failed("sandbox_denied", `File access denied by sandbox: ${raw}`, { field });
  }
  if (segments[0] === "") return refuse("a glob names files, such as **/*.md");
  const parts = segments.map(toSegmentPattern);
  return ok(makeGlob(parts.at(-1) === null ? [...parts, compilePattern("*")] : parts));
}

/** A glob of these segments. A `null` at the end matches any number of segments, including none. */
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

/** Compiles one segment. */
export function toSegmentPattern(segment: string): SegmentPattern {
  if (segment === "**") return null;
  return /[*?[]/.test(segment) ? compilePattern(segment) : segment;
}

/** True when all segments of a path match. */
export function matchesGlob(segments: readonly string[], glob: CompiledGlob): boolean {
  return accepts(segments, glob);
}
