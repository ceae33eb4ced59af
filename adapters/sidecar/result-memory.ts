/**
 * Limits the memory of programs' results in this isolate, which has 128 MB for all concurrent requests. A result waits until earlier
 * ones have released enough. It polls, because a request must not wait for a promise that another request settles.
 */
import { sleep } from "../../core/base/deadline.ts";

const MAX_BYTES = 50_331_648;
const CHECK_INTERVAL_MS = 50;
/** Frees the memory of a request that was cut off and never released it. */
const RESERVATION_LIFETIME_MS = 60_000;

export interface ResultMemory {
  /** Reserves bytes once they fit or nothing else is reserved. The returned function releases them. */
  reserve(bytes: number, signal: AbortSignal): Promise<() => void>;
  /** Reserves bytes at once, for a result that is in memory already. */
  hold(bytes: number): () => void;
}

export interface ResultMemoryDeps {
  readonly maxBytes: number;
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<unknown>;
}

export function openResultMemory({ maxBytes, now, pause }: ResultMemoryDeps): ResultMemory {
  const reservations = new Set<{ readonly bytes: number; readonly until: number }>();

  function sumReserved(): number {
    let sum = 0;
    for (const one of reservations) {
      if (one.until <= now()) reservations.delete(one);
      else sum += one.bytes;
    }
    return sum;
  }

  function hold(bytes: number): () => void {
    const own = { bytes, until: now() + RESERVATION_LIFETIME_MS };
    reservations.add(own);
    return () => void reservations.delete(own);
  }

  return {
    async reserve(bytes, signal) {
      for (let others = sumReserved(); others > 0 && others + bytes > maxBytes; others = sumReserved()) {
        if (signal.aborted) break;
        await pause(CHECK_INTERVAL_MS);
      }
      return hold(bytes);
    },
    hold,
  };
}

/** The result memory of this isolate. */
export const resultMemory = openResultMemory({
  maxBytes: MAX_BYTES,
  now: () => Date.now(),
  pause: async (ms) => await sleep(globalThis, ms),
});
