/**
 * Finds what a program changed in its folder, after all its processes have ended. Follows no link, and refuses each entry that is
 * neither a regular file nor a folder or whose name a sandbox does not accept.
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
  readlinkSync,
  readSync,
  type Stats,
} from "node:fs";
import { setImmediate as turn } from "node:timers/promises";
import { judgeForm } from "../../core/sandbox/path.ts";
import { readEntries } from "./measure.ts";

const PIECE_BYTES = 1024 * 1024;
const ENTRIES_PER_TURN = 200;
/** Further refused entries are reported as a count. */
const MAX_REFUSED = 200;
const MAX_PATH_CHARACTERS = 200;
const MAX_DEPTH = 64;

/** A file as it was before the program ran. */
export interface FileSnapshot {
  readonly size: number;
  readonly mode: number;
  readonly hash: string;
}

export interface Refused {
  readonly path: string;
  readonly why: string;
}

/** `from` is the current location of the file. */
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
  /** Files and folders to inspect. */
  readonly workFiles: number;
  /** Limits all written files together. */
  readonly maxBytes: number;
  readonly maxFiles: number;
  /** The target of each link that the sidecar made, by path. Those that are still there are no change. */
  readonly ownLinks?: ReadonlyMap<string, string>;
}

/** A regular file. */
interface FoundFile {
  readonly path: string;
  readonly location: Buffer;
  readonly facts: Stats;
}

/** Records the files of a folder by path before a program runs. */
export async function snapshotFiles(
  folder: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, FileSnapshot>> {
  const before = new Map<string, FileSnapshot>();
  for (const [at, path] of paths.entries()) {
    if (at % ENTRIES_PER_TURN === 0) await turn();
    const location = Buffer.from(`${folder}/${path}`);
    const { size, mode } = lstatSync(location);
    before.set(path, { size, mode: mode & 0o777, hash: (await hashFile(location)) ?? "" });
  }
  return before;
}

/** Compares a folder with its snapshot. When a limit is exceeded, returns no change and a refusal that says why. */
export async function findChanges(
  folder: string,
  before: ReadonlyMap<string, FileSnapshot>,
  limits: ChangeLimits,
): Promise<Changes> {
  const found = await walk(folder, limits);
  if (found === null) {
    const why = `There are more than ${limits.workFiles} files and folders, so no change was saved.`;
    return { written: [], removed: [], refused: [{ path: "", why }] };
  }
  const linked = refuseHardLinks(found.files);
  const refused = [...found.refused, ...linked];
  const files = found.files.filter(({ path }) => !linked.some((one) => one.path === path));
  const written = await findWritten(files, before, refused);
  const present = new Set(found.files.map(({ path }) => path));
  const refusedPaths = new Set(refused.map(({ path }) => path));
  const removed = [...before.keys()].filter((path) => !present.has(path) && !isBelowRefused(path, refusedPaths));
  const bytes = written.reduce((sum, { size }) => sum + size, 0);
  const excess = checkTotals(written.length, bytes, limits);
  if (excess === null) return { written, removed, refused: formatRefused(refused) };
  const all = written.map(({ path }) => ({ path, why: excess }));
  return { written: [], removed: [], refused: formatRefused([...all, ...refused]) };
}

function checkTotals(files: number, bytes: number, limits: ChangeLimits): string | null {
  if (files > limits.maxFiles) return `More than ${limits.maxFiles} files were written, so no change was saved.`;
  if (bytes > limits.maxBytes) return `More than ${limits.maxBytes} bytes were written, so no change was saved.`;
  return null;
}

/** Null if the folder exceeds `workFiles`. */
async function walk(
  folder: string,
  { workFiles, ownLinks = new Map() }: ChangeLimits,
): Promise<{ readonly files: readonly FoundFile[]; readonly refused: readonly Refused[] } | null> {
  const files: FoundFile[] = [];
  const refused: Refused[] = [];
  const taken = new Set<string>();
  const open: { readonly location: Buffer; readonly names: readonly Buffer[] }[] = [
    { location: Buffer.from(folder), names: [] },
  ];
  let entries = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    makeReadable(at.location, 0o700);
    for (const entry of readEntries(at.location)) {
      entries += 1;
      if (entries > workFiles) return null;
      if (entries % ENTRIES_PER_TURN === 0) await turn();
      const names = [...at.names, entry.name];
      const location = Buffer.concat([at.location, Buffer.from("/"), entry.name]);
      if (entry.isSymbolicLink() && isOwnLink(names, location, ownLinks)) continue;
      const judged = checkEntry(entry, location, names, taken);
      if ("why" in judged) refused.push(judged);
      else if (entry.isDirectory()) open.push({ location, names });
      else files.push(judged);
    }
  }
  return { files, refused };
}

