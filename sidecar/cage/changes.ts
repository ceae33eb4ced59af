/**
 * What a program changed in its folder, found when all its processes are gone. No link is followed: what is neither a plain
 * file nor a folder, and what no sandbox takes, is refused by its name.
 */
import { createHash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  type Stats,
} from "node:fs";
import { setImmediate as turn } from "node:timers/promises";
import { judgeForm } from "../../core/sandbox/path.ts";
import { entriesOf } from "./measure.ts";

const PIECE_BYTES = 1024 * 1024;
const ENTRIES_A_TURN = 200;
/** What is refused beyond these is told as one. */
const MAX_REFUSED = 200;
const MAX_SHOWN_CHARACTERS = 200;
const MAX_DEPTH = 64;

/** A file as it was before the program ran. */
export interface FileBefore {
  readonly size: number;
  readonly mode: number;
  readonly hash: string;
}

export interface Refused {
  readonly path: string;
  readonly why: string;
}

/** `from` is where the file is now. */
export interface Written {
  readonly path: string;
  readonly size: number;
  readonly mode: number;
  readonly from: string;
}

export interface Changes {
  readonly written: readonly Written[];
  readonly removed: readonly string[];
  readonly refused: readonly Refused[];
}

export interface ChangeLimits {
  /** Files and folders that are looked at. */
  readonly workFiles: number;
  /** Of what was written. */
  readonly maxBytes: number;
  readonly maxFiles: number;
}

/** A plain file that was found. */
interface Found {
  readonly path: string;
  readonly place: Buffer;
  readonly facts: Stats;
}

/** The files of a folder by path, before a program runs. */
export async function filesBefore(folder: string, paths: readonly string[]): Promise<ReadonlyMap<string, FileBefore>> {
  const before = new Map<string, FileBefore>();
  for (const [at, path] of paths.entries()) {
    if (at % ENTRIES_A_TURN === 0) await turn();
    const place = Buffer.from(`${folder}/${path}`);
    const { size, mode } = lstatSync(place);
    before.set(path, { size, mode: mode & 0o777, hash: (await hashOf(place)) ?? "" });
  }
  return before;
}

/** Compares a folder with what it was. When there is too much, nothing comes back and one refusal says why. */
export async function changesIn(
  folder: string,
  before: ReadonlyMap<string, FileBefore>,
  limits: ChangeLimits,
): Promise<Changes> {
  const found = await walk(folder, limits);
  if (found === null) {
    const why = `There are more than ${limits.workFiles} files and folders, so nothing comes back.`;
    return { written: [], removed: [], refused: [{ path: "", why }] };
  }
  const linked = withOtherNames(found.files);
  const refused = [...found.refused, ...linked];
  const files = found.files.filter(({ path }) => !linked.some((one) => one.path === path));
  const written = await writtenOf(files, before, refused);
  const present = new Set(found.files.map(({ path }) => path));
  const shut = new Set(refused.map(({ path }) => path));
  const removed = [...before.keys()].filter((path) => !present.has(path) && !isBelow(path, shut));
  const bytes = written.reduce((sum, { size }) => sum + size, 0);
  const tooMuch = whyTooMuch(written.length, bytes, limits);
  if (tooMuch === null) return { written, removed, refused: shown(refused) };
  const all = written.map(({ path }) => ({ path, why: tooMuch }));
  return { written: [], removed: [], refused: shown([...all, ...refused]) };
}

function whyTooMuch(files: number, bytes: number, limits: ChangeLimits): string | null {
  if (files > limits.maxFiles) return `More than ${limits.maxFiles} files were written, so nothing comes back.`;
  if (bytes > limits.maxBytes) return `More than ${limits.maxBytes} bytes were written, so nothing comes back.`;
  return null;
}

/** Null: there is more than may be looked at. */
async function walk(
  folder: string,
  { workFiles }: ChangeLimits,
): Promise<{ readonly files: readonly Found[]; readonly refused: readonly Refused[] } | null> {
  const files: Found[] = [];
  const refused: Refused[] = [];
  const taken = new Set<string>();
  const open: { readonly place: Buffer; readonly names: readonly Buffer[] }[] = [
    { place: Buffer.from(folder), names: [] },
  ];
  let entries = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    makeReadable(at.place, 0o700);
    for (const entry of entriesOf(at.place)) {
      entries += 1;
      if (entries > workFiles) return null;
      if (entries % ENTRIES_A_TURN === 0) await turn();
      const names = [...at.names, entry.name];
      const place = Buffer.concat([at.place, Buffer.from("/"), entry.name]);
      const judged = judgeEntry(entry, place, names, taken);
      if ("why" in judged) refused.push(judged);
      else if (entry.isDirectory()) open.push({ place, names });
      else files.push(judged);
    }
  }
  return { files, refused };
}

