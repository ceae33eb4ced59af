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
import { describeRule } from "./code-schedule.ts";
import {
  CODEBASE_STATE_WORDS,
  countSkipped,
  describeIndex,
  describeSource,
  isUnderWay,
  lacksVectors,
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
    { title: "Contents", cell: (one) => <Contents codebase={one} /> },
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

/** While an index is made, and after one that failed, searches use the previous one. */
export function CodebaseState({
  codebase,
  className = "flex flex-col items-start gap-1",
}: {
  readonly codebase: Codebase;
  readonly className?: string;
}) {
  const { status, indexed_at } = codebase;
  const { word, tone } = CODEBASE_STATE_WORDS[status];
  const hasOlder = indexed_at !== null && (isUnderWay(codebase) || status === "failed");
  return (
    <span className={className}>
      <Badge tone={tone}>{word}</Badge>
      {hasOlder ? <span className="text-sm text-quiet xl:min-w-32">Searches use the previous index</span> : null}
    </span>
  );
}

function Contents({ codebase }: { readonly codebase: Codebase }) {
  const skipped = countSkipped(codebase.skipped);
  return (
    <span className={CELL_LINES}>
      <span className="xl:whitespace-nowrap">{describeIndex(codebase) ?? "Nothing yet"}</span>
      {lacksVectors(codebase) ? (
        <span className="text-sm text-quiet xl:whitespace-nowrap">No search by meaning</span>
      ) : null}
      {skipped === 0 ? null : (
        <span className="text-sm text-quiet xl:whitespace-nowrap">{`${count(skipped)} skipped`}</span>
      )}
    </span>
  );
}

function Indexed({ codebase: { indexed_at: at, commit, reindex } }: { readonly codebase: Codebase }) {
  return (
    <span className={CELL_LINES}>
      {at === null ? "Never" : <Time at={at} />}
      {commit === null ? null : <code className="font-mono text-sm text-quiet">{shortCommit(commit)}</code>}
      {reindex.every === null ? null : (
        <span className="text-sm text-quiet xl:min-w-28">{describeRule(reindex.every)}</span>
      )}
    </span>
  );
}
