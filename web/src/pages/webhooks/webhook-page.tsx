/** One webhook that goes out: what was sent to it, what it is set to, and how its requests are verified. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Send } from "lucide-react";
import { answered, api } from "../../api/client.ts";
import { toApiError } from "../../api/problem.ts";
import { useRequestKey } from "../../api/request-key.ts";
import type { Webhook } from "../../api/types.generated.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import type { Tagged } from "../../ui/edit.ts";
import { Notice, ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { useToast } from "../../ui/toast.tsx";
import { visibleText, honestProse } from "../../ui/visible-text.ts";
import { WebhookDeliveries } from "./webhook-deliveries.tsx";
import { eventsInWords } from "./webhook-events.ts";
import { settingOf } from "./webhook-form.tsx";
import { putWebhook, webhookQuery } from "./webhook-queries.ts";
import { WebhookSettings } from "./webhook-settings.tsx";
import { WebhookVerify } from "./webhook-verify.tsx";

const route = getRouteApi("/console/webhooks/$webhookId");

export function WebhookPage() {
  const { webhookId } = route.useParams();
  const { view } = route.useSearch();
  const { data, error, isPending, refetch } = useQuery(webhookQuery(webhookId));
  const testing = useTest(webhookId);
  const webhook = data?.body;
  return (
    <Page
      title={webhook === undefined ? "Webhook" : readHost(webhook.url)}
      lead={webhook === undefined ? undefined : <Lead webhook={webhook} />}
      actions={
        webhook?.enabled === true ? (
          <Button
            icon={<Send aria-hidden className="size-4" />}
            isBusy={testing.isPending}
            onClick={() => testing.mutate()}
          >
            Send a test
          </Button>
        ) : undefined
      }
    >
      {testing.isError ? <ProblemNotice error={testing.error} doing="Couldn't send a test" /> : null}
      {data?.body.enabled === false ? <SwitchedOff webhook={data} /> : null}
      <Tabs
        label="About this webhook"
        tabs={[
          { label: "Deliveries", link: linkTo(webhookId), isCurrent: view === undefined },
          { label: "Settings", link: linkTo(webhookId, "settings"), isCurrent: view === "settings" },
          { label: "How to verify", link: linkTo(webhookId, "verify"), isCurrent: view === "verify" },
        ]}
      />
      {isPending ? <Skeleton rows={5} /> : null}
      {error ? <ProblemNotice error={error} onRetry={() => void refetch()} /> : null}
      {webhook === undefined || view !== undefined ? null : <WebhookDeliveries webhook={webhook} />}
      {data === undefined || view !== "settings" ? null : <WebhookSettings key={data.body.id} webhook={data} />}
      {view === "verify" ? <WebhookVerify /> : null}
    </Page>
  );
}

function linkTo(webhookId: string, view?: "settings" | "verify") {
  return { to: "/webhooks/$webhookId", params: { webhookId }, search: view === undefined ? {} : { view } } as const;
}

function readHost(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return "Webhook";
  }
}

function Lead({ webhook: { url, description, events } }: { readonly webhook: Webhook }) {
  return (
    <>
      {description === "" ? null : (
        <span dir="auto" className="block">
          {honestProse(description)}
        </span>
      )}
      <span className="block font-mono text-sm [overflow-wrap:anywhere]">{visibleText(url)}</span>
      <span className="mt-2 flex flex-wrap gap-1">
        {eventsInWords(events).map((said) => (
          <Badge key={said}>
            <span className="whitespace-normal">{said}</span>
          </Badge>
        ))}
      </span>
    </>
  );
}

function SwitchedOff({ webhook: { body, etag } }: { readonly webhook: Tagged<Webhook> }) {
  const queries = useQueryClient();
  const say = useToast();
  const enabling = useMutation({
    mutationFn: async () =>
      await putWebhook(body.id, { ...settingOf(body), enabled: true }, etag === null ? {} : { "if-match": etag }),
    onSuccess: () => say("The webhook is on."),
    // Also when somebody else was faster: what it is set to now stands there then.
    onSettled: async () => await queries.invalidateQueries({ queryKey: ["webhooks"] }),
  });
  const { disabled_reason: why } = body;
  return (
    <Notice
      tone="warn"
      title={why === null ? "It is off" : "Otto switched it off"}
      action={
        <Button size="small" isBusy={enabling.isPending} onClick={() => enabling.mutate()}>
          Switch it on
        </Button>
      }
    >
      {why === null ? "Nothing is sent to it." : visibleText(why)}
      {enabling.isError ? <span className="block">{toApiError(enabling.error).message}</span> : null}
    </Notice>
  );
}

/** Sends a test; what the API refuses of it stands on the page. */
function useTest(id: string) {
  const queries = useQueryClient();
  const say = useToast();
  const { headersFor, renew } = useRequestKey();
  return useMutation({
    mutationFn: async () =>
      await answered(api.POST("/v1/webhooks/{id}/test", { params: { path: { id } }, headers: headersFor(id) })),
    onSuccess: async () => {
      renew();
      say("Test sent. See the deliveries for the result.");
      await queries.invalidateQueries({ queryKey: ["deliveries"] });
    },
  });
}
