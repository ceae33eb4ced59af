/**
 * Checks connections that tasks use while their owner is away: daily, and in the hour before a schedule is due. A check renews
 * tokens that end soon. Where the provider refuses that, the connection expires, and its owner is notified at once rather than
 * when a task has to wait. Nothing is asked of such a provider beyond that: no answer of its own would end a connection. The
 * provider of the catalogue stores the tokens, so it is asked for the account.
 */
import { appsFromEnv, connectionTableFromEnv, renewTokensFromEnv } from "../../adapters/env/connections.ts";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { tenantsFromEnv } from "../../adapters/env/tenants.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { OttoError } from "../../core/base/errors.ts";
import type { AppClient } from "../../core/connections/app-client.ts";
import { isCatalogueApp } from "../../core/connections/catalogue-app.ts";
import type { Connection } from "../../core/connections/connection.ts";
import type { DueConnection } from "../../core/ports/connection-jobs.ts";
import { unwrap } from "../http/unwrap.ts";
import { attemptEach } from "../sweep/attempt-each.ts";
import { checkProviderAccount } from "./account-check.ts";
import { notifyOwner } from "./notify-owner.ts";

/** Checks of one run, and those at once. */
const MAX_CHECKS = 100;
const AT_ONCE = 5;
/** How many are read for one run: those whose provider was away just now are skipped. */
const MAX_READ = 400;
/** How long this isolate skips a connection after a check that could not be made. */
const PAUSE_MS = 10 * 60_000;

/** Connections whose check could not be made, and until when each is skipped. */
const paused = new Map<string, number>();

/** None begins after `until`. Times are milliseconds since the epoch. */
export async function checkConnections(env: Env, now: number, until: number): Promise<void> {
  for (const [connection, end] of paused) if (end <= now) paused.delete(connection);
  const due = unwrap(await databaseFromEnv(env).connectionJobs.toCheck(now, MAX_READ));
  const some = due.filter(({ connection }) => !paused.has(connection)).slice(0, MAX_CHECKS);
  const name = ({ connection }: DueConnection): string => `checking ${connection}`;
  await attemptEach(some, { atOnce: AT_ONCE, until }, name, async (one) => {
    paused.set(one.connection, now + PAUSE_MS);
    await checkConnection(env, one);
    paused.delete(one.connection);
  });
}

async function checkConnection(env: Env, { tenant, connection: id }: DueConnection): Promise<void> {
  const table = connectionTableFromEnv(env, tenant);
  const connection = unwrap(await table.find(id));
  if (connection.status !== "active") return;
  const app = await appsFromEnv(env, tenant).find(connection.app);
  // Nobody uses the connections of an app that was removed.
  if (!app.ok && app.error.code === "not_found") return unwrap(await table.markChecked(id));
  const checked = await recheck(env, connection, unwrap(app));
  const { status } = checked;
  const isEnded = status === "expired" || (status === "revoked" && isCatalogueApp(unwrap(app)));
  // An MCP server with one grant has its tokens elsewhere, and stays active.
  if (!isEnded) return unwrap(await table.markChecked(id));
  await notifyOfEnd(env, { connection: checked, title: unwrap(app).title, status });
}

/** Renews its tokens, or reads its account at the provider, and returns what it is then. */
async function recheck(env: Env, connection: Connection, app: AppClient): Promise<Connection> {
  const { tenant, id } = connection;
  if (isCatalogueApp(app))
    return unwrap(await checkProviderAccount(env, { connection, title: app.title, requestId: "sweep" }));
  const renewed = await renewTokensFromEnv(env, tenant, app, id);
  if (!renewed.ok && renewed.error.cause?.kind !== "connection_ended") throw new OttoError(renewed.error);
  return unwrap(await connectionTableFromEnv(env, tenant).find(id));
}

/** A connection that a check ended. */
interface EndedConnection {
  readonly connection: Connection;
  readonly title: string;
  readonly status: "expired" | "revoked";
}

/** Notifies its owner at once. */
export async function notifyOfEnd(env: Env, { connection, title, status }: EndedConnection): Promise<void> {
  const { tenant } = connection;
  await tenantsFromEnv(env)(tenant).appsChanged();
  unwrap(await notifyOwner(env, tenant, { connection, title, reason: status, task: null, at: Date.now() }));
}
