/** Lists and kills processes of the machine by /proc (proc(5)). */
import { readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setImmediate as turn, setTimeout as pause } from "node:timers/promises";

/** How long several cages share one snapshot of all processes. */
const SNAPSHOT_LIFETIME_MS = 40;
const PROCESSES_PER_TURN = 50;
const MAX_KILL_ROUNDS = 500;

export interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  /** The effective user. */
  readonly uid: number;
  /** Resident anonymous and shared memory. Pages that a fork shares with its parent count for each. */
  readonly residentBytes: number;
  readonly isZombie: boolean;
}

/** The last snapshot of all processes, or the one in progress. */
let snapshot: { takenAtMs: number; readonly processes: Promise<readonly ProcessFacts[]> } | null = null;

export function readProcesses(): readonly ProcessFacts[] {
  return listPids()
    .map(readProcess)
    .filter((facts) => facts !== null);
}

function listPids(): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** Null if it has ended. */
function readProcess(pid: number): ProcessFacts | null {
  const status = readOrNull(`/proc/${pid}/status`);
  if (status === null) return null;
  const number = (pattern: RegExp) => Number(pattern.exec(status)?.[1] ?? 0);
  return {
    pid,
    parent: number(/^PPid:\t(\d+)/m),
    uid: number(/^Uid:\t\d+\t(\d+)/m),
    residentBytes: (number(/^RssAnon:\s+(\d+)/m) + number(/^RssShmem:\s+(\d+)/m)) * 1024,
    isZombie: /^State:\tZ/m.test(status),
  };
}

/** Returns `root` and its descendants. In a process namespace every process descends from the first. */
export async function findDescendants(root: number): Promise<readonly ProcessFacts[]> {
  const all = await recentProcesses();
  const below = new Set([root]);
  // Repeat until nothing is added, since a child can have a smaller pid than its parent.
  for (let before = 0; before < below.size; ) {
    before = below.size;
    for (const { pid, parent } of all) if (below.has(parent)) below.add(pid);
  }
  return all.filter(({ pid }) => below.has(pid));
}

export async function findUserProcesses(uid: number): Promise<readonly ProcessFacts[]> {
  return (await recentProcesses()).filter((facts) => facts.uid === uid);
}

async function recentProcesses(): Promise<readonly ProcessFacts[]> {
  if (snapshot === null || performance.now() - snapshot.takenAtMs > SNAPSHOT_LIFETIME_MS) snapshot = startSnapshot();
  return await snapshot.processes;
}

/** Callers share it while it is read. Its lifetime counts from its end. */
function startSnapshot(): NonNullable<typeof snapshot> {
  const processes = readProcessesInTurns();
  const started = { takenAtMs: Infinity, processes };
  const end = () => {
    started.takenAtMs = performance.now();
  };
  processes.then(end, end);
  return started;
}

/** Like `readProcesses`, but yields to the event loop. */
async function readProcessesInTurns(): Promise<readonly ProcessFacts[]> {
  const found: ProcessFacts[] = [];
  for (const [at, pid] of listPids().entries()) {
    if (at % PROCESSES_PER_TURN === 0) await turn();
    const facts = readProcess(pid);
    if (facts !== null) found.push(facts);
  }
  return found;
}

/** Kills a user's processes until only zombies remain. False if some survive. */
export async function killUserProcesses(uid: number): Promise<boolean> {
  for (let round = 0; round < MAX_KILL_ROUNDS; round += 1) {
    const left = readProcesses().filter((facts) => facts.uid === uid && !facts.isZombie);
    if (left.length === 0) return true;
    for (const { pid } of left) killProcess(pid);
    await pause(Math.min(round, 20));
  }
  return false;
}

export function killProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

/**
 * Returns the process's memory with shared pages divided among their users, or all resident memory where this process lacks ptrace
 * access (proc(5)). Reads asynchronously, because the kernel counts page by page.
 */
export async function readProportionalBytes({ pid, residentBytes }: ProcessFacts): Promise<number> {
  try {
    const rollup = await readFile(`/proc/${pid}/smaps_rollup`, "utf8");
    const readKilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(rollup)?.[1] ?? 0);
    return (readKilobytes("Pss_Anon") + readKilobytes("Pss_Shmem")) * 1024;
  } catch (error) {
    return isForbidden(error) ? residentBytes : 0;
  }
}

/** Whether the file exists but this process may not read it. */
export function isForbidden(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "EACCES" || error.code === "EPERM");
}

export function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
