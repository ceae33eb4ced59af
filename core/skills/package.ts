/**
 * A skill's files as one package: which files may be in it, the bytes that it is kept as, and its hash, which is of those
 * bytes. The same files give the same bytes, however they came.
 */
import { toCanonicalJson } from "../base/canonical-json.ts";
import { failed, ok, type Result } from "../base/errors.ts";
import { judgeForm } from "../sandbox/path.ts";
import type { SkillFile, SkillPackage } from "../ports/skills.ts";
import { SKILL_FILE } from "./skill.ts";
import { joinBytes } from "../base/join-bytes.ts";
import { sha256Hex } from "../base/sha256.ts";

/** Bytes of all files of a package together, of a SKILL.md, and how many files there are. */
export const MAX_PACKAGE_BYTES = 10_000_000;
export const MAX_SKILL_FILE_BYTES = 100_000;
export const MAX_PACKAGE_FILES = 200;
/** Bytes of a path, and folders one inside the other. */
const MAX_PATH_BYTES = 300;
const MAX_DEPTH = 10;

const RUNNABLE = 0o755;
const PLAIN = 0o644;

/** What systems and programs leave in folders: never part of a skill. */
const LITTER = /(?:^|\/)(?:(?:__MACOSX|__pycache__|\.git)\/.*|\.DS_Store|\._[^/]*|Thumbs\.db|desktop\.ini)$/;

/** A file as it came. */
export interface GivenFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** A file that is part of a package. */
export interface PackedFile extends SkillFile {
  readonly bytes: Uint8Array;
}

/** Files that can be a package, in its order. */
export interface GivenPackage {
  readonly files: readonly PackedFile[];
  /** The folder that they all stood in; null: they came without one. */
  readonly folder: string | null;
  /** Paths that were left out. */
  readonly litter: readonly string[];
}

/** A mistake in what was sent: `field` names the file. */
interface Misplaced {
  readonly field: string;
  readonly message: string;
}

/**
 * The package that files make. One folder around all of them is taken away. `invalid_input` names every path that cannot be
 * in a package, `too_large` what is too much.
 */
