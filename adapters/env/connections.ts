/** Accounts of apps: the tenant's connections, the apps to which people connect, and their providers. */
import type { Env } from "./bindings.ts";
import { databaseFromEnv } from "./database.ts";
import { resealFromEnv, sealingFromEnv } from "./secrets.ts";
import { readEgressAllow, webFromEnv } from "./web.ts";
import { openAppDirectory, openProviderBook } from "../connections/app-directory.ts";
import type { ServerCaches } from "../connections/discover.ts";
import { openRowSeal } from "../connections/row-seal.ts";
import { judgeUrl } from "../egress/address.ts";
import type { AppClientTable } from "../../core/ports/app-client-table.ts";
import type { AppDirectory, AuthorizationsPort } from "../../core/ports/authorizations.ts";
import type { ConnectionTable } from "../../core/ports/connection-table.ts";
import type { RowSeal } from "../../core/ports/sealed-values.ts";
import { SETUP } from "../../core/secrets/secret-use.ts";

/** Descriptions of providers, for the life of the isolate. */
let servers: ServerCaches | null = null;

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
  return openAppDirectory(appClientsFromEnv(env, tenant));
}

function rowSealFromEnv(env: Env, tenant: string): RowSeal {
  return openRowSeal({ tenant, sealing: sealingFromEnv(env), reseal: resealFromEnv(env) });
}

/** The client of the tenant's providers. Its package is loaded with the first use, because most isolates never need it. */
export async function authorizationsFromEnv(env: Env, tenant: string): Promise<AuthorizationsPort> {
  const { openAuthorizations } = await import("../connections/oauth-client.ts");
  const { ServerCaches: Servers } = await import("../connections/discover.ts");
  servers ??= new Servers();
  const allow = readEgressAllow(env);
  return openAuthorizations({
    web: webFromEnv(env, { tenant }, SETUP),
    isOpened: (url) => {
      const judged = judgeUrl(url.href, allow);
      return judged.ok && judged.opened;
    },
    timer: globalThis,
    book: openProviderBook(appClientsFromEnv(env, tenant)),
    cache: servers.open(tenant, Date.now),
    now: Date.now,
  });
}

/** True if the operator opened destinations that are not public. Then providers may be reached without TLS. */
export function hasOpenedDestinations(env: Env): boolean {
  return readEgressAllow(env).size > 0;
}
