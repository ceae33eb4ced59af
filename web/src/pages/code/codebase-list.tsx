/** Codebases by name. The list follows those that are being indexed. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Codebase } from "../../api/types.generated.ts";
import { count } from "../../ui/amounts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Listing } from "../../ui/listing.tsx";
import { Name } from "../../ui/name.tsx";
import { Empty } from "../../ui/notice.tsx";
import { CELL_LINES, type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { UserWords } from "../../users/user-words.tsx";
import {
  CODEBASE_STATE_WORDS,
  countSkipped,
  describeIndex,
  describeSource,
  isUnderWay,
  shortCommit,
} from "./code-words.ts";
import { codebasesQuery } from "./codebase-queries.ts";

interface CodebaseListProps {
  /** The button that adds one. */
  readonly add: ReactNode;
  readonly onOpen: (id: string) => void;
}

export function CodebaseList({ add, onOpen }: CodebaseListProps) {
  const { data: rows = [], error, isPending, refetch } = useQuery(codebasesQuery);
  const more = { shown: rows.length, hasMore: false, isBusy: false, onMore: () => undefined };
  const columns: readonly Column<Codebase>[] = [
    { title: "Codebase", isMain: true, cell: (one) => <Title codebase={one} /> },
    { title: "State", cell: (one) => <CodebaseState codebase={one} className={CELL_LINES} /> },
    { title: "Found in it", cell: (one) => <Contents codebase={one} /> },
    { title: "Indexed", cell: (one) => <Indexed codebase={one} /> },
    { title: "Who may use it", cell: (one) => <UserWords users={one} className={CELL_LINES} /> },
    {
      title: "Actions",
      cell: ({ id, name }) => (
        <Button size="small" aria-label={`Open ${name}`} onClick={() => onOpen(id)}>
          Open
        </Button>
      ),
    },
  ];
  return (
    <Listing
      list={{ rows, isLoading: isPending, error, retry: () => void refetch(), more }}
      empty={
        <Empty title="No codebases yet" action={add}>
          Add a git repository, a ZIP file or the files of a project. Agents then find functions, classes and text in
          it.
        </Empty>
      }
    >
      <Table caption="Codebases" columns={columns} rows={rows} rowKey={({ id }) => id} />
    </Listing>
  );
}

function Title({ codebase: { name, source } }: { readonly codebase: Codebase }) {
  return (
    <span className={CELL_LINES}>
      <span className="font-medium">{name}</span>
      <Name className="text-sm text-quiet [overflow-wrap:anywhere]">{describeSource(source)}</Name>
    </span>
  );
}

/** An index that failed or is being made again leaves the one before to searches, and says so. */
export function CodebaseState({
  codebase,
  className = "flex flex-col items-start gap-1",
}: {
  readonly codebase: Codebase;
  readonly className?: string;
}) {
  const { word, tone } = CODEBASE_STATE_WORDS[codebase.status];
  const hasOlder = codebase.indexed_at !== null && (isUnderWay(codebase) || codebase.status === "failed");
  return (
    <span className={className}>
      <Badge tone={tone}>{word}</Badge>
      {hasOlder ? <span className="text-sm text-quiet">Searches read the index before</span> : null}
    </span>
  );
}

function Contents({ codebase }: { readonly codebase: Codebase }) {
  const skipped = countSkipped(codebase.skipped);
  return (
    <span className={CELL_LINES}>
      {describeIndex(codebase) ?? "Nothing yet"}
      {skipped === 0 ? null : <span className="text-sm text-quiet">{`${count(skipped)} left out`}</span>}
    </span>
  );
}

function Indexed({ codebase: { indexed_at: at, commit } }: { readonly codebase: Codebase }) {
  if (at === null) return "Never";
  return (
    <span className={CELL_LINES}>
      <Time at={at} />
      {commit === null ? null : <code className="font-mono text-sm text-quiet">{shortCommit(commit)}</code>}
    </span>
  );
}
