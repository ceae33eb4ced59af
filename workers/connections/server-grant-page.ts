/** Where an administrator authorizes an MCP server that Otto uses through one grant. Nobody connects an account of it. */
import { publicUrlFromEnv } from "../../adapters/env/deployment.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import type { AppClient } from "../../core/connections/app-client.ts";

/** Returns what to do instead of connecting it. */
export function describeServerGrant({ title }: Pick<AppClient, "title">): string {
  return `Otto uses the MCP server ${title} through one authorization, which an administrator gives under MCP servers. Nobody connects an account of it.`;
}

/** The server's page in the console. `origin` is the address of the request, which counts without OTTO_PUBLIC_URL. */
export function makeServerPageUrl(env: Env, server: string, origin: string): string {
  return `${publicUrlFromEnv(env) ?? origin}/mcp-servers/${encodeURIComponent(server)}`;
}
