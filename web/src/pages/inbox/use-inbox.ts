import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { readInbox } from "../../api/inbox.ts";
import { pendingKey } from "../../pending/pending-key.ts";
import { hasDraft } from "../../ui/draft.ts";
import { followInbox, type ShownEntry } from "./follow-inbox.ts";
import type { InboxSearch } from "./inbox-search.ts";

/** Entries of one page: each is a whole card. */
const PAGE = 20;

interface Following {
  /** The list that it is of: another begins afresh. */
  readonly of: string;
  readonly data: unknown;
  readonly done: ReadonlySet<string>;
  readonly shown: readonly ShownEntry[] | null;
}

/** What waits, and what somebody works on although it does not wait any more. */
export function useInbox(kind: InboxSearch["kind"], order: "oldest" | "newest") {
  const of = `${kind ?? "all"} ${order}`;
  const query = useInfiniteQuery({
    queryKey: ["inbox", "list", of],
    queryFn: async ({ pageParam }) => {
      const asked = { limit: PAGE, order, ...(kind === undefined ? {} : { kind }) };
      return await readInbox({ ...asked, ...(pageParam === null ? {} : { cursor: pageParam }) });
    },
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
  });
  const { data } = query;
  const [done, setDone] = useState<ReadonlySet<string>>(new Set());
  const [following, setFollowing] = useState<Following>({ of, data: undefined, done, shown: null });
  // A list that depends on the one before it: https://react.dev/reference/react/useState#storing-information-from-previous-renders
  if (data !== undefined && !(following.data === data && following.done === done && following.of === of)) {
    const fresh = data.pages.flatMap((page) => page.data);
    const before = following.of === of ? (following.shown ?? []) : [];
    const shown = followInbox(before, fresh, { done, focused: focusedKey(), isWritten });
    setFollowing({ of, data, done, shown });
  }
  return {
    query,
    /** Null until it was read. */
    shown: following.of === of ? following.shown : null,
    markDone: (key: string) => setDone((all) => new Set([...all, key])),
  };
}

/** The entry that has the focus in it. */
function focusedKey(): string | null {
  return document.activeElement?.closest<HTMLElement>("[data-entry]")?.dataset["entry"] ?? null;
}

/** Whether somebody has written something for an entry. */
function isWritten({ entry: { pending } }: ShownEntry): boolean {
  const key = pendingKey(pending);
  return hasDraft(`answer ${key}`) || hasDraft(`approval ${key}`);
}
