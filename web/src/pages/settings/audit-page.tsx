/** Who changed what, and when. Nothing here can be changed or taken out. */
import { getRouteApi } from "@tanstack/react-router";
import { useCallback } from "react";
import { answered, api } from "../../api/client.ts";
import { useAgentNames, useKeyNames } from "../../api/names.ts";
import { usePaged } from "../../api/paged.ts";
import type { AuditEntry } from "../../api/types.generated.ts";
import { Button } from "../../ui/button.tsx";
import { Listing } from "../../ui/listing.tsx";
import { Empty } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { ExactTime } from "../../ui/time.tsx";
import { AuditFilters } from "./audit-filters.tsx";
import type { AuditSearch } from "./audit-search.ts";
import { actInWords } from "./audit-words.ts";
import { Name } from "../../ui/name.tsx";
import { visibleText } from "../../ui/visible-text.ts";

const route = getRouteApi("/console/audit");

export function AuditPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [agents, keys] = [useAgentNames(), useKeyNames()];
  const narrow = useCallback((next: AuditSearch) => void navigate({ search: next, replace: true }), [navigate]);
  const list = usePaged<AuditEntry>(
    ["audit", search],
    async (cursor) => await answered(api.GET("/v1/audit", { params: { query: { ...search, cursor, limit: 50 } } })),
  );
  const columns: readonly Column<AuditEntry>[] = [
    {
      title: "When",
      cell: ({ at }) => (
        <span className="sm:whitespace-nowrap">
          <ExactTime at={at} />
        </span>
      ),
    },
    {
      title: "What",
      cell: ({ action }) => <span className="block font-medium sm:min-w-40">{actInWords(action)}</span>,
    },
    {
      title: "On",
      isMain: true,
      cell: ({ target }) => <Known id={target} name={agents.get(target) ?? keys.get(target)} />,
    },
    { title: "By", cell: ({ actor }) => <Known id={actor} name={keys.get(actor)} /> },
  ];
  const isNarrowed = Object.keys(search).length > 0;
  return (
    <Page title="Audit" lead="Every administrative act: who did what to what. The latest come first.">
      <AuditFilters search={search} onSearch={narrow} keys={keys} />
      <Listing
        list={list}
        empty={
          isNarrowed ? (
            <Empty
              title="No results"
              action={<Button onClick={() => void navigate({ search: {} })}>Show everything</Button>}
            />
          ) : (
            <Empty title="No changes yet">Changes to keys, agents and people appear here.</Empty>
          )
        }
      >
        <Table caption="Administrative acts" columns={columns} rows={list.rows} rowKey={({ id }) => id} />
      </Listing>
    </Page>
  );
}

/** By its name where there is one, and by its id. */
function Known({ id, name }: { readonly id: string; readonly name: string | undefined }) {
  return (
    <>
      {name === undefined ? null : <Name className="block">{name}</Name>}
      <bdi className="font-mono text-xs text-quiet">{visibleText(id)}</bdi>
    </>
  );
}
