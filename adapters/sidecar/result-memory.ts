/**
 * Room for what programs give back, in the memory of this isolate: it has 128 MB for all requests that it serves at once. A
 * result waits until those that stand there leave enough for it. It looks again and again, because a request must not wait
 * for a promise that another one settles.
 */
import { sleep } from "../../core/base/deadline.ts";

const MAX_BYTES = 50_331_648;
const LOOK_EVERY_MS = 50;
/** A request that is cut off never says that its result is gone. */
const FORGOTTEN_AFTER_MS = 60_000;

export interface ResultRoom {
  /** Takes so many bytes when there is room for them, or nothing else stands there. The function that it gives gives them back. */
  enter(bytes: number, signal: AbortSignal): Promise<() => void>;
}

export interface RoomDeps {
  readonly maxBytes: number;
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<unknown>;
}

export function openResultRoom({ maxBytes, now, pause }: RoomDeps): ResultRoom {
  const standing = new Set<{ readonly bytes: number; readonly until: number }>();

  function taken(): number {
    let sum = 0;
    for (const one of standing) {
      if (one.until <= now()) standing.delete(one);
      else sum += one.bytes;
    }
    return sum;
  }

  return {
    async enter(bytes, signal) {
      for (let others = taken(); others > 0 && others + bytes > maxBytes; others = taken()) {
        if (signal.aborted) break;
        await pause(LOOK_EVERY_MS);
      }
      const own = { bytes, until: now() + FORGOTTEN_AFTER_MS };
      standing.add(own);
      return () => void standing.delete(own);
    },
  };
}

/** The room of this isolate. */
export const resultRoom = openResultRoom({
  maxBytes: MAX_BYTES,
  now: () => Date.now(),
  pause: async (ms) => await sleep(globalThis, ms),
});
