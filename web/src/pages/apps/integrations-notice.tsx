/** What a reader has to know about the provider of apps. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { MarketplaceApp } from "../../api/types.generated.ts";
import { Notice } from "../../ui/notice.tsx";
import { integrationsQuery } from "./app-queries.ts";

/** `app` is that of the page. One of the directory needs no provider. */
export function IntegrationsNotice({ app }: { readonly app?: Pick<MarketplaceApp, "directory"> }) {
  const { data } = useQuery(integrationsQuery);
  if (data === undefined || data.message === null || (app !== undefined && app.directory !== null)) return null;
  return (
    <Notice tone={data.status === "demo" ? "warn" : "info"} title={data.message}>
      {data.status === "demo"
        ? "Their accounts, mails and files are made up and stay on this machine. "
        : "Only apps by Composio are affected. Apps with an MCP server of their own need no key. "}
      Accounts of imported APIs and MCP servers are under{" "}
      <Link to="/connections" className="text-accent underline">
        Connections
      </Link>
      .
    </Notice>
  );
}
