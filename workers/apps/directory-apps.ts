/**
 * Apps of the directory in a workspace. Such an app is added if the tenant has the MCP server that adding it makes: at the
 * entry's address, with an account for each person. There is no row of its own that could differ from the server.
 */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { checkDirectoryAppFromEnv, findDirectoryApp } from "../../adapters/env/directory.ts";
import type { DirectoryApp } from "../../core/apps/directory.ts";
import { isServerOf } from "../../core/mcp/directory-server.ts";
import { raise } from "../../core/base/errors.ts";
import { MAX_SERVERS, readServer } from "../../core/mcp/config.ts";
import type { McpServerRecord } from "../../core/ports/mcp-server-table.ts";
import type { AppContext } from "../http/context.ts";
import { getTenant } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";
import { getLooker, getPlace } from "../mcp/access.ts";
import { removeServer, setServer } from "../mcp/change-server.ts";
import { readServerTools } from "../mcp/servers.ts";
import { readOncePerStamp } from "./stamped-cache.ts";

/** The number of tools that tasks have of each added app of the directory, by its name. */
export const readAddedDirectoryApps: (c: AppContext) => Promise<ReadonlyMap<string, number>> = readOncePerStamp(
  async (c, tenant) => {
    const servers = unwrap(await databaseFromEnv(c.env).mcpServers.all(tenant));
    const added = servers.filter(({ name, settings }) => {
      const entry = findDirectoryApp(c.env, name);
      return entry !== null && isServerOf(entry, settings);
    });
    return new Map(added.map(({ name, approved }) => [name, approved?.tools.length ?? 0]));
  },
);

/** False if it was added before; then what an interruption left out is done. Stores nothing for a server that cannot be used. */
export async function addDirectoryApp(c: AppContext, entry: DirectoryApp): Promise<boolean> {
  const place = getPlace(c);
  const servers = unwrap(await databaseFromEnv(c.env).mcpServers.all(place.tenant));
  const known = servers.find(({ name }) => name === entry.app);
  if (known !== undefined) {
    refuseOther(entry, known);
    if (known.approved === null) unwrap(await readServerTools(place, known, getLooker(c)));
    return false;
  }
  if (servers.length >= MAX_SERVERS)
    raise("quota_exceeded", `A tenant has at most ${MAX_SERVERS} MCP servers. Remove one first.`);
  unwrap(await checkDirectoryAppFromEnv(c.env, place.tenant, entry));
  const config = unwrap(readServer({ url: entry.url, oauth: { grant: "authorization_code", per: "person" } }, ""));
  const record = await setServer(c, place, entry.app, config, servers);
  const read = unwrap(await readServerTools(place, record, getLooker(c)));
  // Its app was not stored, so nobody could connect to it.
  if (read.record.status === "failed") {
    await removeServer(c, place, entry.app);
    raise("upstream_failed", read.record.error ?? `The MCP server of ${entry.title} did not answer. Try again later.`);
  }
  return true;
}

/** False if it is not added. Its accounts are disconnected: without the server nobody could end them. */
export async function removeDirectoryApp(c: AppContext, entry: DirectoryApp): Promise<boolean> {
  const servers = unwrap(await databaseFromEnv(c.env).mcpServers.all(getTenant(c)));
  if (!servers.some(({ name, settings }) => name === entry.app && isServerOf(entry, settings))) return false;
  await removeServer(c, getPlace(c), entry.app);
  return true;
}

/** Refuses what is for actions of the catalogue alone. */
export function refuseDirectoryApp({ app, title }: DirectoryApp, field: string): never {
  const message = `${title} has an MCP server of its own. Its actions are the tools of ${app}, all of them enabled: see it under MCP servers. Which an agent has, its tools say, such as ${app}_*.`;
  raise("not_available", message, { field });
}

function refuseOther(entry: DirectoryApp, { settings }: McpServerRecord): void {
  if (isServerOf(entry, settings)) return;
  const message = `Another MCP server has the name ${entry.app}: at another address, or with one account for everyone. Remove it first.`;
  raise("conflict", message, { field: "app_name" });
}
