/** One incoming webhook: received calls, settings, and how to call it. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { IncomingWebhook } from "../../api/types.generated.ts";
import { Badge } from "../../ui/badge.tsx";
import { CopyButton } from "../../ui/code.tsx";
import { ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { IncomingCall } from "./incoming-call.tsx";
import { IncomingReceived } from "./incoming-received.tsx";
import { IncomingSettings } from "./incoming-settings.tsx";
import { indexesCodebases } from "./incoming-draft.ts";
import { TYPES } from "./incoming-words.ts";
import { incomingQuery } from "./webhook-queries.ts";

const route = getRouteApi("/console/webhooks/incoming/$webhookId");

export function IncomingWebhookPage() {
  const { webhookId } = route.useParams();
  const { view } = route.useSearch();
  const { data, error, isPending, refetch } = useQuery(incomingQuery(webhookId));
  const hook = data?.body;
  return (
    <Page
      title={hook === undefined ? "Incoming webhook" : hook.name}
      lead={hook === undefined ? undefined : <Lead hook={hook} />}
    >
      <Tabs
        label="About this webhook"
        tabs={[
          { label: "Received", link: linkTo(webhookId), isCurrent: view === undefined },
          { label: "Settings", link: linkTo(webhookId, "settings"), isCurrent: view === "settings" },
          { label: "How to call it", link: linkTo(webhookId, "call"), isCurrent: view === "call" },
        ]}
      />
      {isPending ? <Skeleton rows={5} /> : null}
      {error ? <ProblemNotice error={error} onRetry={() => void refetch()} /> : null}
      {hook === undefined || view !== undefined ? null : <IncomingReceived id={hook.id} />}
      {data === undefined || view !== "settings" ? null : <IncomingSettings key={data.body.id} hook={data} />}
      {hook === undefined || view !== "call" ? null : <IncomingCall hook={hook} />}
    </Page>
  );
}

function linkTo(webhookId: string, view?: "settings" | "call") {
  const search = view === undefined ? {} : { view };
  return { to: "/webhooks/incoming/$webhookId", params: { webhookId }, search } as const;
}

function Lead({ hook }: { readonly hook: IncomingWebhook }) {
  const { type, enabled, url } = hook;
  return (
    <>
      <span className="flex flex-wrap items-center gap-2">
        {enabled ? <Badge tone="good">On</Badge> : <Badge>Off</Badge>}
        <span>Called by: {TYPES[type].word}</span>
        {indexesCodebases(hook) ? <span>Indexes codebases</span> : null}
      </span>
      <span className="block">
        <span className="font-mono text-sm [overflow-wrap:anywhere]">{url}</span>{" "}
        <span className="-my-2 inline-flex align-middle">
          <CopyButton text={url} label="Copy the address" />
        </span>
      </span>
    </>
  );
}
