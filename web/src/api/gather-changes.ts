/** Milliseconds over which changes are gathered before they are read. */
const GATHERED_MS = 400;
/** Milliseconds of rest after a read has begun, so that none begins within a second of the one before. */
const REST_MS = 600;
/** No read is waited for longer: one that the browser holds back must not hold the next. */
const LONGEST_READ_MS = 10_000;

/**
 * Gives what is called at each change. `read` starts once for all changes of a moment, and not again within a second or before
 * it ended: a read that every change restarts would never end while changes come faster than answers. Changes
 * during a read cause one more read.
 */
export function gatherChanges(read: () => Promise<void>, signal: AbortSignal): () => void {
  let isChanged = false;
  let isReading = false;
  const goOn = async (): Promise<void> => {
    isReading = true;
    try {
      while (isChanged && !signal.aborted) {
        await pause(GATHERED_MS);
        if (signal.aborted) break;
        isChanged = false;
        await Promise.all([Promise.race([read(), pause(LONGEST_READ_MS)]), pause(REST_MS)]);
      }
    } finally {
      // Also after a read that threw: what changes next is read.
      isReading = false;
    }
  };
  return () => {
    isChanged = true;
    if (!isReading) void goOn();
  };
}

async function pause(ms: number): Promise<void> {
  await new Promise<void>((resolve) => {
    setTimeout(resolve, ms);
  });
}
