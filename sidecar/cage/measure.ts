/** What no rlimit bounds: how much a cage's folders, files and processes take, all together. */
import { type Dirent, lstatSync, opendirSync, readdirSync, statfsSync, statSync } from "node:fs";
import { setImmediate as turn } from "node:timers/promises";
import { type ProcessFacts, proportionalBytes, readOrNull } from "./processes.ts";

/** The kernel takes no longer path (PATH_MAX); what lies deeper could not be measured. */
const MAX_PATH_BYTES = 3_500;
const ENTRIES_A_TURN = 500;
const BLOCK_BYTES = 512;
/** A name without bytes takes room too. */
const ENTRY_BYTES = 256;

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
    for (const entry of entriesOf(path)) {
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

/** One by one, as a folder can have more than memory holds. Nothing for a folder that is gone or shut. */
export function* entriesOf(path: Buffer): Generator<Dirent<Buffer>> {
  let folder: ReturnType<typeof opendirSync>;
  try {
    // The types of Node know names as texts only.
    folder = opendirSync(path, { encoding: "buffer" as BufferEncoding, bufferSize: 256 });
  } catch {
    return;
  }
  try {
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
      yield entry as unknown as Dirent<Buffer>;
    }
  } catch {
    // It was removed meanwhile.
  } finally {
    folder.closeSync();
  }
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
export function whyProcessesAreTooMuch(
  processes: readonly ProcessFacts[],
  tmpfs: readonly string[],
  limits: ProcessLimits,
): string | null {
  const inTmpfs = tmpfs.reduce((sum, path) => sum + tmpfsBytes(path), 0);
  const withShared = processes.reduce((sum, { residentBytes }) => sum + residentBytes, inTmpfs);
  if (withShared > limits.memoryBytes) {
    const bytes = processes.reduce((sum, { pid }) => sum + proportionalBytes(pid), inTmpfs);
    if (bytes > limits.memoryBytes) return `It took more than ${limits.memoryBytes} bytes of memory.`;
  }
  const unnamed = unnamedBytes(processes.map(({ pid }) => pid));
  return unnamed > limits.workBytes ? `Its deleted files took more than ${limits.workBytes} bytes.` : null;
}

function tmpfsBytes(path: string): number {
  try {
    const { bsize, blocks, bfree, files, ffree } = statfsSync(path);
    return (blocks - bfree) * bsize + (files - ffree) * BLOCK_BYTES * 2;
  } catch {
    return 0;
  }
}

/** Of files without a name that processes hold open or have in their memory: no walk of a folder finds them. */
function unnamedBytes(pids: readonly number[]): number {
  const taken = new Map<string, number>();
  for (const pid of pids) {
    for (const fd of namesIn(`/proc/${pid}/fd`)) noteOpenFile(`/proc/${pid}/fd/${fd}`, taken);
    noteMappedFiles(readOrNull(`/proc/${pid}/maps`) ?? "", taken);
  }
  return [...taken.values()].reduce((sum, bytes) => sum + bytes, 0);
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

function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
