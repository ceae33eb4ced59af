/** The app of an import to which people connect their accounts: stored with it, and ended with it. */
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { type ConnectOptions, toAppSettings } from "../../core/openapi/connect.ts";
import type { StoredAppClient } from "../../core/ports/app-client-table.ts";
import { checkNotAdded } from "../apps/names.ts";
import { endApp, findStoredApp, isRemovedApp, storeApp } from "../connections/apps.ts";
import type { AppContext } from "../http/context.ts";
import { getTenant } from "../http/principal.ts";
import type { NamedImport } from "./imported-sources.ts";

/**
 * Finds the app of an import; null without one. `conflict` if the app of this name is an MCP server, or one of the
 * catalogue.
 */
export async function findImportApp(c: AppContext, name: string): Promise<Result<StoredAppClient | null>> {
  const free = await checkNotAdded({ env: c.env, tenant: getTenant(c) }, name);
  if (!free.ok) return free;
  const found = await findStoredApp({ env: c.env, tenant: getTenant(c) }, name);
  if (!found.ok || found.value === null) return found;
  if (isRemovedApp(found.value)) return ok(null);
  const message = `${name} is an MCP server that is used through accounts. Choose another name.`;
  return found.value.provider === "mcp" ? failed("conflict", message, { field: "name" }) : found;
}

interface ImportApp {
  /** Absent: people connect no accounts. */
  readonly connect: ConnectOptions | undefined;
  readonly before: StoredAppClient | null;
  readonly clientSecret: string | undefined;
}

/** Stores the app of a published import. An import without accounts ends those that it had. */
export async function saveImportApp(
  c: AppContext,
  { name, title, account }: NamedImport,
  { connect, before, clientSecret }: ImportApp,
): Promise<Result<void>> {
  if (connect === undefined || account === null) {
    const ended = before === null ? ok(0) : await endApp(c, before);
    return ended.ok ? ok(undefined) : ended;
  }
  const settings = toAppSettings(connect, account, { title, hosts: account.hosts });
  const provider = connect.kind === "oauth2" ? "oauth" : "key";
  return await storeApp({ env: c.env, tenant: getTenant(c) }, { app: name, provider, settings, clientSecret });
}

/** Ends the app of a removed import, and returns how many accounts were connected. */
export async function removeImportApp(c: AppContext, name: string): Promise<Result<number>> {
  const found = await findStoredApp({ env: c.env, tenant: getTenant(c) }, name);
  if (!found.ok) return found;
  const app = found.value;
  return app === null || app.provider === "mcp" || isRemovedApp(app) ? ok(0) : await endApp(c, app);
}
