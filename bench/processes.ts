/** What the processes of a contender use, by `/proc`: the bench needs Linux for this. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Of one tick of `/proc/<pid>/stat`: the kernel tells user space a hundred a second. */
const TICK_MS = 10;

interface Stat {
  readonly name: string;
  readonly parent: number;
  readonly cpuMs: number;
}

/** A process and everything below it. */
export function processTree(root: number): number[] {
  const pids = readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number);
  const parents = new Map(pids.map((pid) => [pid, statOf(pid)?.parent]));
  const isBelow = (pid: number | undefined): boolean =>
    pid !== undefined && (pid === root || isBelow(parents.get(pid)));
  return pids.filter(isBelow);
}

/** The parent of a process. */
export function parentOf(pid: number): number {
  const parent = statOf(pid)?.parent;
  if (parent === undefined) throw new Error(`there is no process ${pid}`);
  return parent;
}

/** The child of a process that runs this program. */
export function childNamed(parent: number, name: string): number {
  const found = processTree(parent).find((pid) => {
    const stat = statOf(pid);
    return stat?.name === name && stat.parent === parent;
  });
  if (found === undefined) throw new Error(`process ${parent} has no child ${name}`);
  return found;
}

/** User and system time that these processes have used, in milliseconds. */
export function cpuMs(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + (statOf(pid)?.cpuMs ?? 0), 0);
}

/** Resident memory in KiB. */
export function memoryKib(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(line?.[1]);
}

/**
 * What processes hold of the machine's memory, in KiB: a page that several share counts in parts. `VmRSS` counts it for each, and
 * so counts Node's own program once for every process.
 */
export function proportionalKib(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + Number(/^Pss:\s+(\d+) kB$/m.exec(readRollup(pid))?.[1] ?? 0), 0);
}

function readRollup(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  } catch {
    // It has ended.
    return "";
  }
}

/** The files that a process has open. */
export function openFiles(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((entry) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${entry}`)];
    } catch {
      return [];
    }
  });
}

function statOf(pid: number): Stat | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const end = stat.lastIndexOf(")");
    // After the name: state is the 3rd field of all, the parent the 4th, user and system time the 14th and 15th.
    const fields = stat.slice(end + 2).split(" ");
    const ticks = Number(fields[11]) + Number(fields[12]);
    return { name: stat.slice(stat.indexOf("(") + 1, end), parent: Number(fields[1]), cpuMs: ticks * TICK_MS };
  } catch {
    return null;
  }
}
