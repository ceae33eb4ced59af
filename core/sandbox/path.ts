/**
 * Which paths of a sandbox a call may use. A stored path is canonical: relative, in NFC, with one `/` between segments.
 * The gateway canonicalises what callers write once, before policy and hash (`canonical-path.ts`). The text itself is
 * read: `%2e%2e%2f` is a name with percent signs. (The API decodes a URL's path once before this check.)
 *
 * Two kinds of refusal: `invalid_input` for a malformed path, `sandbox_denied` for one that leaves the sandbox or that
 * a rule of the agent forbids. Both quote the path as it was written.
 */
import { explainCagePath } from "./cage-path.ts";
import { canonicalisePath } from "./canonical-path.ts";
import type { SandboxRules } from "./rules.ts";
import { failed, ok, type Result } from "../base/errors.ts";
import { type CompiledGlob, makeGlob, matchesGlob, toSegmentPattern } from "./glob.ts";

/** The folder of a project's shared files in its tasks' sandboxes, as the model sees it. */
export const PROJECT_FOLDER = "project";

/** The longest path, in bytes of UTF-8 after normalisation. */
const MAX_PATH_BYTES = 1_024;
/** The longest quotation of a path that a message holds, in characters. */
const MAX_QUOTED = 200;

/** The reply to a write that the rules forbid (document 001). */
export const WRITE_DISABLED = "Write access is disabled (allow_write=False).";

/** `list`: a directory; "" is the root. */
export type PathIntent = "read" | "write" | "list";

/** The canonical path when these rules allow it. `field` is the argument that an error names. */
export function judgePath(raw: string, rules: SandboxRules, intent: PathIntent, field = "path"): Result<string> {
  if (intent === "write" && !rules.allowWrite) return failed("sandbox_denied", WRITE_DISABLED, { field });
  const path = canonicalisePath(raw);
  const cageReason = raw.split("/").includes("..") ? null : explainCagePath(raw);
  if (cageReason !== null) return failDenied(raw, field, ` (${cageReason})`);
  if (path === "") return intent === "list" ? ok("") : refuseRoot(raw, field);
  const form = checkForm(path, raw, field);
  if (!form.ok) return form;
  const visible = intent === "list" ? isVisibleDirectory(path, rules) : isVisibleFile(path, rules);
  return visible ? form : failDenied(raw, field);
}

/** Checks the form of a canonical path without the agent's rules; the value is in NFC. Cleans nothing else. */
export function judgeForm(raw: string, field = "path"): Result<string> {
  if (raw === "") return failed("invalid_input", `${field}: a path must not be empty`, { field });
  const path = raw.normalize("NFC");
  const segments = path.split("/");
  if (segments[0] === "") return failDenied(raw, field);
  const form = checkForm(path, raw, field);
  if (!form.ok) return form;
  const refuse = (reason: string) => failed("invalid_input", `${field}: ${reason}`, { field });
  if (segments.includes("")) return refuse("a path must not hold an empty segment or end with a slash");
  if (segments.includes(".")) return refuse("a path must not hold a segment that is a single dot");
  return form;
}

/**
 * Checks a path under which a file is to be stored: only in its canonical form, which is the one that callers' spellings
 * lead to. A file at `sandbox:/a` could not be found again, because that names `a`.
 */
export function judgeNewPath(raw: string, field = "path"): Result<string> {
  const form = judgeForm(raw, field);
  const canonical = canonicalisePath(raw);
  if (!form.ok || canonical === raw) return form;
  const hint = canonical === "" ? "" : `: write ${quote(canonical)}`;
  return failed("invalid_input", `${field}: a path must be in its canonical form${hint}`, { field });
}

/** Refuses characters, lengths and segments that no stored path has. `written` is quoted. */
function checkForm(path: string, written: string, field: string): Result<string> {
  const refuse = (reason: string) => failed("invalid_input", `${field}: ${reason}`, { field });
  if (!path.isWellFormed()) return refuse("a path must not hold half of a surrogate pair");
  if (utf8Length(path) > MAX_PATH_BYTES) return refuse(`a path must not be longer than ${MAX_PATH_BYTES} bytes`);
  if (/\p{Cc}/u.test(path)) return refuse("a path must not hold control characters");
  if (path.includes("\\")) return refuse("a path must not hold a backslash; write / between its folders");
  return path.split("/").includes("..") ? failDenied(written, field) : ok(path);
}

