/**
 * One name, one app: connections and accounts are stored under it. An app of the catalogue, an import and an MCP server of
 * a tenant therefore have different ones. Of two requests at the same moment, the database refuses the second
 * (migrations/0038_flow_accounts.sql).
 */
import { connectionTableFromEnv } from "../../adapters/env/connections.ts";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { isCatalogueApp } from "../../core/connections/catalogue-app.ts";
import { type AppPlace, findStoredApp, isRemovedApp } from "../connections/apps.ts";

/** Connections of one name that are looked at. */
const MAX_ROWS = 200;

/** `conflict` for an app of the catalogue whose name an import or an MCP server has, or a connection of an earlier one. */
export async function checkAppName(place: AppPlace, app: string): Promise<Result<void>> {
  const { env, tenant } = place;
  const { toolSources, mcpServers } = databaseFromEnv(env);
  const [sources, servers, stored, connections] = await Promise.all([
    toolSources.all(tenant),
    mcpServers.all(tenant),
    findStoredApp(place, app),
    connectionTableFromEnv(env, tenant).list({ person: null, all: true, app, limit: MAX_ROWS }),
  ]);
  if (!sources.ok) return sources;
  if (!servers.ok) return servers;
  if (!stored.ok) return stored;
  if (!connections.ok) return connections;
  const isImport =
    sources.value.some(({ name, hash }) => name === `openapi:${app}` && hash !== null) ||
    (stored.value !== null && !isCatalogueApp(stored.value) && !isRemovedApp(stored.value));
  if (servers.value.some(({ name }) => name === app))
    return refuse(`An MCP server has the name ${app}. Remove it first.`);
  if (isImport) return refuse(`An import has the name ${app}. Delete it first.`);
  return connections.value.some((one) => !isCatalogueApp(one))
    ? refuse(`There are connections of an earlier import or MCP server ${app}. Delete them first.`)
    : ok(undefined);
}

/** `conflict` for an import or an MCP server with the name of an app that the tenant added, or to which it is connected. */
export async function checkNotAdded({ env, tenant }: AppPlace, name: string): Promise<Result<void>> {
  const [added, connections] = await Promise.all([
    databaseFromEnv(env).workspaceApps.find(tenant, name),
    connectionTableFromEnv(env, tenant).list({ person: null, all: true, app: name, limit: MAX_ROWS }),
  ]);
  if (!added.ok) return added;
  if (!connections.ok) return connections;
  if (added.value !== null) return refuse(`The app ${name} is added to this workspace. Choose another name.`, "name");
  return connections.value.some(isCatalogueApp)
    ? refuse(`There are connections to the app ${name}. Choose another name.`, "name")
    : ok(undefined);
}

function refuse(message: string, field = "app_name") {
  return failed("conflict", message, { field });
}
