/** Sets and removes MCP servers of a tenant, with what belongs to them: tools, accounts, processes. */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { endMcpProcessesFromEnv, mcpRegistryFromEnv } from "../../adapters/env/mcp.ts";
import { hasSharedGrant, isPerPerson, isSameAccess, type McpConfig, type McpSettings } from "../../core/mcp/config.ts";
import type { McpServerRecord } from "../../core/ports/mcp-server-table.ts";
import { checkNotAdded } from "../apps/names.ts";
import { createAuditEntry } from "../http/audit-entry.ts";
import type { AppContext } from "../http/context.ts";
import { unwrap } from "../http/unwrap.ts";
import { findServer } from "./access.ts";
import { checkServerName, endServerApp } from "./server-app.ts";
import { type McpPlace, withdraw } from "./servers.ts";

/** Stores a server's settings. One that counts as another server has no tools until it is read. */
export async function setServer(
  c: AppContext,
  place: McpPlace,
  name: string,
  { settings, secrets }: McpConfig,
  before: readonly McpServerRecord[],
): Promise<McpServerRecord> {
  const known = before.find((one) => one.name === name);
  const isOther = known !== undefined && !isSameAccess(known.settings, settings);
  if (known === undefined) unwrap(await checkNotAdded(place, name));
  if (settings.oauth !== null) unwrap(await checkServerName(place, name));
  if (known !== undefined && endsAccounts(known.settings, settings)) unwrap(await endServerApp(c, place, known));
  if (isOther) unwrap(await withdraw(place, name));
  const sealed = await mcpRegistryFromEnv(c.env, place.tenant).sealSecrets(name, secrets);
  const act = await createAuditEntry(c, "mcp_server.set", name);
  const table = databaseFromEnv(c.env).mcpServers;
  const record = unwrap(await table.put(place.tenant, { name, settings, sealed, isOther }, act));
  if (isOther) await endMcpProcessesFromEnv(c.env, place.tenant, name);
  return record;
}

/** Whether a change ends the accounts. Those of people stay for the case that only the address changed: each expires. */
function endsAccounts(before: McpSettings, after: McpSettings): boolean {
  if (isPerPerson(before)) return !isPerPerson(after);
  return hasSharedGrant(before) && !isSameAccess(before, after);
}

export async function removeServer(c: AppContext, place: McpPlace, name: string): Promise<void> {
  const record = await findServer(c, name);
  unwrap(await withdraw(place, name));
  unwrap(await endServerApp(c, place, record));
  const act = await createAuditEntry(c, "mcp_server.delete", name);
  unwrap(await databaseFromEnv(c.env).mcpServers.remove(place.tenant, name, act));
  await endMcpProcessesFromEnv(c.env, place.tenant, name);
}
