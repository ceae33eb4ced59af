/** The stored apps whose tools act through accounts: one for each import with `connect` and each MCP server with OAuth. */
import { appClientsFromEnv, connectionTableFromEnv } from "../../adapters/env/connections.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { toCanonicalJson } from "../../core/base/canonical-json.ts";
import { ok, type Result } from "../../core/base/errors.ts";
import type { Provider } from "../../core/connections/account.ts";
import { type AppSecrets, type AppSettings, hashAppSettings } from "../../core/connections/app-settings.ts";
import type { StoredAppClient } from "../../core/ports/app-client-table.ts";
import { createAuditEntry } from "../http/audit-entry.ts";
import type { AppContext } from "../http/context.ts";
import { getTenant } from "../http/principal.ts";
import { wakeTasksOfRemoved, writeConnectionChange } from "./changes.ts";

/** The place of a tenant's apps. */
export interface AppPlace {
  readonly env: Env;
  readonly tenant: string;
}

/** Finds a stored app, also one that was removed; null without one. */
export async function findStoredApp({ env, tenant }: AppPlace, name: string): Promise<Result<StoredAppClient | null>> {
  const found = await appClientsFromEnv(env, tenant).find(name);
  return !found.ok && found.error.code === "not_found" ? ok(null) : found;
}

export function isRemovedApp({ settings }: StoredAppClient): boolean {
  return settings["isRemoved"] === true;
}

/** An app as its import or its server describes it. */
export interface DescribedApp {
  readonly app: string;
  readonly provider: Provider;
  readonly settings: AppSettings;
  /** Undefined: it was not sent, so the stored one stays. */
  readonly clientSecret: string | undefined;
}

/** Stores an app. Consents that were given to other settings count as expired. */
export async function storeApp(place: AppPlace, described: DescribedApp): Promise<Result<void>> {
  const { env, tenant } = place;
  const { app, provider, settings } = described;
  const before = await findStoredApp(place, app);
  if (!before.ok) return before;
  const stored = await readSecrets(place, before.value);
  if (!stored.ok) return stored;
  const secrets = chooseSecrets(stored.value, described, before.value);
  // Nothing is written over a client that is being registered.
  if (isSameApp(before.value, described) && toCanonicalJson(secrets) === toCanonicalJson(stored.value))
    return ok(undefined);
  const row = {
    app,
    provider,
    settings,
    settingsHash: await hashAppSettings(settings),
    secrets: Object.keys(secrets).length === 0 ? null : { ...secrets },
  };
  const write = async () => await appClientsFromEnv(env, tenant).put(row);
  const written = await writeConnectionChange(env, tenant, write);
  return written.ok ? ok(undefined) : written;
}

function isSameApp(before: StoredAppClient | null, { provider, settings }: DescribedApp): boolean {
  return before?.provider === provider && toCanonicalJson(before.settings) === toCanonicalJson(settings);
}

async function readSecrets({ env, tenant }: AppPlace, before: StoredAppClient | null): Promise<Result<AppSecrets>> {
  if (before?.hasSecrets !== true) return ok({});
  const read = await appClientsFromEnv(env, tenant).secrets(before.app);
  return read.ok ? ok((read.value.secrets ?? {}) as AppSecrets) : read;
}

/** The secret that was sent, or the stored one if it is of the same client of the same provider: no other may see it. */
function chooseSecrets(
  stored: AppSecrets,
  { settings, clientSecret }: DescribedApp,
  before: StoredAppClient | null,
): AppSecrets {
  const sent = clientSecret === undefined ? {} : { clientSecret };
  const isSame = before !== null && isSameClient(before.settings as AppSettings, settings);
  return isSame ? { ...stored, ...sent } : sent;
}

function isSameClient(before: AppSettings, after: AppSettings): boolean {
  return toCanonicalJson([before.at, before.clientId]) === toCanonicalJson([after.at, after.clientId]);
}

/**
 * Ends all connections of an app, and returns their number. First the app is hidden, so that nobody begins a consent. Its
 * settings stay while its provider has to revoke tokens.
 */
export async function endApp(
  c: AppContext,
  { app, provider, settings, settingsHash }: StoredAppClient,
): Promise<Result<number>> {
  const tenant = getTenant(c);
  const apps = appClientsFromEnv(c.env, tenant);
  const read = await apps.secrets(app);
  if (!read.ok) return read;
  const { secrets } = read.value;
  const hidden = await apps.put({ app, provider, settings: { ...settings, isRemoved: true }, settingsHash, secrets });
  if (!hidden.ok) return hidden;
  const connections = connectionTableFromEnv(c.env, tenant);
  const act = await createAuditEntry(c, "connection.revoke", app);
  const revoke = async () => await connections.revokeAll({ app }, act);
  const ended = await writeConnectionChange(c.env, tenant, revoke);
  if (!ended.ok) return ended;
  await wakeTasksOfRemoved(c.env, tenant, app);
  const left = await connections.list({ person: null, all: true, app, limit: 1 });
  if (left.ok && left.value.length === 0) await apps.remove(app);
  return ended;
}
