/** Looks at a caged program again and again, and says when it takes more than it may. */
import { setTimeout as pause } from "node:timers/promises";
import type { CageLimits } from "./cage.ts";
import { whyFolderIsTooMuch, whyProcessesAreTooMuch } from "./measure.ts";
import type { ProcessFacts } from "./processes.ts";

/** The time from one look to the next. What a program takes meanwhile is what it can exceed its limits by. */
const LOOK_EVERY_MS = 50;
/** A look that takes long is followed by a pause of so many times as long. */
const PAUSE_SHARE = 4;

export interface Watched {
  readonly processes: () => readonly ProcessFacts[];
  readonly folders: readonly string[];
  /** Folders in memory, as they are reached from here now. */
  readonly tmpfs: () => readonly string[];
  readonly limits: CageLimits;
}

/** Looks until `signal` says that the program has ended. `tell` hears why it has to end, once. */
export async function watch(watched: Watched, tell: (why: string) => void, signal: AbortSignal): Promise<void> {
  for (let tookMs = 0; !signal.aborted; ) {
    await pause(Math.max(LOOK_EVERY_MS, tookMs * PAUSE_SHARE), undefined, { signal, ref: false }).catch(
      () => undefined,
    );
    if (signal.aborted) return;
    const startedAt = performance.now();
    const why = await whyTooMuch(watched);
    if (why !== null) return tell(why);
    tookMs = performance.now() - startedAt;
  }
}

async function whyTooMuch({ processes, folders, tmpfs, limits }: Watched): Promise<string | null> {
  const why = whyProcessesAreTooMuch(processes(), tmpfs(), limits);
  if (why !== null) return why;
  for (const folder of folders) {
    const tooMuch = await whyFolderIsTooMuch(folder, limits);
    if (tooMuch !== null) return tooMuch;
  }
  return null;
}
