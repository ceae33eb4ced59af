/**
 * Reads the account of a connection at the provider of the catalogue, and ends the connection if the account has ended
 * there. Nothing becomes active by this: only a consent does that.
 */
import { connectionTableFromEnv } from "../../adapters/env/connections.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { providerKeysFromEnv, tenantLinksFromEnv } from "../../adapters/env/tenant-provider.ts";
import { makeId } from "../../core/base/ids.ts";
import { ok, type Result } from "../../core/base/errors.ts";
import { getOwnerPerson } from "../../core/connections/account.ts";
import { findAccountEnd } from "../../core/connections/account-end.ts";
import { toEntity } from "../../core/connections/catalogue-app.ts";
import type { Connection } from "../../core/connections/connection.ts";
import { getKey, OPERATOR_KEY, OTHER_KEY } from "../../core/connections/provider-key.ts";
import { type AuditEntry, BY_OTTO } from "../../core/ports/audit.ts";
import { writeConnectionChange } from "./changes.ts";

/** An active connection, with the name of its app that people read. */
export interface CheckedConnection {
  readonly connection: Connection;
  readonly title: string;
  /** For the audit log. */
  readonly requestId: string;
}

/**
 * Returns the connection as it is then. One without an account at the provider, or without a provider, stays as it is. One
 * whose account was made with another key than the present one expires: that account is not asked for.
 * Fails while the provider or the database is away; then nothing changes.
 */
export async function checkProviderAccount(
  env: Env,
  { connection, title, requestId }: CheckedConnection,
): Promise<Result<Connection>> {
  const { tenant, id, owner } = connection;
  const present = await tenantLinksFromEnv(env, tenant).present();
  if (!present.ok) return present;
  if (present.value === null) return ok(connection);
  const { key, links } = present.value;
  const table = connectionTableFromEnv(env, tenant);
  const stored = await table.tokens(id);
  if (!stored.ok) return stored.error.cause?.kind === "connection_ended" ? await table.find(id) : stored;
  const { tokens, version } = stored.value;
  if (tokens.kind !== "account") return ok(connection);
  const { providerId } = tokens;
  if (getKey(tokens) !== key) {
    // What this isolate knows of the key may be minutes old.
    const own = await providerKeysFromEnv(env, tenant).find();
    if (!own.ok) return own;
    if (getKey(tokens) === (own.value?.id ?? OPERATOR_KEY)) return ok(connection);
    return await writeConnectionChange(
      env,
      tenant,
      async () => await table.settle(id, "expired", OTHER_KEY, { version }),
    );
  }
  const wanted = { providerId, entity: toEntity(tenant, getOwnerPerson(owner)) };
  const end = findAccountEnd(await links.account(providerId), wanted, title);
  if (!end.ok) return end;
  if (end.value === null) return await noteChecked(env, connection);
  const { to, why } = end.value;
  // What was connected again meanwhile is another account, and stays.
  return await writeConnectionChange(env, tenant, async () =>
    to === "expired"
      ? await table.settle(id, to, why, { version })
      : await table.revoke(id, createAct(id, requestId), { version }),
  );
}

async function noteChecked(env: Env, connection: Connection): Promise<Result<Connection>> {
  const noted = await connectionTableFromEnv(env, connection.tenant).markChecked(connection.id);
  return noted.ok ? ok(connection) : noted;
}

function createAct(target: string, requestId: string): AuditEntry {
  const at = Date.now();
  const id = makeId("audit", at, crypto.getRandomValues(new Uint8Array(10)));
  return { id, at, actor: BY_OTTO, action: "connection.revoke", target, requestId };
}
