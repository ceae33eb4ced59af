/** What runners and objects were called with while a test records it: whose run made the call, and what it was. */

export interface NotedCall {
  /** The task that called, or whose alarm fired. */
  readonly task: string;
  readonly what: string;
  /** How deeply the call was nested; null if it does not say. */
  readonly depth: number | null;
}

let notes: NotedCall[] | null = null;

/** Notes a call that a task made. Does nothing unless a test records. */
export function noteCall(task: string, what: string, depth: number | null = null): void {
  notes?.push({ task, what, depth });
}

/** True while a test records. */
export function isRecording(): boolean {
  return notes !== null;
}

/** Records the calls while `work` runs. */
export async function recordCalls(work: () => Promise<void>): Promise<readonly NotedCall[]> {
  const recorded: NotedCall[] = [];
  notes = recorded;
  try {
    await work();
  } finally {
    notes = null;
  }
  return recorded;
}

/** The calls that the task made in each of its runs, in order: a run begins with its alarm. Before the first: what came earlier. */
export function callsByRun(notes: readonly NotedCall[], task: string): string[][] {
  const runs: string[][] = [[]];
  for (const { what } of notes.filter((note) => note.task === task)) {
    if (what === "alarm") runs.push([]);
    else runs.at(-1)?.push(what);
  }
  return runs;
}