function refuseRoot(raw: string, field: string): Result<never> {
  const message =
    raw === ""
      ? `${field}: a path must not be empty; name a file, such as notes/plan.md`
      : `${field}: ${quote(raw)} is the topmost directory; name a file in it, such as notes/plan.md`;
  return failed("invalid_input", message, { field });
}

/** Whether the text tools accept the file's extension, ignoring case: any, unless the agent lists types. */
export function checkExtension(path: string, rules: SandboxRules, field = "path"): Result<void> {
  return rules.extensions === null ? ok(undefined) : checkType(path, rules.extensions, field);
}

function checkType(path: string, extensions: readonly string[], field: string): Result<void> {
  if (extensions.includes("*")) return ok(undefined);
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const endings = extensions.filter((ending) => ending !== "").map(addDot);
  if (endings.some((ending) => name.length > ending.length && name.endsWith(ending))) return ok(undefined);
  const allowed = endings.length === 0 ? "no file types are allowed" : `allowed file types: ${endings.join(", ")}`;
  return failed("sandbox_denied", `File access denied by sandbox: ${path} (${allowed})`, { field });
}

/** Whether a listing may show a file; the form of `path` is checked already. */
export function isVisibleFile(path: string, rules: SandboxRules): boolean {
  const segments = path.split("/");
  return allowedRoots(rules).some((root) => isPrefix(root, segments)) && !isDenied(segments, rules);
}

/** Whether a directory may be listed: one inside an allowed path, or a parent of one. */
export function isVisibleDirectory(path: string, rules: SandboxRules): boolean {
  const segments = path === "" ? [] : path.split("/");
  const reachable = allowedRoots(rules).some((root) => isPrefix(root, segments) || isPrefix(segments, root));
  return reachable && !isDenied(segments, rules);
}

type Segments = readonly string[];

/** The allowed paths as segments, canonicalised like a call's; the whole sandbox when none is set. */
function allowedRoots({ allowedPaths }: SandboxRules): readonly Segments[] {
  return allowedPaths === null ? [[]] : splitAllowedPaths(allowedPaths);
}

const splitAllowedPaths = oncePerList((entry): Segments => {
  const path = canonicalisePath(entry);
  return path === "" ? [] : path.split("/");
});

function isPrefix(prefix: readonly string[], segments: readonly string[]): boolean {
  return prefix.length <= segments.length && prefix.every((segment, index) => segments[index] === segment);
}

/**
 * A pattern denies what it matches, by the rules of `glob.ts`, and everything below it. It is canonicalised first. A pattern without a slash
 * matches a name at any depth. Case is ignored: a rule against `.env` also denies `.ENV`.
 */
function isDenied(segments: readonly string[], rules: SandboxRules): boolean {
  if (segments.length === 0) return false;
  const names = segments.map((segment) => segment.toLowerCase());
  return compileGlobs(rules.deniedPatterns).some((glob) => matchesGlob(names, glob));
}

const compileGlobs = oncePerList((pattern): CompiledGlob => {
  const text = canonicalisePath(pattern).toLowerCase();
  // The root, and everything below it. An empty pattern, which an agent may still have, matches nothing.
  if (text === "") return makeGlob(isRootPattern(pattern) ? [null] : [""]);
  const parts = text.split("/").map(toSegmentPattern);
  return makeGlob(text.includes("/") ? [...parts, null] : [null, ...parts, null]);
});

/** Whether a pattern without a name means the root: `/` does; "" and `.` are mistakes. */
function isRootPattern(pattern: string): boolean {
  return pattern.includes("/");
}

/** Maps each entry of an agent's list once, since a listing checks every file. */
function oncePerList<Value>(map: (entry: string) => Value): (entries: readonly string[]) => readonly Value[] {
  const known = new WeakMap<readonly string[], readonly Value[]>();
  return (entries) => {
    const found = known.get(entries) ?? entries.map(map);
    known.set(entries, found);
    return found;
  };
}

/** Quotes the path as document 003 does; a longer one only up to the bound. */
function failDenied(path: string, field: string, reason = ""): Result<never> {
  const message = `File access denied by sandbox: ${cut(path)}${reason}`;
  return failed("sandbox_denied", message, { field });
}

function quote(path: string): string {
  return JSON.stringify(cut(path));
}

function cut(path: string): string {
  return path.length > MAX_QUOTED ? `${path.slice(0, MAX_QUOTED)}…` : path;
}

function addDot(ending: string): string {
  return (ending.startsWith(".") ? ending : `.${ending}`).toLowerCase();
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}