export function packageOf(given: readonly GivenFile[]): Result<GivenPackage> {
  const litter = given.map(({ path }) => path).filter((path) => LITTER.test(path));
  const kept = given
    .filter(({ path }) => !LITTER.test(path))
    .map(({ path, bytes }) => ({ path: path.replace(/^\.\//, ""), bytes }));
  const room = checkRoom(kept.map(({ bytes }) => bytes.length));
  if (!room.ok) return room;
  const judged = kept.map((file) => ({ file, path: judgePackagePath(file.path) }));
  const faults = judged.flatMap(({ file, path }) =>
    path.ok ? [] : [{ field: shown(file.path), message: path.error.message }],
  );
  const named = judged.flatMap(({ file, path }) => (path.ok ? [{ ...file, path: path.value }] : []));
  faults.push(...clashes(named.map(({ path }) => path)));
  if (faults.length > 0) return refusal(faults);
  const folder = folderAround(named.map(({ path }) => path));
  const files = named
    .map(({ path, bytes }) => ({ path: folder === null ? path : path.slice(folder.length + 1), bytes }))
    .map(({ path, bytes }) => ({ path, bytes, size: bytes.length, mode: hasShebang(bytes) ? RUNNABLE : PLAIN }))
    .sort(byPath);
  const top = files.find(({ path }) => path === SKILL_FILE);
  if (top === undefined) return noSkillFile(files.map(({ path }) => path));
  if (top.size > MAX_SKILL_FILE_BYTES) {
    const message = `${SKILL_FILE}: has at most ${MAX_SKILL_FILE_BYTES} bytes, this one has ${top.size}. Move what is not always needed to references/.`;
    return failed("too_large", message, { field: SKILL_FILE });
  }
  return ok({ files, folder, litter });
}

/** `too_large` when files of these sizes are too many, or too large together. */
function checkRoom(sizes: readonly number[]): Result<void> {
  if (sizes.length > MAX_PACKAGE_FILES) {
    const message = `A skill has at most ${MAX_PACKAGE_FILES} files, this one has ${sizes.length}.`;
    return failed("too_large", message, { field: "files" });
  }
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes <= MAX_PACKAGE_BYTES) return ok(undefined);
  const message = `The files of a skill have at most ${MAX_PACKAGE_BYTES} bytes together, these have ${bytes}.`;
  return failed("too_large", message, { field: "files" });
}

/** The bytes of a package: the length of its head, a line feed, the head (JSON), and the files one after the other. */
export function writePackage(files: readonly PackedFile[]): Uint8Array<ArrayBuffer> {
  const head = toCanonicalJson({ files: files.map(({ path, size, mode }) => ({ path, size, mode })) });
  const encoded = new TextEncoder().encode(head);
  const start = new TextEncoder().encode(`${encoded.length}\n`);
  return joinBytes([start, encoded, ...files.map(({ bytes }) => bytes)]);
}

/** A package's name: SHA-256 in hex of its bytes. */
export async function packageHash(packed: Uint8Array<ArrayBuffer>): Promise<string> {
  return await sha256Hex(packed);
}

/** A package from its bytes, as `writePackage` made them. */
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

/** A package of files that are there already. */
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

/** Where a package stands in the bucket. It goes with its tenant. */
export function packageKey(tenant: string, hash: string): string {
  return `${tenant}/skills/${hash}`;
}

/** True for a text that can be the hash of a package. */
export function isPackageHash(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** The refusal of files that cannot be where they are. */
export function refusal(faults: readonly Misplaced[]): Result<never> {
  const said = faults.map(({ field, message }) => `${field}: ${message}`).join("; ");
  const [first] = faults;
  const at = first === undefined ? {} : { field: first.field };
  return failed("invalid_input", `This is no skill's package: ${said}.`.slice(0, 2_000), { ...at, fields: faults });
}

/** A text of whoever sent it as a message may hold it: short, and on one line. */
export function shown(text: string): string {
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
  if (/[\p{Cf}\p{Zl}\p{Zp}]/u.test(path)) return refuse("holds characters that cannot be seen");
  if (new TextEncoder().encode(path).length > MAX_PATH_BYTES) return refuse(`is longer than ${MAX_PATH_BYTES} bytes`);
  if (path.split("/").length > MAX_DEPTH) return refuse(`is more than ${MAX_DEPTH} folders deep`);
  return ok(path);
}

/** Paths that are there twice, that only case tells apart, and files that stand where a folder has to. */
function clashes(paths: readonly string[]): Misplaced[] {
  const faults: Misplaced[] = [];
  const byKey = new Map<string, string>();
  for (const path of paths) {
    const other = byKey.get(path.toLowerCase());
    if (other === path) faults.push({ field: shown(path), message: "is there twice" });
    else if (other !== undefined)
      faults.push({ field: shown(path), message: `differs from ${shown(other)} in case only` });
    byKey.set(path.toLowerCase(), path);
  }
  for (const path of paths) {
    const segments = path.toLowerCase().split("/");
    const above = segments.slice(1).map((_, index) => segments.slice(0, index + 1).join("/"));
    const inTheWay = above.find((folder) => byKey.has(folder));
    if (inTheWay !== undefined)
      faults.push({ field: shown(path), message: `${shown(inTheWay)} is a file, and no folder` });
  }
  return faults;
}

/** The folder that all stand in and that has the SKILL.md. */
function folderAround(paths: readonly string[]): string | null {
  const slash = paths[0]?.indexOf("/") ?? -1;
  if (slash < 0) return null;
  const folder = paths[0]?.slice(0, slash) ?? "";
  return paths.every((path) => path.startsWith(`${folder}/`)) && !paths.includes(SKILL_FILE) ? folder : null;
}

function noSkillFile(paths: readonly string[]): Result<never> {
  const others = paths.filter((path) => /(?:^|\/)skill\.md$/i.test(path)).map(shown);
  const [first] = others;
  const why =
    first === undefined
      ? `is missing: a skill is a folder with a ${SKILL_FILE}`
      : others.length > 1
        ? `is not at the top, and there are ${others.length} below (${others.slice(0, 3).join(", ")}): send each skill by itself`
        : `is not there: what was found is ${first}`;
  return refusal([{ field: SKILL_FILE, message: why }]);
}

/**
 * Whether the first line says by what the file is run. It makes the file's mode: what an archive says of modes is by the
 * system that made it, and a form says nothing.
 */
export function hasShebang(bytes: Uint8Array): boolean {
  return bytes[0] === 0x23 && bytes[1] === 0x21;
}

/** In the order of code points, which is that of the bytes of UTF-8. */
function byPath({ path: a }: PackedFile, { path: b }: PackedFile): number {
  const [left, right] = [Array.from(a), Array.from(b)];
  for (let i = 0; i < Math.min(left.length, right.length); i += 1) {
    const order = (left[i]?.codePointAt(0) ?? 0) - (right[i]?.codePointAt(0) ?? 0);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}
