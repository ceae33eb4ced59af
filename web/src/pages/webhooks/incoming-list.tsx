import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { answered, api } from "../../api/client.ts";
import { useAgentNames } from "../../api/names.ts";
import { usePaged } from "../../api/paged.ts";
import type { IncomingWebhook } from "../../api/types.generated.ts";
import { Badge } from "../../ui/badge.tsx";
import { CopyButton } from "../../ui/code.tsx";
import { Listing } from "../../ui/listing.tsx";
import { Empty } from "../../ui/notice.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { indexesCodebases } from "./incoming-draft.ts";
import { TYPES } from "./incoming-words.ts";
import { Name } from "../../ui/name.tsx";

export function IncomingList({ add }: { readonly add: ReactNode }) {
  const list = usePaged<IncomingWebhook>(
    ["incoming-webhooks", "list"],
    async (cursor) => await answered(api.GET("/v1/incoming-webhooks", { params: { query: { cursor } } })),
  );
  const names = useAgentNames();
  const columns: readonly Column<IncomingWebhook>[] = [
    {
      title: "Name",
      cell: ({ id, name }) => (
        <Link
          to="/webhooks/incoming/$webhookId"
          params={{ webhookId: id }}
          className="inline-block font-medium [overflow-wrap:anywhere] text-accent underline sm:min-w-28"
        >
          {name}
        </Link>
      ),
    },
    { title: "Called by", cell: ({ type }) => TYPES[type].word },
    {
      title: "Address",
      isMain: true,
      cell: ({ name, url }) => (
        <span className="flex items-center gap-1">
          <span className="min-w-0 font-mono text-sm [overflow-wrap:anywhere]">{url}</span>
          <CopyButton text={url} label={`Copy the address of ${name}`} />
        </span>
      ),
    },
    {
      title: "Agent",
      cell: ({ agent, ...hook }) => {
        if (indexesCodebases(hook)) return "None: indexes codebases";
        return agent === undefined ? "default" : <Name>{names.get(agent) ?? agent}</Name>;
      },
    },
    { title: "State", cell: ({ enabled }) => (enabled ? <Badge tone="good">On</Badge> : <Badge>Off</Badge>) },
  ];
  return (
    <Listing
      list={list}
      empty={
        <Empty title="No incoming webhooks yet" action={add}>
          Create an address for GitHub, Stripe or your own program: each signed call becomes a task, or indexes
          codebases.
        </Empty>
      }
    >
      <Table caption="Webhooks that come in" columns={columns} rows={list.rows} rowKey={({ id }) => id} />
    </Listing>
  );
}
