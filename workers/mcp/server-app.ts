/** The app of an MCP server; of one to which each person connects, also through whose account its tools are read. */
import { connectionsFromEnv } from "../../adapters/env/connections.ts";
import { findDirectoryApp } from "../../adapters/env/directory.ts";
import { mcpFromEnv, mcpRegistryFromEnv } from "../../adapters/env/mcp.ts";
import { isServerOf } from "../../core/mcp/directory-server.ts";
import { failed, notSent, ok, type Result } from "../../core/base/errors.ts";
import type { Account } from "../../core/connections/account.ts";
import { startActors } from "../../core/connections/actors.ts";
import { isPerPerson } from "../../core/mcp/config.ts";
import { getServerApp } from "../../core/mcp/outside-tools.ts";
import type { McpServerRecord } from "../../core/ports/mcp-server-table.ts";
import { SETUP } from "../../core/secrets/secret-use.ts";
import { endApp, findStoredApp, isRemovedApp, storeApp } from "../connections/apps.ts";
import type { AppContext } from "../http/context.ts";
import { NO_PERSON } from "../http/require-person.ts";
import type { McpPlace, McpRequester } from "./servers.ts";

/**
 * Returns the account through which the requester reads the server; null for a server with one account for all. The
 * server's app is stored first, so that people can connect to it.
 */
export async function openReaderAccount(
  place: McpPlace,
  record: McpServerRecord,
  { person, signal }: McpRequester,
): Promise<Result<Account | null>> {
  const { env, tenant } = place;
  const { name, settings } = record;
  const app = isPerPerson(settings) ? getServerApp(name, settings) : null;
  if (app === null) return ok(null);
  const stored = await saveServerApp(place, record, signal);
  if (!stored.ok) return stored;
  if (person === null) return notSent("permission_denied", NO_PERSON);
  const actors = startActors(person, person);
  const question = { app, actors, rule: app.owner, configured: null, isUnattended: false } as const;
  const chosen = await connectionsFromEnv(env, tenant).choose(question);
  if (!chosen.ok) return chosen;
  return chosen.value.kind === "account"
    ? ok(chosen.value.account)
    : notSent("permission_denied", `Connect your account of ${name}, and reload it: its tools are read through that.`);
}

/** Stores the app of a server, as the server names its authorization server now. */
async function saveServerApp(
  { env, tenant }: McpPlace,
  { name, settings }: McpServerRecord,
  signal: AbortSignal,
): Promise<Result<void>> {
  const { url, oauth } = settings;
  const server = await mcpRegistryFromEnv(env, tenant).find(name);
  if (!server.ok) return server;
  const authority = await mcpFromEnv(env, { tenant }, SETUP).findAuthority(name, signal);
  if (!authority.ok) return authority;
  const { issuer, resource } = authority.value;
  return await storeApp(
    { env, tenant },
    {
      app: name,
      provider: "mcp",
      clientSecret: server.value.oauth?.clientSecret ?? undefined,
      settings: {
        title: findTitle(env, name, settings) ?? name,
        per: "person",
        kind: "mcp",
        scopes: (oauth?.scope ?? "").split(/\s+/).filter((scope) => scope !== ""),
        fields: [],
        hosts: [new URL(url ?? "").host],
        header: "authorization",
        at: { kind: "issuer", issuer },
        clientId: oauth?.clientId ?? null,
        params: {},
        resource,
      },
    },
  );
}

/** The title of the app of the directory that the server is; null for another server. */
function findTitle(env: McpPlace["env"], name: string, settings: McpServerRecord["settings"]): string | null {
  const entry = findDirectoryApp(env, name);
  return entry !== null && isServerOf(entry, settings) ? entry.title : null;
}

/** `conflict` for the name of an import to whose app people connect. */
export async function checkServerName(place: McpPlace, name: string): Promise<Result<void>> {
  const found = await findStoredApp(place, name);
  if (!found.ok) return found;
  const { value: app } = found;
  if (app === null || app.provider === "mcp" || isRemovedApp(app)) return ok(undefined);
  return failed("conflict", `${name} is an import to whose app people connect. Choose another name.`, {
    field: "name",
  });
}

/** Ends the accounts of a server that was removed, or that is authorized in another way now. */
export async function endServerApp(c: AppContext, place: McpPlace, record: McpServerRecord): Promise<Result<number>> {
  if (record.settings.oauth === null) return ok(0);
  const found = await findStoredApp(place, record.name);
  if (!found.ok) return found;
  const { value: app } = found;
  return app === null || app.provider !== "mcp" || isRemovedApp(app) ? ok(0) : await endApp(c, app);
}
