/** Implements `?wait=`: returns the task once it has ended, or waits for a person or a time, or when the time is up. */
import type { Result } from "../../core/base/errors.ts";
import { hasEnded, isWaiting } from "../../core/task/status.ts";
import type { TaskView } from "../../core/task/view.ts";
import { type WatchedTask, watchSettled } from "./watch.ts";

/** Maximum seconds of a wait. */
export const MAX_WAIT_SECONDS = 60;

/** A task that can be watched and read. */
export interface AwaitedTask extends WatchedTask {
  view(): Promise<Result<TaskView>>;
}

/** Waits until `isSettled` is true for the task, at most for `timeoutMs`. Reads the task only when it may be. */
export async function awaitTask(
  open: () => AwaitedTask,
  timeoutMs: number,
  isSettled: (view: TaskView) => boolean = hasEndedOrWaits,
): Promise<Result<TaskView>> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), timeoutMs);
  try {
    for await (const _sign of watchSettled(open, abort.signal)) {
      const view = await open().view();
      if (!view.ok || isSettled(view.value)) return view;
    }
    return await open().view();
  } finally {
    clearTimeout(timer);
    abort.abort();
  }
}

/** A task with live subtasks continues without help, unless one of them asks a person. */
function hasEndedOrWaits({ status, pending }: TaskView): boolean {
  return hasEnded(status) || pending.length > 0 || (isWaiting(status) && status !== "waiting_subagents");
}
