/** Databases, the latest first. */
import type { ReactNode } from "react";
import { answered, api } from "../../api/client.ts";
import { usePaged } from "../../api/paged.ts";
import type { Database } from "../../api/types.generated.ts";
import { count } from "../../ui/amounts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Listing } from "../../ui/listing.tsx";
import { Empty } from "../../ui/notice.tsx";
import { CELL_LINES, type Column, Table } from "../../ui/table.tsx";
import { UserWords } from "../../users/user-words.tsx";
import { KIND_WORDS, STATUS_WORDS } from "./database-words.ts";

interface DatabaseListProps {
  /** The button that adds one. */
  readonly add: ReactNode;
  readonly onOpen: (name: string) => void;
}

/** All that a tenant can have (`core/databases/limits.ts`). */
const PAGE = 50;

export function DatabaseList({ add, onOpen }: DatabaseListProps) {
  const list = usePaged<Database>(
    ["databases", "list"],
    async (cursor) => await answered(api.GET("/v1/databases", { params: { query: { cursor, limit: PAGE } } })),
  );
  const columns: readonly Column<Database>[] = [
    {
      title: "Database",
      isMain: true,
      cell: ({ name, host }) => (
        <span className={CELL_LINES}>
          <span className="font-medium">{name}</span>
          <span className="text-sm text-quiet [overflow-wrap:anywhere]">
            {host ?? "The stored DSN cannot be decrypted"}
          </span>
        </span>
      ),
    },
    { title: "Kind", cell: ({ kind }) => KIND_WORDS[kind] },
    { title: "State", cell: (one) => <DatabaseState database={one} /> },
    { title: "Role", cell: (one) => <Role database={one} /> },
    { title: "Who may use it", cell: (one) => <UserWords users={one} className={CELL_LINES} /> },
    {
      title: "Actions",
      cell: ({ name }) => (
        <Button size="small" aria-label={`Open ${name}`} onClick={() => onOpen(name)}>
          Open
        </Button>
      ),
    },
  ];
  return (
    <Listing
      list={list}
      empty={
        <Empty title="No databases yet" action={add}>
          Add a Postgres database with a role that only reads. Agents then answer questions from its tables.
        </Empty>
      }
    >
      <Table caption="Databases" columns={columns} rows={list.rows} rowKey={({ id }) => id} />
    </Listing>
  );
}

export function DatabaseState({ database: { status } }: { readonly database: Database }) {
  const { word, tone } = STATUS_WORDS[status];
  return <Badge tone={tone}>{word}</Badge>;
}

/** The role, and what the check found that it may do besides reading. */
function Role({ database: { check } }: { readonly database: Database }) {
  if (check === null) return "Unknown";
  const { role, grants } = check;
  const [first, ...others] = grants;
  return (
    <span className={CELL_LINES}>
      {role}
      <span className="text-sm text-quiet [overflow-wrap:anywhere]">
        {first === undefined ? "Only reads" : first}
        {others.length === 0 ? "" : ` and ${count(others.length)} more`}
      </span>
    </span>
  );
}
