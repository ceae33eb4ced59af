/** A task whose object holds nothing while the index lists it: its stored state was lost, or is older than the task. */
import { type Failure, NO_SUCH_TASK } from "../base/errors.ts";
import { iso } from "../base/iso.ts";
import type { TaskReport } from "./rpc.ts";
import { hasEnded } from "./status.ts";

export const STATE_LOST =
  "The stored state of this task is lost, and only its line in the list is left. " +
  "Restore the state from a backup, or erase the task with DELETE.";

/** When the sweep looks again: a state that was restored reports anew then. */
const LOOK_AGAIN_MS = 24 * 3_600_000;

/** True for the answer of an object that holds nothing. One whose erasing has begun answers `TASK_ERASED`. */
export function isWithoutState({ code, message }: Failure): boolean {
  return code === NO_SUCH_TASK.code && message === NO_SUCH_TASK.message;
}

/** The report in place of the object's: a task that had not ended has failed. `now` in milliseconds since the epoch. */
export function lostReport({ view, ...row }: TaskReport, now: number): TaskReport {
  const error = { code: "internal", message: STATE_LOST };
  const failed = { status: "failed", reason: "internal", error, pending: [], ended_at: iso(now) } as const;
  return {
    ...row,
    version: row.version + 1,
    view: hasEnded(view.status) ? view : { ...view, ...failed },
    wakeAt: now + LOOK_AGAIN_MS,
  };
}
