/** Received items of a source with their outcome, and a button to retry dead letters. */
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { usePaged } from "../api/paged.ts";
import type { ReceivedItem } from "../api/types.generated.ts";
import { Badge } from "../ui/badge.tsx";
import { classes } from "../ui/classes.ts";
import { Listing } from "../ui/listing.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { oneLine, visibleText } from "../ui/visible-text.ts";
import { RECEIVED } from "./received-words.ts";
import { TryAgain } from "./try-again.tsx";

/** Things come at any moment: the list is read again so often. */
const READ_AGAIN_MS = 5_000;
/** Characters of a note, and of what a stranger wrote, that the list shows. */
const MAX_NOTE = 300;
const MAX_HEAD = 120;

interface ReceivedListProps {
  /** The list's key, as queries are named. */
  readonly queryKey: readonly string[];
  readonly read: (
    cursor?: string,
  ) => Promise<{ readonly data: readonly ReceivedItem[]; readonly next_cursor: string | null }>;
  /** Has one that was given up tried again. */
  readonly again: (messageId: string, headers: Readonly<Record<string, string>>) => Promise<unknown>;
  readonly caption: string;
  /** Of mail, whom it says it comes from; of anything else, what it was. */
  readonly isMail?: boolean;
  readonly empty: ReactNode;
}

export function ReceivedList({ queryKey, read, again, caption, isMail = false, empty }: ReceivedListProps) {
  const list = usePaged<ReceivedItem>(queryKey, read, () => READ_AGAIN_MS);
  const columns: readonly Column<ReceivedItem>[] = [
    isMail ? FROM : EVENT,
    { title: "Outcome", isMain: !isMail, cell: (item) => <Became item={item} hasName={!isMail} /> },
    {
      title: "Task",
      cell: ({ task_id, state, message_id }) => {
        if (state === "dead")
          return <TryAgain queryKey={queryKey} again={async (headers) => await again(message_id, headers)} />;
        if (task_id === null) return <span className="text-quiet">None</span>;
        return (
          <Link to="/tasks/$taskId" params={{ taskId: task_id }} className="whitespace-nowrap text-accent underline">
            Open it
          </Link>
        );
      },
    },
    { title: "Came", cell: ({ received_at }) => <Time at={received_at} /> },
  ];
  return (
    <Listing list={list} empty={empty}>
      <Table caption={caption} columns={columns} rows={list.rows} rowKey={({ message_id }) => message_id} />
    </Listing>
  );
}

const EVENT: Column<ReceivedItem> = {
  title: "Event",
  cell: ({ event }) => <bdi className="block [overflow-wrap:anywhere] sm:min-w-32">{visibleText(event)}</bdi>,
};

const FROM: Column<ReceivedItem> = {
  title: "Mail",
  isMain: true,
  cell: ({ from, subject }) => (
    <div className="[overflow-wrap:anywhere] sm:min-w-40">
      <bdi className="block font-medium">
        {subject === null || subject === "" ? "(no subject)" : oneLine(subject, MAX_HEAD)}
      </bdi>
      <span className="block text-sm text-quiet">
        says it is from <bdi>{from === null || from === "" ? "nobody" : oneLine(from, MAX_HEAD)}</bdi>
      </span>
    </div>
  ),
};

/** A mail is known by its subject; anything else shows its id. */
function Became({ item, hasName }: { readonly item: ReceivedItem; readonly hasName: boolean }) {
  const { state, note, attempts, message_id } = item;
  const { tone, word } = RECEIVED[state];
  return (
    <div className={classes(!hasName && "sm:w-72")}>
      <Badge tone={tone}>{word}</Badge>
      {attempts > 1 ? <span className="ml-2 text-sm text-quiet">{`tried ${attempts} times`}</span> : null}
      {note === null ? null : (
        <span dir="auto" className="block text-sm [overflow-wrap:anywhere] text-quiet">
          {oneLine(note, MAX_NOTE)}
        </span>
      )}
      {hasName ? (
        <span className="block font-mono text-xs [overflow-wrap:anywhere] text-quiet">{message_id}</span>
      ) : null}
    </div>
  );
}
