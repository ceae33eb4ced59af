/** Processes by id and start time, so that a reused id is recognised. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** A process that was started as the leader of a group of its own. */
export interface RecordedProcess {
  readonly pid: number;
  /** What `startTime` said when it was started. */
  readonly started: string;
}

/** When a process started, in words that only serve to compare; null when there is no such process. */
export function startTime(pid: number): string | null {
  if (process.platform !== "linux") return psStartTime(pid);
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the command in parentheses and may hold spaces; state is the 3rd, start time the 22nd.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? null : `${bootId()}:${fields[19] ?? ""}`;
  } catch {
    return null;
  }
}

/** Whether the recorded process is still there. */
export function isAlive(recorded: RecordedProcess): boolean {
  return startTime(recorded.pid) === recorded.started;
}

/**
 * Ends a recorded process and every process of its group that outlived it. An id of a time before the last boot, or one
 * that now belongs to another process, is left alone. The kernel does not reuse a group's id while the group has a member.
 */
export function endGroup(recorded: RecordedProcess): void {
  if (process.platform === "linux" && !recorded.started.startsWith(`${bootId()}:`)) return;
  const now = startTime(recorded.pid);
  if (now !== null && now !== recorded.started) return;
  try {
    process.kill(-recorded.pid, "SIGKILL");
  } catch {
    // Nobody of the group is left.
  }
}

/** Waits until the recorded process is gone, at most `timeoutMs`. */
export async function waitForEnd(recorded: RecordedProcess, timeoutMs: number): Promise<boolean> {
  for (const end = Date.now() + timeoutMs; isAlive(recorded); await sleep(20)) {
    if (Date.now() > end) return false;
  }
  return true;
}

let knownBootId: string | undefined;
function bootId(): string {
  knownBootId ??= readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  return knownBootId;
}

function psStartTime(pid: number): string | null {
  try {
    return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }).trim() || null;
  } catch {
    return null;
  }
}
