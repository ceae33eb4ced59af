/** Reaches a tenant's MCP server. */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import type { Result } from "../../core/base/errors.ts";
import type { McpServerRecord } from "../../core/ports/mcp-server-table.ts";
import { catalogue } from "../../tools/catalogue.generated.ts";
import { actorIdOf, auditEntry } from "../http/audit-entry.ts";
import type { AppContext } from "../http/context.ts";
import { tenantOf } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";
import { lookAt, type Looked, type Looker, type McpPlace } from "./servers.ts";

/** The names of the built-in tools, which no tool of a server may take. */
export const BUILT_IN = catalogue.map(({ name }) => name);

export function placeOf(c: AppContext): McpPlace {
  return { env: c.env, tenant: tenantOf(c), builtIn: BUILT_IN };
}

export async function serverOf(c: AppContext, name: string): Promise<McpServerRecord> {
  return unwrap(await databaseFromEnv(c.env).mcpServers.get(tenantOf(c), name));
}

export function lookerOf(c: AppContext): Looker {
  return { origin: new URL(c.req.url).origin, actor: actorIdOf(c), signal: c.req.raw.signal };
}

/** Reads a server's list again, on behalf of the request. */
export async function reloadServer(c: AppContext, name: string): Promise<Result<Looked>> {
  const place = placeOf(c);
  const record = await serverOf(c, name);
  const act = await auditEntry(c, "mcp_server.reload", name);
  const noted = await databaseFromEnv(c.env).audit.add(place.tenant, act);
  return noted.ok ? await lookAt(place, record, lookerOf(c)) : noted;
}
