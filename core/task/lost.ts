/** A task that the index lists and whose object stores nothing: its state was lost, or is older than the task. */
import { type Failure, NO_SUCH_TASK } from "../base/errors.ts";
import { iso } from "../base/iso.ts";
import type { TaskReport } from "./rpc.ts";
import { hasEnded } from "./status.ts";

export const STATE_LOST =
  "The stored state of this task is lost, and only its line in the list is left. " +
  "Restore the state from a backup, or erase the task with DELETE.";

/** Time until the sweep checks again. A restored state reports again then. */
const RECHECK_MS = 24 * 3_600_000;

/** True for the reply of an object that stores nothing. One whose deletion has begun answers `TASK_ERASED`. */
export function isWithoutState({ code, message }: Failure): boolean {
  return code === NO_SUCH_TASK.code && message === NO_SUCH_TASK.message;
}

/**
 * Creates the report in place of the object's: a task that had not ended has failed. `now` in milliseconds since the
 * epoch.
 */
export function createLostReport({ view, ...row }: TaskReport, now: number): TaskReport {
  const error = { code: "internal", message: STATE_LOST };
  const failed = { status: "failed", reason: "internal", error, pending: [], ended_at: iso(now) } as const;
  return {
    ...row,
    version: row.version + 1,
    view: hasEnded(view.status) ? view : { ...view, ...failed },
    wakeAt: now + RECHECK_MS,
  };
}
