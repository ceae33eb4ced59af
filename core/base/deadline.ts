/**
 * Deadlines, for the whole codebase. Work that misses its deadline continues; its result and its error are dropped.
 * A deadline leaves no timer and no listener behind.
 */

/** The runtime's timers: `globalThis`, outside core. */
export interface Timer {
  setTimeout(action: () => void, ms: number): unknown;
  clearTimeout(timer: never): void;
}

/** The result of `work`, or `late` after `ms` milliseconds. Rejects when `work` rejects in time. */
export async function awaitWithin<T, L>(timer: Timer, ms: number, work: Promise<T>, late: L): Promise<T | L> {
  const { promise, resolve } = Promise.withResolvers<L>();
  const pending = timer.setTimeout(() => resolve(late), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    timer.clearTimeout(pending as never);
  }
}

/** The result of `work`, or `late` once `signal` aborts. Rejects when `work` rejects before that. */
export async function awaitUnlessAborted<T, L>(signal: AbortSignal, work: Promise<T>, late: L): Promise<T | L> {
  const { promise, resolve } = Promise.withResolvers<L>();
  const giveUp = (): void => resolve(late);
  if (signal.aborted) giveUp();
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}

/** A signal that aborts with its caller's, or after a time. `end` removes its timer. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  end(): void;
}

/**
 * Opens a limit for work of at most `ms` milliseconds. Unlike the timer of `AbortSignal.timeout`, its own ends with the work: a timer keeps
 * an object in memory.
 */
export function openTimeLimit(timer: Timer, ms: number, caller: AbortSignal): TimeLimit {
  const late = new AbortController();
  const pending = timer.setTimeout(
    () => late.abort(new DOMException("The time limit was reached.", "TimeoutError")),
    ms,
  );
  return {
    signal: AbortSignal.any([caller, late.signal]),
    end: () => timer.clearTimeout(pending as never),
  };
}

/** Waits `ms` milliseconds, or until `signal` aborts. False: it aborted. */
export async function sleep(timer: Timer, ms: number, signal?: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const pending = timer.setTimeout(resolve, ms);
  await (signal === undefined ? promise : awaitUnlessAborted(signal, promise, undefined));
  timer.clearTimeout(pending as never);
  return signal?.aborted !== true;
}
