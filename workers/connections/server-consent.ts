/**
 * The MCP server behind an app, around a consent: one of the directory is checked before anyone is sent to its sign-in page,
 * and the tools of a server that nobody has read yet are read through the account that was just connected.
 */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { checkDirectoryAppFromEnv, findDirectoryApp } from "../../adapters/env/directory.ts";
import { isServerOf } from "../../core/mcp/directory-server.ts";
import { ok, type Result } from "../../core/base/errors.ts";
import { getOwnerPerson } from "../../core/connections/account.ts";
import type { Connection } from "../../core/connections/connection.ts";
import type { AppClient } from "../../core/connections/app-client.ts";
import type { Actor } from "../../core/connections/actors.ts";
import type { AppContext } from "../http/context.ts";
import { redact } from "../http/log.ts";
import { BUILT_IN } from "../mcp/access.ts";
import { readServerTools } from "../mcp/servers.ts";
import { writeConnectionChange } from "./changes.ts";

/** The person's browser waits for it. */
const READ_MS = 15_000;

/** Fails for a server of the directory that cannot be used, with what to do. Other apps are not checked. */
export async function checkServer(env: Env, tenant: string, { app, provider }: AppClient): Promise<Result<void>> {
  const entry = provider === "mcp" ? findDirectoryApp(env, app) : null;
  if (entry === null) return ok(undefined);
  const server = await databaseFromEnv(env).mcpServers.get(tenant, app);
  if (!server.ok) return server;
  return isServerOf(entry, server.value.settings) ? await checkDirectoryAppFromEnv(env, tenant, entry) : ok(undefined);
}

/**
 * Reads the tools of a server for the first time, through the account of the person who connected it: adding the server
 * approved its first list. A server that does not answer shows that under MCP servers, where an administrator reads it
 * again. Never throws.
 */
export async function readFirstTools(
  c: AppContext,
  tenant: string,
  { connection, actor, by }: { readonly connection: Connection; readonly actor: string; readonly by: Actor },
): Promise<void> {
  if (connection.provider !== "mcp") return;
  try {
    const found = await databaseFromEnv(c.env).mcpServers.get(tenant, connection.app);
    if (!found.ok || found.value.approved !== null) return;
    const requester = {
      origin: new URL(c.req.url).origin,
      actor,
      by,
      requestId: c.get("requestId"),
      person: getOwnerPerson(connection.owner),
      signal: AbortSignal.timeout(READ_MS),
    };
    const place = { env: c.env, tenant, builtIn: BUILT_IN };
    // The number of its tools is in lists of apps.
    const read = await writeConnectionChange(
      c.env,
      tenant,
      async () => await readServerTools(place, found.value, requester),
    );
    if (!read.ok) logUnread(connection, read.error.message);
  } catch (thrown) {
    logUnread(connection, String(thrown));
  }
}

function logUnread({ id, app }: Connection, error: string): void {
  const message = "the tools of a server were not read after its first consent";
  console.error(JSON.stringify({ level: "warn", connections: message, app, connection: id, error: redact(error) }));
}
