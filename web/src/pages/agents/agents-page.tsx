/** The tenant's agents: who works, with which permissions. */
import { getRouteApi, Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useCallback, useEffect } from "react";
import { answered, api } from "../../api/client.ts";
import { usePaged } from "../../api/paged.ts";
import type { Agent } from "../../api/types.generated.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, buttonClasses } from "../../ui/button.tsx";
import { Listing } from "../../ui/listing.tsx";
import { Empty } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { getPermissionWording } from "../tools/tool-words.ts";
import { BUILT_IN_AGENT } from "./agent-queries.ts";
import { isFound, readAgentsSearch } from "./agent-search.ts";
import { honestProse } from "../../ui/visible-text.ts";

const route = getRouteApi("/console/agents");
/** Agents of a page; all pages are read for a search. */
const PAGE = 100;

const COLUMNS: readonly Column<Agent>[] = [
  {
    title: "Name",
    isMain: true,
    cell: ({ id, name, instructions }) => (
      <>
        <Link to="/agents/$agentId" params={{ agentId: id }} className="font-medium text-accent underline">
          {name}
        </Link>{" "}
        {id === BUILT_IN_AGENT ? <Badge>Built in</Badge> : null}
        <span dir="auto" className="line-clamp-1 text-sm text-quiet">
          {honestProse(instructions.slice(0, 200))}
        </span>
      </>
    ),
  },
  {
    title: "It may",
    cell: ({ permissions }) =>
      permissions.length === 0 ? (
        <span className="text-quiet">Nothing</span>
      ) : (
        <span className="flex flex-wrap gap-1">
          {permissions.map((permission) => (
            <Badge key={permission} tone={getPermissionWording(permission).tone}>
              {getPermissionWording(permission).word}
            </Badge>
          ))}
        </span>
      ),
  },
  {
    title: "Model",
    cell: ({ model }) => <span className="text-sm">{model === undefined ? "Default" : honestProse(model)}</span>,
  },
  { title: "Version", isNumber: true, cell: ({ version }) => version },
  {
    title: "Changed",
    cell: ({ updated_at }) =>
      updated_at === null ? <span className="text-quiet">Never</span> : <Time at={updated_at} />,
  },
];

export function AgentsPage() {
  const { query = "" } = route.useSearch();
  const navigate = route.useNavigate();
  const search = useCallback(
    (next: string) => void navigate({ search: readAgentsSearch({ query: next }), replace: true }),
    [navigate],
  );
  const list = usePaged<Agent>(
    ["agents", "list"],
    async (cursor) => await answered(api.GET("/v1/agents", { params: { query: { cursor, limit: PAGE } } })),
  );
  const { more, error } = list;
  const isReadingOn = query !== "" && more.hasMore && error === null;
  useEffect(() => {
    if (isReadingOn && !more.isBusy) more.onMore();
  });
  const found = list.rows.filter((agent) => isFound(agent, query));
  const make = (
    <Link to="/agents/new" className={buttonClasses("primary")}>
      <Plus aria-hidden className="size-4" />
      New agent
    </Link>
  );
  return (
    <Page
      title="Agents"
      lead="Each is a way of working: instructions, tools, permissions, limits, and what it has to ask about. A change makes a version; tasks keep the one that they began with."
      actions={make}
    >
      <SearchBox label="Search by name or instructions" value={query} onSearch={search} />
      <Listing
        list={{ ...list, rows: found, isLoading: list.isLoading || (isReadingOn && found.length === 0) }}
        empty={
          query === "" ? (
            <Empty title="No agents yet" action={make}>
              Create one for each kind of work, with no more permissions than it needs.
            </Empty>
          ) : (
            <Empty title="No matching agents" action={<Button onClick={() => search("")}>Show all</Button>} />
          )
        }
      >
        <Table caption="Agents" columns={COLUMNS} rows={found} rowKey={({ id }) => id} />
      </Listing>
    </Page>
  );
}
