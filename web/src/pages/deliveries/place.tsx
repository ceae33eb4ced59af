import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Delivery } from "../../api/types.generated.ts";
import { visibleText } from "../../ui/visible-text.ts";
import { webhooksQuery } from "../webhooks/webhook-queries.ts";

/** An address as it is written; that of a webhook leads to it. */
export function Place({ channel, to }: Pick<Delivery, "channel" | "to">) {
  if (channel === "webhook") return <WebhookPlace id={to} />;
  return <bdi className="font-mono text-sm [overflow-wrap:anywhere] text-quiet">{visibleText(to)}</bdi>;
}

/** Its id where its address is not known: it is deleted, or one may not read webhooks. */
function WebhookPlace({ id }: { readonly id: string }) {
  const { data } = useQuery({ ...webhooksQuery, staleTime: 60_000 });
  const url = data?.find((webhook) => webhook.id === id)?.url;
  return (
    <Link
      to="/webhooks/$webhookId"
      params={{ webhookId: id }}
      className="font-mono text-sm [overflow-wrap:anywhere] text-accent underline"
    >
      {url === undefined ? id : visibleText(url.replace(/^https?:\/\//, ""))}
    </Link>
  );
}
