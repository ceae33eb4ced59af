/** A timer whose times pass at once. Those that ended are not undone. */
import type { Timer } from "../../core/base/deadline.ts";

/** `set`: the times that were set, in milliseconds, in order. `isStopped`: no time passes. */
export function fakeTimer(isStopped = false): { readonly timer: Timer; readonly set: readonly number[] } {
  const set: number[] = [];
  const timer: Timer = {
    setTimeout(action, ms) {
      set.push(ms);
      if (!isStopped) queueMicrotask(action);
    },
    clearTimeout: () => undefined,
  };
  return { timer, set };
}
