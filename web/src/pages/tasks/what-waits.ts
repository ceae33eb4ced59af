import type { PendingEntry } from "../../api/types.ts";

const WORDS: Readonly<Record<PendingEntry["kind"], readonly [one: string, many: string]>> = {
  question: ["question", "questions"],
  approval: ["approval", "approvals"],
  unknown: ["unknown outcome", "unknown outcomes"],
  connection: ["account", "accounts"],
};

/** What of a task and its subtasks waits for a person, in words; null when nothing does. */
export function whatWaits(pending: readonly Pick<PendingEntry, "kind">[]): string | null {
  const kinds = Object.keys(WORDS) as PendingEntry["kind"][];
  const parts = kinds.flatMap((kind) => {
    const many = pending.filter((entry) => entry.kind === kind).length;
    return many === 0 ? [] : [`${many} ${WORDS[kind][many === 1 ? 0 : 1]}`];
  });
  return parts.length === 0 ? null : parts.join(", ");
}
