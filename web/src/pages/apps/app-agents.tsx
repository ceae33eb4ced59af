/** Which agents may use an app of the workspace, and how far. For administrators. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { answered, api } from "../../api/client.ts";
import { usePaged } from "../../api/paged.ts";
import type { Agent, MarketplaceApp } from "../../api/types.generated.ts";
import { buttonClasses } from "../../ui/button.tsx";
import { Listing } from "../../ui/listing.tsx";
import { Name } from "../../ui/name.tsx";
import { Empty } from "../../ui/notice.tsx";
import { Section } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { honestProse } from "../../ui/visible-text.ts";
import { describeAccess } from "../agents/agent-apps.ts";
import { agentAppsQuery } from "../agents/agent-queries.ts";

/** Agents that are listed at once. Each is one more request. */
const AT_ONCE = 10;

export function AppAgents({ app }: { readonly app: MarketplaceApp }) {
  const list = usePaged<Agent>(
    ["agents", "list", AT_ONCE],
    async (cursor) => await answered(api.GET("/v1/agents", { params: { query: { cursor, limit: AT_ONCE } } })),
  );
  const columns: readonly Column<Agent>[] = [
    {
      title: "Agent",
      cell: ({ id, name }) => (
        <Link to="/agents/$agentId" params={{ agentId: id }} className="font-medium text-accent underline">
          <Name>{name}</Name>
        </Link>
      ),
    },
    { title: "May use", isMain: true, cell: ({ id }) => <Access agent={id} app={app.app_name} /> },
    {
      title: "Actions",
      cell: ({ id, name }) => (
        <Link
          to="/agents/$agentId"
          params={{ agentId: id }}
          search={{ view: "apps" }}
          aria-label={honestProse(`Change the apps of ${name}`)}
          className={buttonClasses("plain", "small")}
        >
          Change
        </Link>
      ),
    },
  ];
  return (
    <Section title="Who may use it">
      <Listing list={list} empty={<Empty title="No agents yet" />}>
        <Table caption="Agents that may use this app" columns={columns} rows={list.rows} rowKey={({ id }) => id} />
      </Listing>
    </Section>
  );
}

function Access({ agent, app }: { readonly agent: string; readonly app: string }) {
  const { data, error } = useQuery(agentAppsQuery(agent));
  if (data !== undefined) return <span className="sm:block sm:min-w-56">{describeAccess(data, app)}</span>;
  return <span className="text-quiet">{error === null ? "Loading…" : "Couldn't load"}</span>;
}
