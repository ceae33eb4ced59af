/** Looks at a caged program again and again, and says when it takes more than it may. */
import { setTimeout as pause } from "node:timers/promises";
import type { CageLimits } from "./cage.ts";
import { whyFolderIsTooMuch, whyProcessesAreTooMuch } from "./measure.ts";
import type { ProcessFacts } from "./processes.ts";

/** The time from one look to the next. What a program takes meanwhile is what it can exceed its limits by. */
const LOOK_EVERY_MS = 50;
/** A look that takes long is followed by a pause of so many times as long, up to a limit. */
const PAUSE_SHARE = 4;
const MAX_PAUSE_MS = 400;

/** Why a program is ended that this process could not look at, for lack of a descriptor, say: no limit of its own. */
export const NOT_LOOKED_AT = "It could not be looked at.";

export interface Watched {
  readonly processes: () => Promise<readonly ProcessFacts[]>;
  readonly folders: readonly string[];
  /** Folders in memory, as they are reached from here now. */
  readonly tmpfs: () => readonly string[];
  readonly limits: CageLimits;
}

/** Looks until `signal` says that the program has ended. `tell` hears why it has to end. A large folder does not hold up the look at memory. */
export async function watch(watched: Watched, tell: (why: string) => void, signal: AbortSignal): Promise<void> {
  await Promise.all([
    lookAgain(() => whyProgramIsTooMuch(watched), tell, signal),
    lookAgain(() => whyFoldersAreTooMuch(watched), tell, signal),
  ]);
}

async function lookAgain(
  look: () => Promise<string | null>,
  tell: (why: string) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let tookMs = 0; !signal.aborted; ) {
    const waitMs = Math.min(MAX_PAUSE_MS, Math.max(LOOK_EVERY_MS, tookMs * PAUSE_SHARE));
    await pause(waitMs, undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return;
    const startedAt = performance.now();
    const why = await look().catch(() => NOT_LOOKED_AT);
    if (why !== null) return tell(why);
    tookMs = performance.now() - startedAt;
  }
}

async function whyProgramIsTooMuch({ processes, tmpfs, limits }: Watched): Promise<string | null> {
  return await whyProcessesAreTooMuch(await processes(), tmpfs(), limits);
}

async function whyFoldersAreTooMuch({ folders, limits }: Watched): Promise<string | null> {
  for (const folder of folders) {
    const why = await whyFolderIsTooMuch(folder, limits);
    if (why !== null) return why;
  }
  return null;
}
