/** Accounts of apps: the tenant's connections, the apps to which people connect, and their providers. */
import { waitUntil } from "cloudflare:workers";
import { appCatalogueFromEnv } from "./app-catalogue.ts";
import type { Env } from "./bindings.ts";
import { connectionCaches } from "./connection-caches.ts";
import { listConsentActions } from "./consent-actions.ts";
import { databaseFromEnv } from "./database.ts";
import { openWebFromEnv, readEgressAllow } from "./egress.ts";
import { rowSealFromEnv } from "./row-seal.ts";
import { servingKeyFromEnv, tenantLinksFromEnv } from "./tenant-provider.ts";
import { forgetConnections } from "../connections/account-cache.ts";
import { openAccountAuthorizations } from "../connections/account-authorizations.ts";
import { type CatalogueApps, openAppDirectory, openProviderBook } from "../connections/app-directory.ts";
import { openCatalogueApps } from "../connections/catalogue-apps.ts";
import { openConnections } from "../connections/connections-port.ts";
import { createTokenFlights, getFreshTokens } from "../connections/renew.ts";
import type { ServerCaches } from "../connections/discover.ts";
import { routeAuthorizations } from "../connections/route-authorizations.ts";
import { judgeUrl } from "../egress/address.ts";
import { ok, type Result } from "../../core/base/errors.ts";
import type { AppClient } from "../../core/connections/app-client.ts";
import type { AppClientTable } from "../../core/ports/app-client-table.ts";
import type { AppDirectory, AuthorizationsPort } from "../../core/ports/authorizations.ts";
import type { ConnectionsPort } from "../../core/ports/connections.ts";
import type { ConnectionTable } from "../../core/ports/connection-table.ts";
import { SETUP } from "../../core/secrets/secret-use.ts";

/** Of this isolate. */
const flights = createTokenFlights();
let servers: ServerCaches | null = null;

/** Through which accounts the calls of a tenant act, and their credentials. Opens nothing before it is used. */
export function connectionsFromEnv(env: Env, tenant: string): ConnectionsPort {
  const open = once(() => openTenantConnections(env, tenant));
  return {
    choose: async (question) => await open().choose(question),
    current: async (account, isUnattended) => await open().current(account, isUnattended),
    bearer: async (account, renew) => await open().bearer(account, renew),
    refused: async (account, why) => await open().refused(account, why),
  };
}

function openTenantConnections(env: Env, tenant: string): ConnectionsPort {
  const apps = appClientsFromEnv(env, tenant);
  return openConnections({
    tenant,
    table: connectionTableFromEnv(env, tenant),
    apps: appsFromEnv(env, tenant),
    book: openProviderBook(apps),
    authorizations: {
      refresh: async (app, tokens) => await authorizationsFromEnv(env, tenant).refresh(app, tokens),
    },
    caches: connectionCaches,
    flights,
    timer: globalThis,
    now: Date.now,
    background: waitUntil,
  });
}

/** Makes the next request of this isolate read a tenant's connections again. Other isolates do so within five seconds. */
export function forgetConnectionsFromEnv(_env: Env, tenant: string): void {
  forgetConnections(connectionCaches, tenant);
}

/** The stored connections of a tenant, with their tokens. */
export function connectionTableFromEnv(env: Env, tenant: string): ConnectionTable {
  return databaseFromEnv(env).connections(tenant, rowSealFromEnv(env, tenant));
}

/** The stored apps of a tenant to which people connect, with their secrets. */
export function appClientsFromEnv(env: Env, tenant: string): AppClientTable {
  return databaseFromEnv(env).appClients(tenant, rowSealFromEnv(env, tenant));
}

/** The apps to which people of the tenant connect. */
export function appsFromEnv(env: Env, tenant: string): AppDirectory {
  const catalogue: CatalogueApps = {
    find: async (names) =>
      await openCatalogueApps(appCatalogueFromEnv(env), () => servingKeyFromEnv(env, tenant)).find(names),
  };
  return openAppDirectory(appClientsFromEnv(env, tenant), catalogue);
}

/** The clients of the tenant's providers. */
export function authorizationsFromEnv(env: Env, tenant: string): AuthorizationsPort {
  const accounts = openAccountAuthorizations({
    links: tenantLinksFromEnv(env, tenant),
    listActions: async (app) => await listConsentActions(env, tenant, app),
    timer: globalThis,
    now: Date.now,
  });
  return routeAuthorizations({ own: async () => await openOAuthFromEnv(env, tenant), accounts });
}

/** Otto's own client. Its package is loaded with the first use, because most isolates never need it. */
async function openOAuthFromEnv(env: Env, tenant: string): Promise<AuthorizationsPort> {
  const { openAuthorizations } = await import("../connections/oauth-client.ts");
  const access = await openEndpointsFromEnv(env, tenant);
  return openAuthorizations({ ...access, book: openProviderBook(appClientsFromEnv(env, tenant)), now: Date.now });
}

/** Whether people can be sent to an issuer, and Otto can register there. `title` names the app in failures. */
export async function checkSignInFromEnv(
  env: Env,
  tenant: string,
  provider: { readonly title: string; readonly issuer: string },
): Promise<Result<void>> {
  const { checkSignIn } = await import("../connections/check-sign-in.ts");
  return await checkSignIn(await openEndpointsFromEnv(env, tenant), provider);
}

async function openEndpointsFromEnv(env: Env, tenant: string) {
  const { ServerCaches: Servers } = await import("../connections/discover.ts");
  servers ??= new Servers();
  const allow = readEgressAllow(env);
  return {
    web: openWebFromEnv(env, { tenant, user: SETUP }),
    isOpened: (url: URL) => {
      const judged = judgeUrl(url.href, allow);
      return judged.ok && judged.opened;
    },
    timer: globalThis,
    cache: servers.open(tenant, Date.now),
  };
}

/**
 * Renews the tokens of a connection if they end soon. Fails with the cause `connection_ended` once its provider refused
 * them, and with `retry: "later"` while the provider or the database is away.
 */
export async function renewTokensFromEnv(env: Env, tenant: string, app: AppClient, id: string): Promise<Result<void>> {
  const table = connectionTableFromEnv(env, tenant);
  const authorizations = authorizationsFromEnv(env, tenant);
  // The sweep waits for the renewal itself.
  const rest = { timer: globalThis, now: Date.now, background: () => undefined };
  const renewed = await getFreshTokens({ tenant, table, authorizations, flights, ...rest }, app, id);
  return renewed.ok ? ok(undefined) : renewed;
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null;
  return () => (made ??= { value: make() }).value;
}

/** True if the operator opened destinations that are not public. Then providers may be reached without TLS. */
export function hasOpenedDestinations(env: Env): boolean {
  return readEgressAllow(env).size > 0;
}
