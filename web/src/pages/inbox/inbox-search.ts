import type { PendingKind } from "../../api/types.generated.ts";

const KINDS: readonly PendingKind[] = ["question", "approval", "unknown", "connection"];

export interface InboxSearch {
  readonly kind?: PendingKind;
  /** Absent: the oldest first. */
  readonly order?: "newest";
  /** The entry that has the focus: the id of its question, approval or call. */
  readonly entry?: string;
}

/** Reads an address; what it does not know, it leaves out. */
export function readInboxSearch({ kind, order, entry }: Record<string, unknown>): InboxSearch {
  const known = KINDS.find((one) => one === kind);
  return {
    ...(known === undefined ? {} : { kind: known }),
    ...(order === "newest" ? { order } : {}),
    ...(typeof entry === "string" && entry !== "" ? { entry } : {}),
  };
}
