import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Webhook } from "../../api/types.generated.ts";
import { Badge } from "../../ui/badge.tsx";
import { Empty, ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { visibleText, honestProse } from "../../ui/visible-text.ts";
import { eventsInWords } from "./webhook-events.ts";
import { webhooksQuery } from "./webhook-queries.ts";

const COLUMNS: readonly Column<Webhook>[] = [
  {
    title: "Address",
    isMain: true,
    cell: ({ id, url, description }) => (
      <>
        <Link
          to="/webhooks/$webhookId"
          params={{ webhookId: id }}
          className="font-medium [overflow-wrap:anywhere] text-accent underline"
        >
          {visibleText(url)}
        </Link>
        {description === "" ? null : (
          <span dir="auto" className="line-clamp-2 text-sm text-quiet">
            {honestProse(description)}
          </span>
        )}
      </>
    ),
  },
  {
    title: "Events",
    cell: ({ events }) => (
      <ul className="sm:min-w-52">
        {eventsInWords(events).map((said) => (
          <li key={said}>{said}</li>
        ))}
      </ul>
    ),
  },
  { title: "State", cell: (webhook) => <WebhookState webhook={webhook} /> },
];

export function OutgoingList({ add }: { readonly add: ReactNode }) {
  const { data, error, isPending, refetch } = useQuery(webhooksQuery);
  if (isPending) return <Skeleton rows={4} height="h-16" />;
  if (error) return <ProblemNotice error={error} onRetry={() => void refetch()} />;
  if (data.length === 0)
    return (
      <Empty title="No webhooks yet" action={add}>
        Add your address and its events: tasks that end, questions that wait, approvals.
      </Empty>
    );
  return <Table caption="Webhooks that go out" columns={COLUMNS} rows={data} rowKey={({ id }) => id} />;
}

function WebhookState({ webhook: { enabled, disabled_reason } }: { readonly webhook: Webhook }) {
  if (enabled) return <Badge tone="good">On</Badge>;
  return (
    <>
      {disabled_reason === null ? <Badge>Off</Badge> : <Badge tone="danger">Switched off by Otto</Badge>}
      {disabled_reason === null ? null : (
        <span className="block text-sm text-quiet sm:max-w-64">{visibleText(disabled_reason)}</span>
      )}
    </>
  );
}
