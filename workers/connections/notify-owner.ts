/** Notifies the person who has to act on a connection, once per outage. */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { publicUrlFromEnv } from "../../adapters/env/deployment.ts";
import { connectionTableFromEnv } from "../../adapters/env/connections.ts";
import { tenantsFromEnv } from "../../adapters/env/tenants.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { ok, type Result } from "../../core/base/errors.ts";
import { type ConnectReason, getOwnerPerson, isServerGrant } from "../../core/connections/account.ts";
import type { Connection } from "../../core/connections/connection.ts";
import { planConnectionMessage } from "../../core/people/connection-deliveries.ts";
import { createConnectionMessage } from "../../core/people/connection-message.ts";
import type { PersonRecord } from "../../core/people/person.ts";
import { putDeliveries } from "../channels/outbox/put-deliveries.ts";
import { makeServerPageUrl } from "./server-grant-page.ts";

/** Why a connection is needed now. */
export interface NeededConnection {
  readonly connection: Connection;
  /** The name of its app that people read. */
  readonly title: string;
  readonly reason: ConnectReason;
  /** The task that needs it; null if a check found that it does not work. */
  readonly task: { readonly id: string; readonly title: string } | null;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/**
 * Puts the message into an outbox, and then notes it, so that an interrupted call can be repeated: the same outage is the
 * same delivery. Without a person to notify, or an address, only the inbox shows what waits.
 */
export async function notifyOwner(env: Env, tenant: string, needed: NeededConnection): Promise<Result<void>> {
  const { connection, reason, title, task, at } = needed;
  const isOutage = connection.status !== "active";
  if (isOutage && connection.notifiedAt !== null) return ok(undefined);
  const person = await findRecipient(env, tenant, connection);
  if (!person.ok || person.value === null) return person.ok ? ok(undefined) : person;
  const owner = getOwnerPerson(connection.owner);
  const waiting = task === null ? 0 : await tenantsFromEnv(env)(tenant).countConnectionWaits(connection.app, owner);
  const message = createConnectionMessage({
    app: connection.app,
    title,
    isShared: owner === null,
    isServer: isServerGrant(connection),
    reason,
    task: task?.title ?? null,
    others: Math.max(0, waiting - 1),
    url: toPageUrl(env, connection, task?.id ?? null),
  });
  const whom = { person: person.value, message, task: task?.id ?? null, at };
  const delivery = await planConnectionMessage({ connection, reason, ...whom });
  if (delivery === null) return ok(undefined);
  await putDeliveries(env, [delivery]);
  return isOutage
    ? await connectionTableFromEnv(env, tenant).markNotified(connection.id, connection.outage)
    : ok(undefined);
}

/** The owner; of a shared connection, the person who gave the last consent. Null without a record. */
export async function findRecipient(
  env: Env,
  tenant: string,
  { owner, connectedBy }: Pick<Connection, "owner" | "connectedBy">,
): Promise<Result<PersonRecord | null>> {
  const id = getOwnerPerson(owner) ?? connectedBy;
  if (id === null) return ok(null);
  const found = await databaseFromEnv(env).people.get(tenant, id);
  return !found.ok && found.error.code === "not_found" ? ok(null) : found;
}

function toPageUrl(env: Env, connection: Connection, task: string | null): string | null {
  const url = publicUrlFromEnv(env);
  if (url !== null && isServerGrant(connection)) return makeServerPageUrl(env, connection.app, url);
  return url === null || task === null ? null : `${url}/tasks/${task}`;
}
