/** Ends a connection for who asks for it: in Otto at once, then at its provider. */
import { connectionTableFromEnv } from "../../adapters/env/connections.ts";
import { raise } from "../../core/base/errors.ts";
import { isServerGrant } from "../../core/connections/account.ts";
import type { Connection } from "../../core/connections/connection.ts";
import { createAuditEntry } from "../http/audit-entry.ts";
import type { AppContext } from "../http/context.ts";
import { getTenant, hasScope } from "../http/principal.ts";
import { unwrap } from "../http/unwrap.ts";
import { writeConnectionChange } from "./changes.ts";
import { revokeSoon } from "./drop-account.ts";
import { endServerGrant } from "./end-grant.ts";

export function requireAdminOfShared(c: AppContext): void {
  if (!hasScope(c, "admin")) raise("forbidden", "Only an administrator disconnects a shared account.");
}

/** The caller has checked that this connection is theirs to end. */
export async function disconnect(c: AppContext, connection: Connection): Promise<Connection> {
  const tenant = getTenant(c);
  const { id } = connection;
  if (isServerGrant(connection)) unwrap(await endServerGrant(c.env, tenant, connection.app));
  const act = await createAuditEntry(c, "connection.revoke", id);
  const table = connectionTableFromEnv(c.env, tenant);
  const revoked = unwrap(await writeConnectionChange(c.env, tenant, async () => await table.revoke(id, act)));
  revokeSoon(c.env, { tenant, connection: id });
  return revoked;
}
