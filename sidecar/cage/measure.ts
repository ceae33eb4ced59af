/** What no rlimit bounds: how much a cage's folders, files and processes take, all together. */
import {
  chmodSync,
  closeSync,
  type Dirent,
  lstatSync,
  opendirSync,
  openSync,
  readdirSync,
  readSync,
  statfsSync,
  statSync,
} from "node:fs";
import { setImmediate as turn } from "node:timers/promises";
import { isForbidden, type ProcessFacts, proportionalBytes, readOrNull } from "./processes.ts";

/** The kernel takes no longer path (PATH_MAX); what lies deeper could not be measured. */
const MAX_PATH_BYTES = 3_500;
const ENTRIES_A_TURN = 500;
const BLOCK_BYTES = 512;
const OWNER_MAY_READ = 0o500;
/** A name without bytes takes room too. */
const ENTRY_BYTES = 256;
/**
 * What can be looked at in bounded time. Of open files together: the kernel can hold 200 KiB more for each (a socket), which nothing
 * counts.
 */
const MAX_OPEN_FILES = 8_192;
/** Of the list of what a process has in its memory (proc_pid_maps(5)), and of all lists. */
const MAX_MAPS_BYTES = 1024 * 1024;
const MAX_ALL_MAPS_BYTES = 8 * 1024 * 1024;
const MAPS_PIECE_BYTES = 64 * 1024;
/** So many times its memory a program may have, when pages are counted for each process that shares them. */
const MAX_SHARED = 16;

export interface FolderLimits {
  readonly workBytes: number;
  readonly workFiles: number;
}

/** Why a folder is too much, in words for anyone; null: it is within its limits. No more than that is walked. */
export async function whyFolderIsTooMuch(folder: string, limits: FolderLimits): Promise<string | null> {
  let [bytes, files] = [0, 0];
  const open: Buffer[] = [Buffer.from(folder)];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (path.length > MAX_PATH_BYTES) return "Its folders are nested too deeply.";
    for (const entry of entriesNow(path)) {
      files += 1;
      if (files % ENTRIES_A_TURN === 0) await turn();
      const child = Buffer.concat([path, Buffer.from("/"), entry.name]);
      bytes += ENTRY_BYTES + takenBytes(child);
      if (files > limits.workFiles) return `It made more than ${limits.workFiles} files and folders.`;
      if (bytes > limits.workBytes) return `Its files took more than ${limits.workBytes} bytes.`;
      if (entry.isDirectory()) open.push(child);
    }
  }
  return null;
}

/** One by one, as a folder can have more than memory holds. Throws for a folder that is gone or cannot be read. */
export function* entriesOf(path: Buffer): Generator<Dirent<Buffer>> {
  // The types of Node know names as texts only.
  const folder = opendirSync(path, { encoding: "buffer" as BufferEncoding, bufferSize: 256 });
  try {
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
      yield entry as unknown as Dirent<Buffer>;
    }
  } finally {
    folder.closeSync();
  }
}

/** As far as they can be read, while the program changes them. A folder that is shut to its own user is opened again. */
function* entriesNow(path: Buffer): Generator<Dirent<Buffer>> {
  try {
    openAgain(path);
    yield* entriesOf(path);
  } catch {
    // It was removed meanwhile.
  }
}

function openAgain(path: Buffer): void {
  const { mode } = lstatSync(path);
  if ((mode & OWNER_MAY_READ) !== OWNER_MAY_READ) chmodSync(path, mode | OWNER_MAY_READ);
}

/** On the disk, or as far as the file goes when that is less. */
function takenBytes(path: Buffer): number {
  try {
    return lstatSync(path).blocks * BLOCK_BYTES;
  } catch {
    return 0;
  }
}

export interface ProcessLimits {
  readonly memoryBytes: number;
  readonly workBytes: number;
}

/** Why processes are too much; null: they are within their limits. `tmpfs`: their folders in memory. */
export async function whyProcessesAreTooMuch(
  processes: readonly ProcessFacts[],
  tmpfs: readonly string[],
  limits: ProcessLimits,
): Promise<string | null> {
  const inTmpfs = tmpfs.reduce((sum, path) => sum + tmpfsBytes(path), 0);
  if (await isTooMuchMemory(processes, inTmpfs, limits))
    return `It took more than ${limits.memoryBytes} bytes of memory.`;
  return await whyUnnamedAreTooMuch(processes, limits);
}

