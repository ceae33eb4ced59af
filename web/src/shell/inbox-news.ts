/** What of the inbox is news for somebody who does not look: each entry once, and no flood after a silence. */
import type { ShortInboxEntry } from "../api/types.generated.ts";

/** More at once are told as one. */
const MOST_AT_ONCE = 3;
/** Milliseconds without an answer after which all new entries become one notification. */
const SILENCE_MS = 120_000;

export interface Known {
  readonly keys: ReadonlySet<string>;
  /** Of what waits since this moment or before, not all was seen: it is no news. Null: all was. */
  readonly unseenUpTo: string | null;
  /** When the inbox was last read, in milliseconds since the epoch. */
  readonly at: number;
}

export interface News {
  /** The same for the same news in every window: the browser shows it once. */
  readonly tag: string;
  readonly title: string;
  /** The entry that it opens; null: the inbox. */
  readonly entry: string | null;
}

type Waiting = Pick<ShortInboxEntry, "since"> & { readonly pending: Pick<ShortInboxEntry["pending"], "kind" | "id"> };

/** What waits, the newest first. `isCut`: more waits, for longer. */
interface Look {
  readonly newest: readonly Waiting[];
  readonly isCut: boolean;
}

const TITLES: Readonly<Record<Waiting["pending"]["kind"], string>> = {
  question: "A task needs an answer",
  approval: "A task needs an approval",
  unknown: "A task does not know what became of a call",
  connection: "A task needs an account",
};

/** What to tell after a read of the inbox. `known` is null before the first: what waits then is no news. */
export function newsOf(
  known: Known | null,
  { newest, isCut }: Look,
  at: number,
): { readonly known: Known; readonly news: readonly News[] } {
  const keyed = newest.map((entry) => ({ key: `${entry.pending.id} ${entry.since}`, entry }));
  const keys = new Set([...(known?.keys ?? []), ...keyed.map(({ key }) => key)]);
  const next: Known = { keys, unseenUpTo: isCut ? (newest.at(-1)?.since ?? null) : null, at };
  if (known === null) return { known: next, news: [] };
  const wasThere = (since: string): boolean => known.unseenUpTo !== null && since <= known.unseenUpTo;
  const fresh = keyed.filter(({ key, entry }) => !known.keys.has(key) && !wasThere(entry.since));
  // Where all that was looked at is new, there may be more behind it.
  const isAll = !(isCut && fresh.length === newest.length);
  const isMany = fresh.length > MOST_AT_ONCE || (fresh.length > 1 && at - known.at > SILENCE_MS);
  if (isMany)
    return { known: next, news: [{ tag: "otto inbox", title: manyThings(fresh.length, isAll), entry: null }] };
  return {
    known: next,
    news: fresh.map(({ key, entry: { pending } }) => ({
      tag: `otto ${key}`,
      title: TITLES[pending.kind],
      entry: pending.id,
    })),
  };
}

function manyThings(many: number, isAll: boolean): string {
  return isAll ? `${many} things wait for you` : `${many} things or more wait for you`;
}
