/** Erases the authorization of an MCP server whose account is disconnected. */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { mcpRegistryFromEnv } from "../../adapters/env/mcp.ts";
import { ok, type Result } from "../../core/base/errors.ts";

const DISCONNECTED = "An administrator disconnected it. Reload it to authorize Otto again.";

/**
 * Erases the tokens of a server's one grant. No call gets others, also where Otto authorizes itself; an administrator who
 * reloads the server does. A server that was removed has none.
 */
export async function endServerGrant(env: Env, tenant: string, server: string): Promise<Result<void>> {
  const erased = await mcpRegistryFromEnv(env, tenant).authOf(server).save({ isEnded: true });
  if (!erased.ok) return erased;
  const table = databaseFromEnv(env).mcpServers;
  const found = await table.get(tenant, server);
  if (!found.ok) return found.error.code === "not_found" ? ok(undefined) : found;
  const nothing = { seen: null, protocolVersion: null, prior: null };
  const check = { status: "authorization_needed", error: DISCONNECTED, ...nothing, at: Date.now() } as const;
  const noted = await table.saveCheck(tenant, server, found.value.version, check);
  // Another version of the server needs another authorization.
  return noted.ok || noted.error.code === "not_found" ? ok(undefined) : noted;
}
