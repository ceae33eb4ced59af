/**
 * Deadlines, for the whole codebase. Work that misses its deadline continues; its result and its error are dropped.
 * A deadline leaves no timer and no listener behind.
 */

/** The runtime's timers: `globalThis`, outside core. */
export interface Timer {
  setTimeout(action: () => void, ms: number): unknown;
  clearTimeout(timer: never): void;
}

/** A time limit that ends with its work. The timer of `AbortSignal.timeout` fires long after it. */
export interface TimeLimit {
  /** Aborts after the time, or with the signal of the whole work. */
  readonly signal: AbortSignal;
  /** The work has ended: nothing aborts the signal any more. */
  end(): void;
}

/** Begins a limit of `ms` milliseconds within `whole`. Its owner ends it. */
export function openTimeLimit(timer: Timer, ms: number, whole?: AbortSignal): TimeLimit {
  const controller = new AbortController();
  const pending = timer.setTimeout(
    () => controller.abort(new DOMException("The time limit was reached.", "TimeoutError")),
    ms,
  );
  const giveUp = (): void => controller.abort(whole?.reason);
  if (whole?.aborted === true) giveUp();
  whole?.addEventListener("abort", giveUp, { once: true });
  return {
    signal: controller.signal,
    end() {
      timer.clearTimeout(pending as never);
      whole?.removeEventListener("abort", giveUp);
    },
  };
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

/** Waits `ms` milliseconds, or until `signal` aborts. False: it aborted. */
export async function sleep(timer: Timer, ms: number, signal?: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const pending = timer.setTimeout(resolve, ms);
  await (signal === undefined ? promise : awaitUnlessAborted(signal, promise, undefined));
  timer.clearTimeout(pending as never);
  return signal?.aborted !== true;
}
