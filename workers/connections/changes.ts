/** What follows a change of a tenant's connections or apps: they are read again, and tasks that waited for one are woken. */
import { forgetConnectionsFromEnv } from "../../adapters/env/connections.ts";
import { tenantsFromEnv } from "../../adapters/env/tenants.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { getOwnerPerson } from "../../core/connections/account.ts";
import type { Connection } from "../../core/connections/connection.ts";
import { redact } from "../http/log.ts";

/**
 * Writes a change of the tenant's connections or apps. Lists read them again with their next request; calls do so at once in
 * this isolate, and within five seconds in every other.
 */
export async function writeConnectionChange<T>(env: Env, tenant: string, write: () => Promise<T>): Promise<T> {
  const object = tenantsFromEnv(env)(tenant);
  await object.appsChanged();
  try {
    return await write();
  } finally {
    forgetConnectionsFromEnv(env, tenant);
    // What was read during the write belongs to the stamp before this one.
    await object.appsChanged().catch((thrown: unknown) => logLost("the change of a tenant's connections", thrown));
  }
}

/** Wakes the tasks that wait for a connection, if it is active. The sweep repeats what is lost. Never throws. */
export async function wakeTasksOf(env: Env, { tenant, app, owner, status }: Connection): Promise<void> {
  if (status !== "active") return;
  await tenantsFromEnv(env)(tenant)
    .connectionReady(app, getOwnerPerson(owner))
    .catch((thrown: unknown) => logLost("waking tasks that wait for a connection", thrown));
}

/** Wakes the tasks that wait for an account of an app that was removed: their calls are refused. Never throws. */
export async function wakeTasksOfRemoved(env: Env, tenant: string, app: string): Promise<void> {
  await tenantsFromEnv(env)(tenant)
    .appRemoved(app)
    .catch((thrown: unknown) => logLost("waking tasks that wait for a removed app", thrown));
}

function logLost(what: string, thrown: unknown): void {
  console.error(
    JSON.stringify({ level: "warn", connections: `${what} was not reported`, error: redact(String(thrown)) }),
  );
}
