/** Checks a caged program repeatedly and reports when it exceeds a limit. */
import { setTimeout as pause } from "node:timers/promises";
import type { CageLimits } from "./cage.ts";
import { checkFolderLimits, checkProcessLimits } from "./measure.ts";
import type { ProcessFacts } from "./processes.ts";

/** Time between two checks. Bounds how far a program can exceed its limits. */
const CHECK_INTERVAL_MS = 50;
/** A slow check is followed by a pause of this many times its duration, up to the maximum. */
const PAUSE_FACTOR = 4;
const MAX_PAUSE_MS = 400;

/** Why a program is killed when a check fails, for example for lack of descriptors. */
export const NOT_MEASURED = "Its resource use could not be measured.";

export interface WatchedProgram {
  readonly processes: () => Promise<readonly ProcessFacts[]>;
  readonly folders: readonly string[];
  /** Current paths of its folders in memory, seen from here. */
  readonly tmpfs: () => readonly string[];
  readonly limits: CageLimits;
}

/** Checks until `signal` aborts, and calls `onExceeded` with the reason. Checks folders separately, so that a large one does not delay memory. */
export async function watchLimits(
  program: WatchedProgram,
  onExceeded: (why: string) => void,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all([
    checkRepeatedly(() => checkProcesses(program), onExceeded, signal),
    checkRepeatedly(() => checkFolders(program), onExceeded, signal),
  ]);
}

async function checkRepeatedly(
  look: () => Promise<string | null>,
  onExceeded: (why: string) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let tookMs = 0; !signal.aborted; ) {
    const waitMs = Math.min(MAX_PAUSE_MS, Math.max(CHECK_INTERVAL_MS, tookMs * PAUSE_FACTOR));
    await pause(waitMs, undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return;
    const startedAt = performance.now();
    const why = await look().catch(() => NOT_MEASURED);
    if (why !== null) return onExceeded(why);
    tookMs = performance.now() - startedAt;
  }
}

async function checkProcesses({ processes, tmpfs, limits }: WatchedProgram): Promise<string | null> {
  return await checkProcessLimits(await processes(), tmpfs(), limits);
}

async function checkFolders({ folders, limits }: WatchedProgram): Promise<string | null> {
  for (const folder of folders) {
    const why = await checkFolderLimits(folder, limits);
    if (why !== null) return why;
  }
  return null;
}
