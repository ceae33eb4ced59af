/** The processes of the machine, as /proc tells them (proc(5)). */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** How old a look at all processes may be when it is used for another cage too. */
const LOOK_IS_GOOD_MS = 40;
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

let look: { readonly atMs: number; readonly processes: readonly ProcessFacts[] } = { atMs: -1_000, processes: [] };

export function readProcesses(): readonly ProcessFacts[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => factsOf(Number(name)))
    .filter((facts) => facts !== null);
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
export function processesBelow(root: number): readonly ProcessFacts[] {
  const all = recentProcesses();
  const below = new Set([root]);
  // A child can have a smaller number than its parent.
  for (let before = 0; before < below.size; ) {
    before = below.size;
    for (const { pid, parent } of all) if (below.has(parent)) below.add(pid);
  }
  return all.filter(({ pid }) => below.has(pid));
}

export function processesOf(uid: number): readonly ProcessFacts[] {
  return recentProcesses().filter((facts) => facts.uid === uid);
}

function recentProcesses(): readonly ProcessFacts[] {
  const nowMs = performance.now();
  if (nowMs - look.atMs > LOOK_IS_GOOD_MS) look = { atMs: nowMs, processes: readProcesses() };
  return look.processes;
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

/** Memory that is the process's own, where pages that several share are divided among them. */
export function proportionalBytes(pid: number): number {
  const rollup = readOrNull(`/proc/${pid}/smaps_rollup`) ?? "";
  const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(rollup)?.[1] ?? 0);
  return (of("Pss_Anon") + of("Pss_Shmem")) * 1024;
}

export function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
