/** Everything that waits for a person, to be decided where it stands. */
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { type RefObject, useEffect, useRef } from "react";
import { useInboxCount } from "../../api/inbox-count.ts";
import { pendingKey } from "../../pending/pending-key.ts";
import { buttonClasses } from "../../ui/button.tsx";
import { SelectField } from "../../ui/field.tsx";
import { More } from "../../ui/more.tsx";
import { Empty, Notice, ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { ShortcutsButton } from "../../ui/shortcuts.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import type { ShownEntry } from "./follow-inbox.ts";
import { InboxEntryArticle } from "./inbox-entry.tsx";
import type { InboxSearch } from "./inbox-search.ts";
import { focusNextEntry, useInboxShortcuts } from "./inbox-shortcuts.ts";
import { NotificationSwitch } from "./notification-switch.tsx";
import { useInbox } from "./use-inbox.ts";

export function InboxPage() {
  const { kind, order, entry } = useSearch({ from: "/console/inbox" });
  const feed = useRef<HTMLDivElement>(null);
  const { query, shown, markDone } = useInbox(kind, order ?? "oldest");
  const shortcuts = useInboxShortcuts(feed);
  useTitle(useInboxCount());
  useFocusOnEntry(feed, entry, shown);
  const settle = (key: string): void => {
    focusNextEntry(feed.current, key);
    markDone(key);
  };
  const isElsewhere = entry !== undefined && shown !== null && !shown.some((one) => isNamed(one, entry));
  return (
    <Page
      title="Inbox"
      lead="Questions, approvals, accounts to connect and calls of unknown outcome: what your agents need a person for."
      actions={<ShortcutsButton shortcuts={shortcuts} />}
    >
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <NotificationSwitch />
        <OrderField kind={kind} order={order} />
      </div>
      <KindTabs kind={kind} order={order} />
      {isElsewhere ? (
        <Notice title="What you followed here is not on this page">It was settled, or stands further down.</Notice>
      ) : null}
      {query.isError ? <ProblemNotice error={query.error} onRetry={() => void query.refetch()} /> : null}
      {query.isPending ? <Skeleton rows={3} height="h-56" label="Loading the inbox" /> : null}
      {shown === null ? null : shown.length === 0 ? (
        <NothingWaits kind={kind} />
      ) : (
        <div
          ref={feed}
          role="feed"
          aria-label="What waits for you"
          aria-busy={query.isFetchingNextPage}
          className="-mx-2 flex flex-col gap-4"
        >
          {shown.map((one, index) => (
            <InboxEntryArticle
              key={one.key}
              shown={one}
              place={index + 1}
              of={query.hasNextPage ? -1 : shown.length}
              onDone={() => settle(one.key)}
            />
          ))}
        </div>
      )}
      <More
        hasMore={query.hasNextPage}
        isBusy={query.isFetchingNextPage}
        shown={shown?.length ?? 0}
        onMore={() => void query.fetchNextPage()}
      />
    </Page>
  );
}

const TABS: readonly { readonly label: string; readonly kind: InboxSearch["kind"] }[] = [
  { label: "Everything", kind: undefined },
  { label: "Questions", kind: "question" },
  { label: "Approvals", kind: "approval" },
  { label: "Accounts", kind: "connection" },
  { label: "Unknown outcomes", kind: "unknown" },
];

interface Looked {
  readonly kind: InboxSearch["kind"];
  readonly order: InboxSearch["order"];
}

function KindTabs({ kind: current, order }: Looked) {
  return (
    <Tabs
      label="Kinds"
      tabs={TABS.map(({ label, kind }) => ({
        label,
        isCurrent: kind === current,
        link: { to: "/inbox", search: toSearch({ kind, order }) },
      }))}
    />
  );
}

function OrderField({ kind, order }: Looked) {
  const navigate = useNavigate();
  return (
    <SelectField
      label="Order"
      hidesLabel
      value={order ?? "oldest"}
      onChange={({ target }) =>
        void navigate({
          to: "/inbox",
          search: toSearch({ kind, order: target.value === "newest" ? "newest" : undefined }),
        })
      }
    >
      <option value="oldest">The oldest first</option>
      <option value="newest">The newest first</option>
    </SelectField>
  );
}

function toSearch({ kind, order }: Looked): InboxSearch {
  return { ...(kind === undefined ? {} : { kind }), ...(order === undefined ? {} : { order }) };
}

function NothingWaits({ kind }: { readonly kind: InboxSearch["kind"] }) {
  return (
    <Empty
      title={kind === undefined ? "Nothing waits for you" : "Nothing of this kind waits for you"}
      action={
        kind === undefined ? (
          <Link to="/tasks" className={buttonClasses()}>
            To the tasks
          </Link>
        ) : (
          <Link to="/inbox" search={{}} className={buttonClasses()}>
            Show everything
          </Link>
        )
      }
    >
      Questions and approvals of agents appear here while their tasks wait.
    </Empty>
  );
}

function isNamed({ entry: { pending } }: ShownEntry, entry: string): boolean {
  return pendingKey(pending) === entry;
}

/** How many wait, where a window that is not seen still shows it. */
function useTitle(total: number): void {
  useEffect(() => {
    document.title = total === 0 ? "Inbox · Otto" : `(${total}) Inbox · Otto`;
  }, [total]);
}

/** Puts the focus on the entry of the address, once. */
function useFocusOnEntry(
  feed: RefObject<HTMLElement | null>,
  entry: string | undefined,
  shown: readonly ShownEntry[] | null,
): void {
  const focused = useRef<string | null>(null);
  useEffect(() => {
    const named = entry === undefined ? undefined : shown?.find((one) => isNamed(one, entry));
    if (named === undefined || focused.current === named.key) return;
    focused.current = named.key;
    feed.current?.querySelector<HTMLElement>(`[data-entry="${CSS.escape(named.key)}"]`)?.focus();
  }, [feed, entry, shown]);
}
