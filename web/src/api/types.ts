/** Names for parts of the API's types that pages share. */
import type { Task } from "./types.generated.ts";

export type TaskStatus = Task["status"];
export type PendingEntry = Task["pending"][number];

/** Statuses that no task leaves again. */
export const FINAL_STATUSES: readonly TaskStatus[] = ["completed", "failed", "cancelled"];

export function isFinal(status: TaskStatus): boolean {
  return FINAL_STATUSES.includes(status);
}
