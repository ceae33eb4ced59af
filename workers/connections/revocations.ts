/**
 * Revokes the tokens of ended connections at their providers (RFC 7009), or the accounts of the catalogue's. The rows are the outbox: an attempt sets the time of
 * the next one before it is made, and tokens are erased once the provider confirmed.
 */
import { authorizationsFromEnv, connectionTableFromEnv } from "../../adapters/env/connections.ts";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { tenantsFromEnv } from "../../adapters/env/tenants.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { makeId } from "../../core/base/ids.ts";
import type { AppClient } from "../../core/connections/app-client.ts";
import type { Connection } from "../../core/connections/connection.ts";
import { MAX_OF_TENANT, MAX_REVOKING } from "../../core/connections/rules.ts";
import { BY_OTTO } from "../../core/ports/audit.ts";
import type { DueConnection } from "../../core/ports/connection-jobs.ts";
import type { DueRevocation } from "../../core/ports/connection-table.ts";
import { unwrap } from "../http/unwrap.ts";
import { attemptEach } from "../sweep/attempt-each.ts";

/** Connections of one run, and those at once. */
const MAX_CONNECTIONS = 100;
const AT_ONCE = 5;
/** For the connections of an erased tenant. */
const ERASING_MS = 20_000;

/** None begins after `until`. Times are milliseconds since the epoch. */
export async function revokeDue(env: Env, now: number, until: number): Promise<void> {
  const due = unwrap(await databaseFromEnv(env).connectionJobs.revocationsDue(now, MAX_CONNECTIONS));
  const name = ({ connection }: DueConnection): string => `revoking ${connection}`;
  await attemptEach(due, { atOnce: AT_ONCE, until }, name, (one) => revokeConnection(env, one));
}

/**
 * Ends the connections of an erased tenant, with one attempt for each within 20 s together. The purge that follows deletes
 * their tokens.
 */
export async function revokeOfErasedTenant(env: Env, tenant: string, now: number): Promise<void> {
  const table = connectionTableFromEnv(env, tenant);
  const id = makeId("audit", now, crypto.getRandomValues(new Uint8Array(10)));
  const act = { id, at: now, actor: BY_OTTO, action: "connection.revoke", target: tenant, requestId: "erase" } as const;
  unwrap(await table.revokeAll({}, act));
  const listed = unwrap(await table.list({ person: null, all: true, limit: MAX_OF_TENANT }));
  const open = listed.filter(({ revocation }) => revocation !== null);
  const limits = { atOnce: AT_ONCE, until: Date.now() + ERASING_MS };
  const revoke = ({ id: connection }: Connection) => revokeConnection(env, { tenant, connection });
  await attemptEach(open, limits, ({ id: connection }) => `revoking ${connection}`, revoke);
}

/** Makes one attempt for each token set of the connection that is due. Throws if the provider did not confirm one. */
export async function revokeConnection(env: Env, { tenant, connection }: DueConnection): Promise<void> {
  const table = connectionTableFromEnv(env, tenant);
  for (let sets = 0; sets < MAX_REVOKING; sets += 1) {
    const taken = unwrap(await table.takeRevocation(connection));
    if (taken === null) return;
    unwrap(await authorizationsFromEnv(env, tenant).revoke(toApp(taken), taken.tokens));
    unwrap(await table.endRevocation(connection, taken));
    await tenantsFromEnv(env)(tenant).appsChanged();
  }
}

/** What a revocation needs of its app. The app may have been removed; how its provider is reached is stored for longer. */
function toApp({ app, provider }: DueRevocation): AppClient {
  const rest = { per: "either", kind: "oauth2", scopes: [], fields: [], hosts: [], settingsHash: "" } as const;
  return { app, provider, title: app, ...rest };
}
