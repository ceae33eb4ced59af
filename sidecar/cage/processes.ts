/** The processes of the machine, as /proc tells them (proc(5)). */
import { readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setImmediate as turn, setTimeout as pause } from "node:timers/promises";

/** How old a look at all processes may be when it is used for another cage too. */
const LOOK_IS_GOOD_MS = 40;
const PROCESSES_A_TURN = 50;
const MAX_KILLS = 500;

export interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  /** The effective one. */
  readonly uid: number;
  /** Anonymous and shared memory that is present. Pages that a fork shares with its parent are counted for each. */
  readonly residentBytes: number;
  readonly isZombie: boolean;
}

/** The last look at all processes, or the one under way. */
let look: { atMs: number; readonly processes: Promise<readonly ProcessFacts[]> } | null = null;

export function readProcesses(): readonly ProcessFacts[] {
  return pids()
    .map(factsOf)
    .filter((facts) => facts !== null);
}

function pids(): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** Null: it has ended. */
function factsOf(pid: number): ProcessFacts | null {
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

/** `root` and all that descend from it. In a process namespace everybody descends from its first process. */
export async function processesBelow(root: number): Promise<readonly ProcessFacts[]> {
  const all = await recentProcesses();
  const below = new Set([root]);
  // A child can have a smaller number than its parent.
  for (let before = 0; before < below.size; ) {
    before = below.size;
    for (const { pid, parent } of all) if (below.has(parent)) below.add(pid);
  }
  return all.filter(({ pid }) => below.has(pid));
}

export async function processesOf(uid: number): Promise<readonly ProcessFacts[]> {
  return (await recentProcesses()).filter((facts) => facts.uid === uid);
}

async function recentProcesses(): Promise<readonly ProcessFacts[]> {
  if (look === null || performance.now() - look.atMs > LOOK_IS_GOOD_MS) look = startLook();
  return await look.processes;
}

/** It is good from its end on, and until then whoever asks waits for it. */
function startLook(): NonNullable<typeof look> {
  const processes = readProcessesInTurns();
  const started = { atMs: Infinity, processes };
  const end = () => {
    started.atMs = performance.now();
  };
  processes.then(end, end);
  return started;
}

/** As `readProcesses`; others get their turn meanwhile. */
async function readProcessesInTurns(): Promise<readonly ProcessFacts[]> {
  const found: ProcessFacts[] = [];
  for (const [at, pid] of pids().entries()) {
    if (at % PROCESSES_A_TURN === 0) await turn();
    const facts = factsOf(pid);
    if (facts !== null) found.push(facts);
  }
  return found;
}

/** Kills all processes of a user until none is left. False: some are. One that is only waited for counts as gone. */
export async function killProcessesOf(uid: number): Promise<boolean> {
  for (let round = 0; round < MAX_KILLS; round += 1) {
    const left = readProcesses().filter((facts) => facts.uid === uid && !facts.isZombie);
    if (left.length === 0) return true;
    for (const { pid } of left) killIfThere(pid);
    await pause(Math.min(round, 20));
  }
  return false;
}

export function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

/**
 * Memory that is the process's own, where pages that several share are divided among them; where this process may not see
 * that (proc(5), ptrace access), all that is present. The kernel counts page by page, so this is not for a turn of the loop.
 */
export async function proportionalBytes({ pid, residentBytes }: ProcessFacts): Promise<number> {
  try {
    const rollup = await readFile(`/proc/${pid}/smaps_rollup`, "utf8");
    const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(rollup)?.[1] ?? 0);
    return (of("Pss_Anon") + of("Pss_Shmem")) * 1024;
  } catch (error) {
    return isForbidden(error) ? residentBytes : 0;
  }
}

/** Whether what was to be read is there, and not for this process. */
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