async function isTooMuchMemory(
  processes: readonly ProcessFacts[],
  inTmpfs: number,
  { memoryBytes }: ProcessLimits,
): Promise<boolean> {
  const withShared = processes.reduce((sum, { residentBytes }) => sum + residentBytes, inTmpfs);
  if (withShared <= memoryBytes) return false;
  if (withShared > memoryBytes * MAX_SHARED) return true;
  let bytes = inTmpfs;
  for (const facts of processes.toSorted((one, other) => other.residentBytes - one.residentBytes)) {
    bytes += await proportionalBytes(facts);
    if (bytes > memoryBytes) return true;
  }
  return false;
}

function tmpfsBytes(path: string): number {
  try {
    const { bsize, blocks, bfree, files, ffree } = statfsSync(path);
    return (blocks - bfree) * bsize + (files - ffree) * BLOCK_BYTES * 2;
  } catch {
    return 0;
  }
}

/** Files without a name that processes hold open or have in their memory: no walk of a folder finds them. */
async function whyUnnamedAreTooMuch(
  processes: readonly ProcessFacts[],
  { workBytes }: ProcessLimits,
): Promise<string | null> {
  const taken = new Map<string, number>();
  let [openFiles, mapsBytes] = [0, 0];
  let [isOneSeen, isOneHidden] = [false, false];
  for (const { pid } of processes) {
    await turn();
    const fds = openFilesOf(pid);
    if (fds === null) isOneHidden = true;
    else isOneSeen = true;
    // Where this process may look at none, as in a container without the right to trace, that is not the program's doing.
    if (isOneHidden && isOneSeen) return "One of its processes does not let itself be looked at.";
    if (fds === null) continue;
    openFiles += fds.length;
    if (openFiles > MAX_OPEN_FILES) return `Its processes have more than ${MAX_OPEN_FILES} files open.`;
    for (const fd of fds) noteOpenFile(`/proc/${pid}/fd/${fd}`, taken);
    const maps = readUpTo(`/proc/${pid}/maps`, MAX_MAPS_BYTES);
    mapsBytes += maps?.length ?? 0;
    if (maps === null || mapsBytes > MAX_ALL_MAPS_BYTES) return "Its processes have too many mappings in their memory.";
    noteMappedFiles(maps, taken);
  }
  const bytes = [...taken.values()].reduce((sum, own) => sum + own, 0);
  return bytes > workBytes ? `Its deleted files took more than ${workBytes} bytes.` : null;
}

/** Null: it is longer. Empty for what is gone. */
function readUpTo(path: string, maxBytes: number): string | null {
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch {
    return "";
  }
  const pieces: Buffer[] = [];
  try {
    const piece = Buffer.alloc(MAPS_PIECE_BYTES);
    for (let bytes = 0, read = readSync(fd, piece); read > 0; read = readSync(fd, piece)) {
      bytes += read;
      if (bytes > maxBytes) return null;
      pieces.push(Buffer.from(piece.subarray(0, read)));
    }
  } catch {
    // It ended meanwhile.
  } finally {
    closeSync(fd);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function noteOpenFile(path: string, taken: Map<string, number>): void {
  try {
    const { nlink, blocks, ino } = statSync(path);
    if (nlink === 0) taken.set(`${ino}`, Math.max(blocks * BLOCK_BYTES, taken.get(`${ino}`) ?? 0));
  } catch {
    // It is closed, or no file.
  }
}

function noteMappedFiles(maps: string, taken: Map<string, number>): void {
  if (!maps.includes("(deleted)")) return;
  for (const [, from = "", to = "", inode = ""] of maps.matchAll(/^(\w+)-(\w+) \S+ \w+ \S+ (\d+) .*\(deleted\)$/gm)) {
    const bytes = Number.parseInt(to, 16) - Number.parseInt(from, 16);
    taken.set(inode, Math.max(bytes, taken.get(inode) ?? 0));
  }
}

/** Null: they are not for this process to see. */
function openFilesOf(pid: number): string[] | null {
  try {
    return readdirSync(`/proc/${pid}/fd`);
  } catch (error) {
    // One that is ending has no memory any more, and is shut for that reason.
    return isForbidden(error) && readOrNull(`/proc/${pid}/status`)?.includes("\nVmRSS:") === true ? null : [];
  }
}