function judgeEntry(
  entry: Dirent<Buffer>,
  place: Buffer,
  names: readonly Buffer[],
  taken: Set<string>,
): Found | Refused {
  const bytes = Buffer.concat(names.flatMap((name, at) => (at === 0 ? [name] : [Buffer.from("/"), name])));
  const text = bytes.toString("utf8");
  const refuse = (why: string): Refused => ({ path: text, why });
  if (!Buffer.from(text).equals(bytes)) return refuse("Its name is no UTF-8.");
  if (entry.isSymbolicLink()) return refuse("It is a link.");
  if (!entry.isFile() && !entry.isDirectory()) return refuse("It is neither a file nor a folder.");
  if (names.length > MAX_DEPTH) return refuse(`It is more than ${MAX_DEPTH} folders deep.`);
  const judged = judgeForm(text);
  if (!judged.ok) return refuse("Its name is none that a sandbox takes.");
  if (taken.has(judged.value)) return refuse("Another file has the same name.");
  taken.add(judged.value);
  return { path: judged.value, place, facts: lstatSync(place) };
}

/** Files that have a name outside the folder too. */
function withOtherNames(files: readonly Found[]): readonly Refused[] {
  const names = new Map<number, number>();
  for (const { facts } of files) names.set(facts.ino, (names.get(facts.ino) ?? 0) + 1);
  return files
    .filter(({ facts }) => facts.nlink > (names.get(facts.ino) ?? 0))
    .map(({ path }) => ({ path, why: "It has another name elsewhere." }));
}

async function writtenOf(
  files: readonly Found[],
  before: ReadonlyMap<string, FileBefore>,
  refused: Refused[],
): Promise<readonly Written[]> {
  const written: Written[] = [];
  for (const { path, place, facts } of files) {
    await turn();
    const mode = facts.mode & 0o777;
    const known = before.get(path);
    makeReadable(place, 0o400);
    const hash = known?.size === facts.size ? await hashOf(place) : "";
    if (hash === null || !canBeRead(place)) refused.push({ path, why: "It cannot be read." });
    else if (known?.size !== facts.size || known.mode !== mode || known.hash !== hash)
      written.push({ path, size: facts.size, mode, from: place.toString() });
  }
  return written;
}

function isBelow(path: string, shut: ReadonlySet<string>): boolean {
  const names = path.split("/");
  return names.some((_, at) => shut.has(names.slice(0, at + 1).join("/")));
}

/** A sidecar that is not root may read only what the mode lets its user read. */
function makeReadable(place: Buffer, needed: number): void {
  const { mode } = lstatSync(place);
  if ((mode & needed) === needed) return;
  try {
    chmodSync(place, mode | needed);
  } catch {
    // It is told as one that cannot be read.
  }
}

function canBeRead(place: Buffer): boolean {
  const fd = openPlain(place);
  if (fd !== null) closeSync(fd);
  return fd !== null;
}

/** Null: it is no plain file, or cannot be read. */
function openPlain(place: Buffer): number | null {
  try {
    const fd = openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if (fstatSync(fd).isFile()) return fd;
    closeSync(fd);
  } catch {
    // It is a link, or may not be read.
  }
  return null;
}

/** Null: it cannot be read. */
async function hashOf(place: Buffer): Promise<string | null> {
  const fd = openPlain(place);
  if (fd === null) return null;
  const hash = createHash("sha256");
  const piece = Buffer.alloc(Math.min(PIECE_BYTES, fstatSync(fd).size + 1));
  try {
    for (let read = readSync(fd, piece); read > 0; read = readSync(fd, piece)) {
      hash.update(piece.subarray(0, read));
      if (read === PIECE_BYTES) await turn();
    }
  } finally {
    closeSync(fd);
  }
  return hash.digest("hex");
}

/** For people: without control characters, and not too many. */
function shown(refused: readonly Refused[]): readonly Refused[] {
  const first = refused
    .slice(0, MAX_REFUSED)
    .map(({ path, why }) => ({ path: path.replace(/\p{Cc}/gu, "\uFFFD").slice(0, MAX_SHOWN_CHARACTERS), why }));
  const more = refused.length - first.length;
  return more === 0 ? first : [...first, { path: "", why: `${more} more do not come back.` }];
}
