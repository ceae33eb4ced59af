/** Names for parts of the API's types that pages share. */
import type { CallAccount, PendingConnection } from "./account-types.ts";
import type { PendingApproval, Task } from "./types.generated.ts";

export type TaskStatus = Task["status"];
type ServedEntry = Exclude<Task["pending"][number], { kind: "approval" | "connection" }>;
export type PendingEntry =
  | ServedEntry
  | (PendingApproval & { readonly account?: CallAccount | undefined })
  | PendingConnection;

/** Statuses that no task leaves again. */
export const FINAL_STATUSES: readonly TaskStatus[] = ["completed", "failed", "cancelled"];

export function isFinal(status: TaskStatus): boolean {
  return FINAL_STATUSES.includes(status);
}
