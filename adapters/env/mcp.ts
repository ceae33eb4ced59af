/** MCP servers of tenants. */
import type { Env } from "./bindings.ts";
import { connectionsFromEnv } from "./connections.ts";
import { databaseFromEnv } from "./database.ts";
import { resealFromEnv, sealingFromEnv, secretsFromEnv } from "./secrets.ts";
import { sidecarFromEnv } from "./sidecar.ts";
import { webFromEnv } from "./web.ts";
import { endProcesses } from "../mcp/end-processes.ts";
import type { McpAuthority } from "../mcp/authority.ts";
import { type McpDeps, type McpServers, openMcp } from "../mcp/mcp.ts";
import { type McpRegistry, openRegistry } from "../mcp/registry.ts";
import type { Consent, McpServer } from "../mcp/server.ts";
import { ok, type Result } from "../../core/base/errors.ts";
import type { Account } from "../../core/connections/account.ts";
import { SETUP, type SecretUser } from "../../core/secrets/secret-use.ts";
import type { TaskFacts } from "../../core/task/state.ts";

export { type AuthStore, type Consent, hasRefreshToken, type SavedAuth } from "../mcp/server.ts";

/** The MCP servers of one tenant, with the secrets of `user`. `consent` is set when a person can authorize Otto now. */
export function mcpFromEnv(
  env: Env,
  { tenant }: Pick<TaskFacts, "tenant">,
  user: SecretUser,
  consent: Consent | null = null,
): McpServers {
  const registry = mcpRegistryFromEnv(env, tenant);
  return openMcpFromEnv(env, tenant, user, { consent, find: (server) => registry.find(server) });
}

/** Finds who signs people in for a server that is not stored. */
export async function findAuthorityFromEnv(
  env: Env,
  tenant: string,
  { name, url }: Pick<McpServer, "name" | "url">,
  signal: AbortSignal,
): Promise<Result<McpAuthority>> {
  const server: McpServer = { name, url, process: null, headers: [], version: 0, prior: null, oauth: null };
  const find = async () => await Promise.resolve(ok(server));
  return await openMcpFromEnv(env, tenant, SETUP, { consent: null, find }).findAuthority(name, signal);
}

function openMcpFromEnv(
  env: Env,
  tenant: string,
  user: SecretUser,
  { find, consent }: Pick<McpDeps, "find" | "consent">,
): McpServers {
  const noteListChanged = (server: string) =>
    databaseFromEnv(env).mcpServers.noteListChanged(tenant, server, Date.now());
  const noteGrantEnded = (account: Account, why: string) => connectionsFromEnv(env, tenant).refused(account, why);
  const processes = { sidecar: sidecarFromEnv(env), secrets: secretsFromEnv(env, tenant, user) };
  const web = webFromEnv(env, { tenant }, user);
  return openMcp({ web, processes, tenant, find, consent, noteListChanged, noteGrantEnded });
}

/** Ends the processes of a tenant's MCP server, or of all of them (`server` null). Never throws. */
export async function endMcpProcessesFromEnv(env: Env, tenant: string, server: string | null): Promise<void> {
  await endProcesses(sidecarFromEnv(env), tenant, server);
}

/** The stored MCP servers of a tenant, including what no API returns. */
export function mcpRegistryFromEnv(env: Env, tenant: string): McpRegistry {
  return openRegistry(
    databaseFromEnv(env).mcpServers,
    { sealing: sealingFromEnv(env), reseal: resealFromEnv(env) },
    tenant,
  );
}
