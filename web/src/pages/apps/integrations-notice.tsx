/** What a reader has to know about the provider of apps. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Notice } from "../../ui/notice.tsx";
import { integrationsQuery } from "./app-queries.ts";

export function IntegrationsNotice() {
  const { data } = useQuery(integrationsQuery);
  if (data === undefined || data.message === null) return null;
  return (
    <Notice tone={data.status === "demo" ? "warn" : "info"} title={data.message}>
      {data.status === "demo" ? "Their accounts, mails and files are made up and stay on this machine. " : ""}
      Accounts of imported APIs and MCP servers are under{" "}
      <Link to="/connections" className="text-accent underline">
        Connections
      </Link>
      .
    </Notice>
  );
}
