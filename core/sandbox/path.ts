/**
 * Which paths of a sandbox a call may use. A path is relative, its segments are separated by `/`, and it is refused, never
 * cleaned, when it holds anything that another reader could take for another place. What is judged is the text itself:
 * `%2e%2e%2f` is a name with percent signs in it. (The API decodes a URL's path once, before it asks here.)
 *
 * Two kinds of refusal: `invalid_input` for a text that is no path, `sandbox_denied` for one that leads out of the
 * sandbox or that a rule of the agent forbids.
 */
import { DEFAULT_EXTENSIONS, type SandboxRules } from "./rules.ts";
import { failed, ok, type Result } from "../base/errors.ts";
import { type CompiledGlob, makeGlob, matchesGlob, segmentPattern } from "./glob.ts";

/** The folder of a project's shared files among those of its tasks, as the model sees it. */
export const PROJECT_FOLDER = "project";

/** The longest path, in bytes of UTF-8 after normalisation. */
const MAX_PATH_BYTES = 1_024;

/** The answer of a tool that writes, under rules that forbid it (document 001). */
export const WRITE_DISABLED = "Write access is disabled (allow_write=False).";

/** `list`: a directory, of which "" is the topmost. */
export type PathIntent = "read" | "write" | "list";

/** The path in NFC, when these rules admit it. `field` is the argument that an error names. */
export function judgePath(raw: string, rules: SandboxRules, intent: PathIntent, field = "path"): Result<string> {
  if (intent === "write" && !rules.allowWrite) return failed("sandbox_denied", WRITE_DISABLED, { field });
  const form = judgeForm(raw, field);
  if (!form.ok) return intent === "list" && raw === "" ? ok("") : form;
  const visible = intent === "list" ? isVisibleDirectory(form.value, rules) : isVisibleFile(form.value, rules);
  return visible ? form : denied(raw, field);
}

/** The form of a file's path alone, whatever the agent's rules say; the value is in NFC. */
export function judgeForm(raw: string, field = "path"): Result<string> {
  const refuse = (reason: string) => failed("invalid_input", `${field}: ${reason}`, { field });
  if (raw === "") return refuse("a path must not be empty");
  if (!raw.isWellFormed()) return refuse("a path must not hold half of a surrogate pair");
  const path = raw.normalize("NFC");
  if (utf8Length(path) > MAX_PATH_BYTES) return refuse(`a path must not be longer than ${MAX_PATH_BYTES} bytes`);
  if (/\p{Cc}/u.test(path)) return refuse("a path must not hold control characters");
  if (path.includes("\\")) return refuse("a path must not hold a backslash; segments are separated by /");
  const segments = path.split("/");
  if (segments.includes("..") || segments[0] === "") return denied(path, field);
  if (segments.includes("")) return refuse("a path must not hold an empty segment or end with a slash");
  if (segments.includes(".")) return refuse("a path must not hold a segment that is a single dot");
  return ok(path);
}

/**
 * A directory or a file that a search begins at. Beside what `judgePath` takes, "." and "" are the topmost directory, and
 * one slash at the end says no more than that a directory is meant: documents 001 and 003 write both.
 */
export function judgeTop(raw: string, rules: SandboxRules, field = "path"): Result<string> {
  const path = raw.length > 1 && raw.endsWith("/") ? raw.slice(0, -1) : raw;
  return judgePath(path === "." ? "" : path, rules, "list", field);
}

/**
 * Whether `read_file` and `write_file` take this file by the end of its name, without regard to case. An agent that lists no
 * types has document 000's.
 */
export function checkExtension(path: string, rules: SandboxRules, field = "path"): Result<void> {
  return checkType(path, rules.extensions ?? DEFAULT_EXTENSIONS, field);
}

/** Whether the other tools that read or write text take this file: any, unless the agent lists types. */
export function checkListedExtension(path: string, rules: SandboxRules, field = "path"): Result<void> {
  return rules.extensions === null ? ok(undefined) : checkType(path, rules.extensions, field);
}

function checkType(path: string, extensions: readonly string[], field: string): Result<void> {
  if (extensions.includes("*")) return ok(undefined);
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const endings = extensions.filter((ending) => ending !== "").map(withDot);
  if (endings.some((ending) => name.length > ending.length && name.endsWith(ending))) return ok(undefined);
  const allowed = endings.length === 0 ? "no file types are allowed" : `allowed file types: ${endings.join(", ")}`;
  return failed("sandbox_denied", `File access denied by sandbox: ${path} (${allowed})`, { field });
}

/** Whether a file of a listing may be shown; `path` has a good form. */
export function isVisibleFile(path: string, rules: SandboxRules): boolean {
  const segments = path.split("/");
  return allowedRoots(rules).some((root) => isPrefix(root, segments)) && !isDenied(segments, rules);
}

/** Whether a directory may be listed: one inside an allowed path, or on the way to one. */
export function isVisibleDirectory(path: string, rules: SandboxRules): boolean {
  const segments = path === "" ? [] : path.split("/");
  const reachable = allowedRoots(rules).some((root) => isPrefix(root, segments) || isPrefix(segments, root));
  return reachable && !isDenied(segments, rules);
}

/** The allowed paths as segments; none set: the whole sandbox. A slash at either end of an entry means nothing. */
function allowedRoots(rules: SandboxRules): readonly (readonly string[])[] {
  if (rules.allowedPaths === null) return [[]];
  return rules.allowedPaths.map((entry) => {
    const path = entry.normalize("NFC").replace(/^\//, "").replace(/\/$/, "");
    return path === "" || path === "." ? [] : path.split("/");
  });
}

function isPrefix(prefix: readonly string[], segments: readonly string[]): boolean {
  return prefix.length <= segments.length && prefix.every((segment, index) => segments[index] === segment);
}

/**
 * A pattern denies what it matches, by the rules of `glob.ts`, and everything below it. A pattern without a slash is about
 * the name alone, at any depth.
 * Case does not count: a file that a rule forbids stays forbidden as `.ENV`.
 */
function isDenied(segments: readonly string[], rules: SandboxRules): boolean {
  if (segments.length === 0) return false;
  const names = segments.map((segment) => segment.toLowerCase());
  return globsOf(rules.deniedPatterns).some((glob) => matchesGlob(names, glob));
}

const compiledGlobs = new WeakMap<readonly string[], readonly CompiledGlob[]>();

/** The patterns of an agent, parsed once: a listing asks for every entry. */
function globsOf(patterns: readonly string[]): readonly CompiledGlob[] {
  const known = compiledGlobs.get(patterns);
  if (known !== undefined) return known;
  const globs = patterns.map(compileGlob);
  compiledGlobs.set(patterns, globs);
  return globs;
}

function compileGlob(pattern: string): CompiledGlob {
  const text = pattern.normalize("NFC").toLowerCase().replace(/^\//, "").replace(/\/$/, "");
  const parts = text.split("/").map(segmentPattern);
  return makeGlob(text.includes("/") ? [...parts, null] : [null, ...parts, null]);
}

function denied(path: string, field: string): Result<never> {
  return failed("sandbox_denied", `File access denied by sandbox: ${path}`, { field });
}

function withDot(ending: string): string {
  return (ending.startsWith(".") ? ending : `.${ending}`).toLowerCase();
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}
