/** The inbox while it changes: entries keep their positions, and one that a person is editing stays. */
import { pendingKey } from "../../pending/pending-key.ts";
import type { InboxEntry } from "../../api/types.generated.ts";

export interface ShownEntry {
  readonly key: string;
  readonly entry: InboxEntry;
  /** It waits no longer: it was settled elsewhere while somebody worked on it here. */
  readonly isSettled: boolean;
}

/** An entry by its wait: a call that is retried and cut off again waits again, under its old id. */
export function entryKey({ pending, since }: Pick<InboxEntry, "pending" | "since">): string {
  return `${pendingKey(pending)} ${since}`;
}

interface Hands {
  /** Keys of what was decided or put away here: the index of the API follows within moments. */
  readonly done: ReadonlySet<string>;
  /** The key of the entry that has the focus in it. */
  readonly focused: string | null;
  /** Whether somebody has written something for an entry. */
  readonly isWritten: (shown: ShownEntry) => boolean;
}

/** The entries to show after `fresh` was read. What was shown comes first, in its order: nothing moves under the hand. */
export function followInbox(
  shown: readonly ShownEntry[],
  fresh: readonly InboxEntry[],
  { done, focused, isWritten }: Hands,
): ShownEntry[] {
  const now = new Map(fresh.map((entry) => [entryKey(entry), entry]));
  const kept = shown.flatMap((one): ShownEntry[] => {
    if (done.has(one.key)) return [];
    const entry = now.get(one.key);
    if (entry !== undefined) return [{ key: one.key, entry, isSettled: false }];
    return one.key === focused || isWritten(one) ? [{ ...one, isSettled: true }] : [];
  });
  const known = new Set(kept.map(({ key }) => key));
  const added = [...now].flatMap(([key, entry]): ShownEntry[] =>
    known.has(key) || done.has(key) ? [] : [{ key, entry, isSettled: false }],
  );
  return [...kept, ...added];
}