function isOwnLink(names: readonly Buffer[], location: Buffer, ownLinks: ReadonlyMap<string, string>): boolean {
  const target = ownLinks.get(names.map((name) => name.toString("utf8")).join("/"));
  return target !== undefined && readlinkSync(location) === target;
}

function checkEntry(
  entry: Dirent<Buffer>,
  location: Buffer,
  names: readonly Buffer[],
  taken: Set<string>,
): FoundFile | Refused {
  const bytes = Buffer.concat(names.flatMap((name, at) => (at === 0 ? [name] : [Buffer.from("/"), name])));
  const text = bytes.toString("utf8");
  const refuse = (why: string): Refused => ({ path: text, why });
  if (!Buffer.from(text).equals(bytes)) return refuse("Its name is not UTF-8.");
  if (entry.isSymbolicLink()) return refuse("It is a link.");
  if (!entry.isFile() && !entry.isDirectory()) return refuse("It is neither a file nor a folder.");
  if (names.length > MAX_DEPTH) return refuse(`It is more than ${MAX_DEPTH} folders deep.`);
  const judged = judgeForm(text);
  if (!judged.ok) return refuse("A sandbox does not accept its name.");
  if (taken.has(judged.value)) return refuse("Another file has the same name.");
  taken.add(judged.value);
  return { path: judged.value, location, facts: lstatSync(location) };
}

/** Refuses files that are also linked from outside the folder. */
function refuseHardLinks(files: readonly FoundFile[]): readonly Refused[] {
  const names = new Map<number, number>();
  for (const { facts } of files) names.set(facts.ino, (names.get(facts.ino) ?? 0) + 1);
  return files
    .filter(({ facts }) => facts.nlink > (names.get(facts.ino) ?? 0))
    .map(({ path }) => ({ path, why: "It has another name elsewhere." }));
}

async function findWritten(
  files: readonly FoundFile[],
  before: ReadonlyMap<string, FileSnapshot>,
  refused: Refused[],
): Promise<readonly Written[]> {
  const written: Written[] = [];
  for (const { path, location, facts } of files) {
    await turn();
    const mode = facts.mode & 0o777;
    const known = before.get(path);
    makeReadable(location, 0o400);
    const hash = known?.size === facts.size ? await hashFile(location) : "";
    if (hash === null || !isReadable(location)) refused.push({ path, why: "It cannot be read." });
    else if (known?.size !== facts.size || known.mode !== mode || known.hash !== hash)
      written.push({ path, size: facts.size, mode, from: location.toString() });
  }
  return written;
}

function isBelowRefused(path: string, refusedPaths: ReadonlySet<string>): boolean {
  const names = path.split("/");
  return names.some((_, at) => refusedPaths.has(names.slice(0, at + 1).join("/")));
}

/** Adds the missing permissions, which a sidecar that is not root needs. */
function makeReadable(location: Buffer, needed: number): void {
  const { mode } = lstatSync(location);
  if ((mode & needed) === needed) return;
  try {
    chmodSync(location, mode | needed);
  } catch {
    // The caller reports it as unreadable.
  }
}

function isReadable(location: Buffer): boolean {
  const fd = openPlain(location);
  if (fd !== null) closeSync(fd);
  return fd !== null;
}

/** Null if it is not a regular file or cannot be read. */
function openPlain(location: Buffer): number | null {
  try {
    const fd = openSync(location, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if (fstatSync(fd).isFile()) return fd;
    closeSync(fd);
  } catch {
    // It is a link or unreadable.
  }
  return null;
}

/** Null if it cannot be read. */
async function hashFile(location: Buffer): Promise<string | null> {
  const fd = openPlain(location);
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

/** Replaces control characters and limits the number of entries. */
function formatRefused(refused: readonly Refused[]): readonly Refused[] {
  const first = refused
    .slice(0, MAX_REFUSED)
    .map(({ path, why }) => ({ path: path.replace(/\p{Cc}/gu, "\uFFFD").slice(0, MAX_PATH_CHARACTERS), why }));
  const more = refused.length - first.length;
  return more === 0 ? first : [...first, { path: "", why: `${more} more were not saved.` }];
}
