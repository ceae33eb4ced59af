/**
 * Packs a skill's files: which files a package may contain, its bytes, and the hash of those bytes. The same files
 * always give the same bytes.
 */
import { toCanonicalJson } from "../base/canonical-json.ts";
import { failed, ok, type Result } from "../base/errors.ts";
import { judgeForm } from "../sandbox/path.ts";
import type { SkillFile, SkillPackage } from "../ports/skills.ts";
import { SKILL_FILE } from "./skill.ts";
import { joinBytes } from "../base/join-bytes.ts";
import { sha256Hex } from "../base/sha256.ts";

/** Limits of a package: bytes of all files, bytes of SKILL.md, and files. */
export const MAX_PACKAGE_BYTES = 10_000_000;
export const MAX_SKILL_FILE_BYTES = 100_000;
export const MAX_PACKAGE_FILES = 200;
/** Bytes of a path, and nested folders. */
const MAX_PATH_BYTES = 300;
const MAX_DEPTH = 10;

const RUNNABLE = 0o755;
const PLAIN = 0o644;

/** Files that systems and programs leave in folders; they are dropped. */
const LITTER = /(?:^|\/)(?:(?:__MACOSX|__pycache__|\.git)\/.*|\.DS_Store|\._[^/]*|Thumbs\.db|desktop\.ini)$/;

/** An uploaded file. */
export interface UploadedFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** A file of a package. */
export interface PackedFile extends SkillFile {
  readonly bytes: Uint8Array;
}

/** Files that form a package, in its order. */
export interface CheckedPackage {
  readonly files: readonly PackedFile[];
  /** The folder around all files; null without one. */
  readonly folder: string | null;
  /** Paths that were dropped. */
  readonly litter: readonly string[];
}

/** An invalid file; `field` is its path. */
interface InvalidFile {
  readonly field: string;
  readonly message: string;
}

/**
 * Checks the files of a package. One folder around all of them is removed. `invalid_input` names every invalid path,
 * `too_large` the exceeded limit.
 */
