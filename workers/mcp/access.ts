/** Reaches a tenant's MCP server. */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import type { Result } from "../../core/base/errors.ts";
import { isPerPerson } from "../../core/mcp/config.ts";
import type { McpServerRecord } from "../../core/ports/mcp-server-table.ts";
import { catalogue } from "../../tools/catalogue.generated.ts";
import { getActorId, createAuditEntry } from "../http/audit-entry.ts";
import type { AppContext } from "../http/context.ts";
import { getAuthor, getPerson, getTenant } from "../http/principal.ts";
import { requirePerson } from "../http/require-person.ts";
import { unwrap } from "../http/unwrap.ts";
import { readServerTools, type ReadServer, type McpRequester, type McpPlace } from "./servers.ts";

/** The names of the built-in tools, which no tool of a server may take. */
export const BUILT_IN = catalogue.map(({ name }) => name);

export function getPlace(c: AppContext): McpPlace {
  return { env: c.env, tenant: getTenant(c), builtIn: BUILT_IN };
}

export async function findServer(c: AppContext, name: string): Promise<McpServerRecord> {
  return unwrap(await databaseFromEnv(c.env).mcpServers.get(getTenant(c), name));
}

export function getLooker(c: AppContext): McpRequester {
  const person = getPerson(c)?.id ?? null;
  const who = { actor: getActorId(c), by: getAuthor(c), requestId: c.get("requestId") };
  return { origin: new URL(c.req.url).origin, ...who, person, signal: c.req.raw.signal };
}

/** Reads a server's list again, on behalf of the request. */
export async function reloadServer(c: AppContext, name: string): Promise<Result<ReadServer>> {
  const place = getPlace(c);
  const record = await findServer(c, name);
  if (isPerPerson(record.settings)) requirePerson(c);
  const act = await createAuditEntry(c, "mcp_server.reload", name);
  const noted = await databaseFromEnv(c.env).audit.add(place.tenant, act);
  return noted.ok ? await readServerTools(place, record, getLooker(c)) : noted;
}
