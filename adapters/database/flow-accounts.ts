/**
 * The accounts that sign-ins make at the provider of the catalogue.
 *
 * 1. Such an account is in one of three columns: `flow_account` until its sign-in ended, `sealed` once it is used, or
 *    `revoking`. It leaves the first one by a trigger (migrations/0038_flow_accounts.sql), however the sign-in ends.
 * 2. An account becomes `sealed` only from `flow_account`. So none that waits to be revoked is ever stored for use.
 */
import { type SQL, sql } from "drizzle-orm";
import { ok, type Result } from "../../core/base/errors.ts";
import { type Flow, toAccountTokens } from "../../core/connections/flow.ts";
import type { TokenSet } from "../../core/connections/tokens.ts";
import { asTenant, type Query } from "./connection.ts";
import { CLOCK, type ConnectionStore, isThis, NO_CONNECTION } from "./connection-rows.ts";
import { entityConnections as rows } from "./schema.ts";

/** The condition that nothing of a row has to be revoked, so that it may be deleted. */
export const NOTHING_TO_REVOKE = sql`revoking = '{}' and flow_account is null`;

/** Part of an update: the row's sign-in ends, and its account waits to be revoked. */
export const FLOW_ENDED_TOO = sql`flow = null, flow_account = null, pending_until = null`;

/** Seals the account that a sign-in made, as tokens are sealed; null without one. */
export async function sealFlowAccount(
  { seal }: ConnectionStore,
  id: string,
  { account }: Flow,
): Promise<string | null> {
  if (account === undefined) return null;
  return await seal.seal({ column: "entity_connections.flow_account", id }, toAccountTokens(account));
}

/** Finds the sealed account of the row's latest sign-in, if it is this one; null for any other. */
export async function findFlowAccount(
  { connection, tenant, seal }: ConnectionStore,
  id: string,
  providerId: string,
): Promise<Result<string | null>> {
  const read = await asTenant(connection, tenant, (query) => [
    query.select({ sealed: rows.flowAccount }).from(rows).where(isThis(tenant, id)),
  ]);
  if (!read.ok) return read;
  const [row] = read.value[0];
  if (row === undefined) return NO_CONNECTION;
  if (row.sealed === null) return ok(null);
  const opened = (await seal.open({ column: "entity_connections.flow_account", id }, row.sealed)) as TokenSet | null;
  return ok(opened?.kind === "account" && opened.providerId === providerId ? row.sealed : null);
}

/** Ends the row's sign-in if nobody can complete it any more. */
export function endOverdueFlow(query: Query, tenant: string, id: string) {
  return query.execute(sql`
    update entity_connections set ${FLOW_ENDED_TOO}
    where ${isThis(tenant, id)} and flow_account is not null and flow_account_until <= ${CLOCK}`);
}

/** The database's time in `ms` milliseconds. */
export function inMs(ms: number): SQL {
  return sql`${CLOCK} + ${ms}::float8 * interval '1 millisecond'`;
}