export function checkPackage(given: readonly UploadedFile[]): Result<CheckedPackage> {
  const litter = given.map(({ path }) => path).filter((path) => LITTER.test(path));
  const included = given
    .filter(({ path }) => !LITTER.test(path))
    .map(({ path, bytes }) => ({ path: path.replace(/^\.\//, ""), bytes }));
  const room = checkLimits(included.map(({ bytes }) => bytes.length));
  if (!room.ok) return room;
  const judged = included.map((file) => ({ file, path: judgePackagePath(file.path) }));
  const faults = judged.flatMap(({ file, path }) =>
    path.ok ? [] : [{ field: formatUntrusted(file.path), message: path.error.message }],
  );
  const named = judged.flatMap(({ file, path }) => (path.ok ? [{ ...file, path: path.value }] : []));
  faults.push(...findClashes(named.map(({ path }) => path)));
  if (faults.length > 0) return failFiles(faults);
  const folder = findCommonFolder(named.map(({ path }) => path));
  const files = named
    .map(({ path, bytes }) => ({ path: folder === null ? path : path.slice(folder.length + 1), bytes }))
    .map(({ path, bytes }) => ({ path, bytes, size: bytes.length, mode: hasShebang(bytes) ? RUNNABLE : PLAIN }))
    .sort(comparePaths);
  const top = files.find(({ path }) => path === SKILL_FILE);
  if (top === undefined) return failMissingSkillFile(files.map(({ path }) => path));
  if (top.size > MAX_SKILL_FILE_BYTES) {
    const message = `${SKILL_FILE}: has at most ${MAX_SKILL_FILE_BYTES} bytes, this one has ${top.size}. Move rarely needed parts to references/.`;
    return failed("too_large", message, { field: SKILL_FILE });
  }
  return ok({ files, folder, litter });
}

/** `too_large` when there are too many files, or too many bytes. */
function checkLimits(sizes: readonly number[]): Result<void> {
  if (sizes.length > MAX_PACKAGE_FILES) {
    const message = `A skill has at most ${MAX_PACKAGE_FILES} files, this one has ${sizes.length}.`;
    return failed("too_large", message, { field: "files" });
  }
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes <= MAX_PACKAGE_BYTES) return ok(undefined);
  const message = `The files of a skill have at most ${MAX_PACKAGE_BYTES} bytes together, these have ${bytes}.`;
  return failed("too_large", message, { field: "files" });
}

/** Writes a package: the length of its head, a line feed, the head (JSON), and the files in order. */
export function writePackage(files: readonly PackedFile[]): Uint8Array<ArrayBuffer> {
  const head = toCanonicalJson({ files: files.map(({ path, size, mode }) => ({ path, size, mode })) });
  const encoded = new TextEncoder().encode(head);
  const start = new TextEncoder().encode(`${encoded.length}\n`);
  return joinBytes([start, encoded, ...files.map(({ bytes }) => bytes)]);
}

/** The package's name: the SHA-256 of its bytes in hex. */
export async function hashPackage(packed: Uint8Array<ArrayBuffer>): Promise<string> {
  return await sha256Hex(packed);
}

/** Reads a package that `writePackage` wrote. */
export function readPackage(packed: Uint8Array): SkillPackage {
  const lineEnd = packed.indexOf(0x0a);
  const headEnd = lineEnd + 1 + Number(new TextDecoder().decode(packed.subarray(0, lineEnd)));
  const head = JSON.parse(new TextDecoder().decode(packed.subarray(lineEnd + 1, headEnd))) as {
    readonly files: readonly SkillFile[];
  };
  const places = new Map<string, Uint8Array>();
  let at = headEnd;
  for (const { path, size } of head.files) {
    places.set(path, packed.subarray(at, at + size));
    at += size;
  }
  return openPackage(head.files, places);
}

/** Opens a package of files in memory. */
export function openPackage(files: readonly SkillFile[], bytesOf: ReadonlyMap<string, Uint8Array>): SkillPackage {
  return {
    files,
    text: new TextDecoder().decode(bytesOf.get(SKILL_FILE)),
    read(path) {
      const bytes = bytesOf.get(path);
      return bytes === undefined ? failed("not_found", "The skill has no file at this path.") : ok(bytes);
    },
  };
}

/** The key of a package in the bucket. It is deleted with its tenant. */
export function getPackageKey(tenant: string, hash: string): string {
  return `${tenant}/skills/${hash}`;
}

/** True for a text with the form of a package's hash. */
export function isPackageHash(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** The failure for invalid files. */
export function failFiles(faults: readonly InvalidFile[]): Result<never> {
  const problems = faults.map(({ field, message }) => `${field}: ${message}`).join("; ");
  const [first] = faults;
  const at = first === undefined ? {} : { field: first.field };
  return failed("invalid_input", `This is not a valid skill package: ${problems}.`.slice(0, 2_000), {
    ...at,
    fields: faults,
  });
}

/** Formats untrusted text for a message: short, and on one line. */
export function formatUntrusted(text: string): string {
  const plain = text.replace(/[\p{C}\p{Z}]/gu, (character) => (character === " " ? " " : "�"));
  return plain.length > 100 ? `${plain.slice(0, 100)}…` : plain;
}

function judgePackagePath(raw: string): Result<string> {
  const refuse = (reason: string) => failed("invalid_input", reason);
  const form = judgeForm(raw);
  if (!form.ok) {
    const leads = form.error.code === "sandbox_denied";
    return refuse(leads ? "leads out of the package" : form.error.message.replace(/^path: /, "").replace(/\.$/, ""));
  }
  const path = form.value;
  if (/^[A-Za-z]:/.test(path)) return refuse("leads out of the package");
  if (/[\p{Cf}\p{Zl}\p{Zp}]/u.test(path)) return refuse("contains invisible characters");
  if (new TextEncoder().encode(path).length > MAX_PATH_BYTES) return refuse(`is longer than ${MAX_PATH_BYTES} bytes`);
  if (path.split("/").length > MAX_DEPTH) return refuse(`is more than ${MAX_DEPTH} folders deep`);
  return ok(path);
}

/** Paths that occur twice, that differ in case only, and files in the place of a folder. */
function findClashes(paths: readonly string[]): InvalidFile[] {
  const faults: InvalidFile[] = [];
  const byKey = new Map<string, string>();
  for (const path of paths) {
    const other = byKey.get(path.toLowerCase());
    if (other === path) faults.push({ field: formatUntrusted(path), message: "occurs twice" });
    else if (other !== undefined)
      faults.push({ field: formatUntrusted(path), message: `differs from ${formatUntrusted(other)} only in case` });
    byKey.set(path.toLowerCase(), path);
  }
  for (const path of paths) {
    const segments = path.toLowerCase().split("/");
    const above = segments.slice(1).map((_, index) => segments.slice(0, index + 1).join("/"));
    const inTheWay = above.find((folder) => byKey.has(folder));
    if (inTheWay !== undefined)
      faults.push({ field: formatUntrusted(path), message: `${formatUntrusted(inTheWay)} is a file, not a folder` });
  }
  return faults;
}

/** The folder that contains all files and the SKILL.md. */
function findCommonFolder(paths: readonly string[]): string | null {
  const slash = paths[0]?.indexOf("/") ?? -1;
  if (slash < 0) return null;
  const folder = paths[0]?.slice(0, slash) ?? "";
  return paths.every((path) => path.startsWith(`${folder}/`)) && !paths.includes(SKILL_FILE) ? folder : null;
}

function failMissingSkillFile(paths: readonly string[]): Result<never> {
  const others = paths.filter((path) => /(?:^|\/)skill\.md$/i.test(path)).map(formatUntrusted);
  const [first] = others;
  const why =
    first === undefined
      ? `is missing: a skill is a folder with a ${SKILL_FILE}`
      : others.length > 1
        ? `is not at the top, and there are ${others.length} below (${others.slice(0, 3).join(", ")}): send each skill separately`
        : `is missing at the top: found ${first}`;
  return failFiles([{ field: SKILL_FILE, message: why }]);
}

/**
 * Whether the file begins with a shebang, which determines its mode. Modes in an archive depend on its system, and form
 * uploads have none.
 */
export function hasShebang(bytes: Uint8Array): boolean {
  return bytes[0] === 0x23 && bytes[1] === 0x21;
}

/** Compares code points, which is the byte order of UTF-8. */
function comparePaths({ path: a }: PackedFile, { path: b }: PackedFile): number {
  const [left, right] = [Array.from(a), Array.from(b)];
  for (let i = 0; i < Math.min(left.length, right.length); i += 1) {
    const order = (left[i]?.codePointAt(0) ?? 0) - (right[i]?.codePointAt(0) ?? 0);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}
