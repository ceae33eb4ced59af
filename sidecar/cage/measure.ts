/** Measures what no rlimit bounds: the total of a cage's folders, files and processes. */
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
import { isForbidden, type ProcessFacts, readProportionalBytes, readOrNull } from "./processes.ts";

/** The kernel accepts no longer path (PATH_MAX), so deeper files could not be measured. */
const MAX_PATH_BYTES = 3_500;
const ENTRIES_PER_TURN = 500;
const BLOCK_BYTES = 512;
const OWNER_MAY_READ = 0o500;
/** The cost of a directory entry, even of an empty file. */
const ENTRY_BYTES = 256;
/**
 * Open files of all processes together. Bounds the time of a check, and the uncounted kernel memory of up to 200 KiB per socket.
 */
const MAX_OPEN_FILES = 8_192;
/** Size of one process's list of mappings (proc_pid_maps(5)), and of all lists together. */
const MAX_MAPS_BYTES = 1024 * 1024;
const MAX_ALL_MAPS_BYTES = 8 * 1024 * 1024;
const MAPS_PIECE_BYTES = 64 * 1024;
/** How many times its memory limit a program may use when shared pages count once per process. */
const MAX_SHARED = 16;

export interface FolderLimits {
  readonly workBytes: number;
  readonly workFiles: number;
}

/** Returns which limit a folder exceeds, as a public message, or null. Stops walking at the first excess. */
export async function checkFolderLimits(folder: string, limits: FolderLimits): Promise<string | null> {
  let [bytes, files] = [0, 0];
  const open: Buffer[] = [Buffer.from(folder)];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (path.length > MAX_PATH_BYTES) return "Its folders are nested too deeply.";
    for (const entry of readChangingEntries(path)) {
      files += 1;
      if (files % ENTRIES_PER_TURN === 0) await turn();
      const child = Buffer.concat([path, Buffer.from("/"), entry.name]);
      bytes += ENTRY_BYTES + getDiskBytes(child);
      if (files > limits.workFiles) return `It made more than ${limits.workFiles} files and folders.`;
      if (bytes > limits.workBytes) return `Its files took more than ${limits.workBytes} bytes.`;
      if (entry.isDirectory()) open.push(child);
    }
  }
  return null;
}

/** Reads entries one by one, since a folder can have more than fit into memory. Throws if it is gone or unreadable. */
export function* readEntries(path: Buffer): Generator<Dirent<Buffer>> {
  // Node's types know only string names.
  const folder = opendirSync(path, { encoding: "buffer" as BufferEncoding, bufferSize: 256 });
  try {
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
      yield entry as unknown as Dirent<Buffer>;
    }
  } finally {
    folder.closeSync();
  }
}

/** Reads as many entries as possible while the program changes the folder. Restores access that the program removed. */
function* readChangingEntries(path: Buffer): Generator<Dirent<Buffer>> {
  try {
    restoreAccess(path);
    yield* readEntries(path);
  } catch {
    // The program removed it meanwhile.
  }
}

function restoreAccess(path: Buffer): void {
  const { mode } = lstatSync(path);
  if ((mode & OWNER_MAY_READ) !== OWNER_MAY_READ) chmodSync(path, mode | OWNER_MAY_READ);
}

/** Returns the allocated size, which is less than the length of a sparse file. */
function getDiskBytes(path: Buffer): number {
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

/** Returns which limit the processes exceed, as a public message, or null. `tmpfs` are their folders in memory. */
export async function checkProcessLimits(
  processes: readonly ProcessFacts[],
  tmpfs: readonly string[],
  limits: ProcessLimits,
): Promise<string | null> {
  const inTmpfs = tmpfs.reduce((sum, path) => sum + getTmpfsBytes(path), 0);
  if (await exceedsMemory(processes, inTmpfs, limits))
    return `It took more than ${limits.memoryBytes} bytes of memory.`;
  return await checkUnnamedFiles(processes, limits);
}

async function exceedsMemory(
  processes: readonly ProcessFacts[],
  inTmpfs: number,
  { memoryBytes }: ProcessLimits,
): Promise<boolean> {
  const withShared = processes.reduce((sum, { residentBytes }) => sum + residentBytes, inTmpfs);
  if (withShared <= memoryBytes) return false;
  if (withShared > memoryBytes * MAX_SHARED) return true;
  let bytes = inTmpfs;
  for (const facts of processes.toSorted((one, other) => other.residentBytes - one.residentBytes)) {
    bytes += await readProportionalBytes(facts);
    if (bytes > memoryBytes) return true;
  }
  return false;
}

function getTmpfsBytes(path: string): number {
  try {
    const { bsize, blocks, bfree, files, ffree } = statfsSync(path);
    return (blocks - bfree) * bsize + (files - ffree) * BLOCK_BYTES * 2;
  } catch {
    return 0;
  }
}

/** Measures deleted files that processes hold open or map, which no walk of a folder finds. */
async function checkUnnamedFiles(
  processes: readonly ProcessFacts[],
  { workBytes }: ProcessLimits,
): Promise<string | null> {
  const taken = new Map<string, number>();
  let [openFiles, mapsBytes] = [0, 0];
  let [isAnyVisible, isAnyHidden] = [false, false];
  for (const { pid } of processes) {
    await turn();
    const fds = listOpenFiles(pid);
    if (fds === null) isAnyHidden = true;
    else isAnyVisible = true;
    // If every process is hidden, this sidecar lacks the right to trace; only a mixture is the program's doing.
    if (isAnyHidden && isAnyVisible) return "One of its processes hides its open files.";
    if (fds === null) continue;
    openFiles += fds.length;
    if (openFiles > MAX_OPEN_FILES) return `Its processes have more than ${MAX_OPEN_FILES} files open.`;
    for (const fd of fds) noteOpenFile(`/proc/${pid}/fd/${fd}`, taken);
    const maps = readUpTo(`/proc/${pid}/maps`, MAX_MAPS_BYTES);
    mapsBytes += maps?.length ?? 0;
    if (maps === null || mapsBytes > MAX_ALL_MAPS_BYTES) return "Its processes have too many memory mappings.";
    noteMappedFiles(maps, taken);
  }
  const bytes = [...taken.values()].reduce((sum, own) => sum + own, 0);
  return bytes > workBytes ? `Its deleted files took more than ${workBytes} bytes.` : null;
}

/** Null if it is longer. Empty if the process has ended. */
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
    // The process ended meanwhile.
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
    // It was closed, or is not a file.
  }
}

function noteMappedFiles(maps: string, taken: Map<string, number>): void {
  if (!maps.includes("(deleted)")) return;
  for (const [, from = "", to = "", inode = ""] of maps.matchAll(/^(\w+)-(\w+) \S+ \w+ \S+ (\d+) .*\(deleted\)$/gm)) {
    const bytes = Number.parseInt(to, 16) - Number.parseInt(from, 16);
    taken.set(inode, Math.max(bytes, taken.get(inode) ?? 0));
  }
}

/** Null if this process may not see them. */
function listOpenFiles(pid: number): string[] | null {
  try {
    return readdirSync(`/proc/${pid}/fd`);
  } catch (error) {
    // A process that is exiting has no memory and denies access too.
    return isForbidden(error) && readOrNull(`/proc/${pid}/status`)?.includes("\nVmRSS:") === true ? null : [];
  }
}
