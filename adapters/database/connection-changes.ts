/** What people change of their connections, and how connections end. */
import { and, sql } from "drizzle-orm";
import { findAliasProblem, isRevocationOpen } from "../../core/connections/rules.ts";
import { type Failure, failed, ok } from "../../core/base/errors.ts";
import type { ConnectionTable, OwnedApp } from "../../core/ports/connection-table.ts";
import { insertAuditFrom } from "./audit-log.ts";
import { asTenant, type Query } from "./connection.ts";
import { FLOW_ENDED_TOO, NOTHING_TO_REVOKE } from "./flow-accounts.ts";
import {
  CLOCK,
  type ConnectionStore,
  findConnection,
  isChangedBy,
  isOfOwner,
  isPresent,
  isThis,
  NO_CONNECTION,
  REVOKING_WITH_SEALED,
  selectConnections,
  toFirst,
  toOwned,
  toStatus,
} from "./connection-rows.ts";

const NEVER_CONNECTED = failed("conflict", "This connection was never connected. Connect it first.", {
  field: "is_default",
});
const NOT_REVOKED = failed("conflict", "This connection is in use. Disconnect it before you remove it.");
const STILL_REVOKING = failed(
  "conflict",
  "The app has not confirmed yet that it ended this connection. Remove it after that.",
);

/** The condition that there is something to end, which may be no more than a sign-in of a revoked connection. */
const IS_ENDABLE = sql`(${isChangedBy("revoke")} or pending_until > ${CLOCK} or flow_account is not null)`;

/** What ends a connection: its tokens move to those that wait to be revoked, and a sign-in of it ends. */
const ENDED = sql`
  status = ${toStatus("revoke")}, revoking = ${REVOKING_WITH_SEALED}, sealed = null, ${FLOW_ENDED_TOO},
  revoke_at = case when sealed is null then revoke_at else now() end,
  revoke_tries = case when sealed is null then revoke_tries else 0 end,
  refresh_lease_until = null, outage = outage + case when status = 'active' then 1 else 0 end, why = null,
  updated_at = now()`;

type Changes = Pick<ConnectionTable, "change" | "revoke" | "revokeAll" | "remove">;

export function changeConnection(store: ConnectionStore): Changes {
  const { connection, tenant } = store;
  return {
    async change(id, { alias, isDefault, unattended, delegates }, act) {
      const problem = typeof alias === "string" ? findAliasProblem(alias) : null;
      if (problem !== null) return problem;
      const found = await findConnection(store, id);
      if (!found.ok) return found;
      if (isDefault === true && found.value.consent === 0) return NEVER_CONNECTED;
      const owned = toOwned(found.value);
      const written = await asTenant(connection, tenant, (query) => [
        lockOwner(query, tenant, owned),
        query.execute(sql`
          update entity_connections set is_default = false
          where ${isOfOwner(tenant, owned)} and is_default and id <> ${id} and ${isDefault === true}`),
        query.execute(sql`
          with done as (
            update entity_connections set
              alias = case when ${alias === undefined} then alias else ${alias ?? null}::text end,
              is_default = is_default or ${isDefault === true},
              unattended = coalesce(${unattended ?? null}::boolean, unattended),
              delegate_approvals = coalesce(${delegates ?? null}::boolean, delegate_approvals), updated_at = now()
            where ${isThis(tenant, id)} returning id
          )
          ${insertAuditFrom(tenant, act)} from done`),
        selectConnections(query).where(isThis(tenant, id)),
      ]);
      return written.ok ? toFirst(written.value[3]) : { ok: false, error: toConflict(written.error, owned) };
    },

    async revoke(id, act, of) {
      const found = await findConnection(store, id);
      if (!found.ok) return found;
      const owned = toOwned(found.value);
      const isMeant = and(
        isThis(tenant, id),
        of === undefined ? IS_ENDABLE : and(isChangedBy("revoke"), isPresent(of)),
      );
      const written = await asTenant(connection, tenant, (query) => [
        lockOwner(query, tenant, owned),
        query.execute(sql`
          with done as (
            update entity_connections set ${ENDED} where ${isMeant} returning id
          )
          ${insertAuditFrom(tenant, act)} from done`),
        ...fixDefault(query, tenant, owned),
        selectConnections(query).where(isThis(tenant, id)),
      ]);
      return written.ok ? toFirst(written.value[4]) : written;
    },

    async revokeAll({ app, person }, act) {
      const isMeant = sql`tenant = ${tenant}
        and (${app ?? null}::text is null or app_name = ${app ?? null}::text)
        and (${person ?? null}::text is null or owner_person = ${person ?? null}::text)`;
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`delete from entity_connections where ${isMeant} and status = 'new' and ${NOTHING_TO_REVOKE}`),
        query.execute(sql`
          with done as (
            update entity_connections set ${ENDED} where ${isMeant} and ${IS_ENDABLE} returning id
          ), logged as (${insertAuditFrom(tenant, act)} from done limit 1)
          select count(*)::int as amount from done`),
      ]);
      return written.ok ? ok(Number(written.value[1].rows[0]?.["amount"] ?? 0)) : written;
    },

    async remove(id, act) {
      const found = await findConnection(store, id);
      if (!found.ok) return found;
      const { status, revocation } = found.value;
      if (status !== "revoked") return NOT_REVOKED;
      if (revocation !== null && isRevocationOpen(revocation)) return STILL_REVOKING;
      const owned = toOwned(found.value);
      const removed = await asTenant(connection, tenant, (query) => [
        lockOwner(query, tenant, owned),
        query.execute(sql`
          with gone as (
            delete from entity_connections where ${isThis(tenant, id)} and status = 'revoked' and ${NOTHING_TO_REVOKE}
            returning id
          )
          ${insertAuditFrom(tenant, act)} from gone`),
        ...fixDefault(query, tenant, owned),
        selectConnections(query).where(isThis(tenant, id)),
      ]);
      if (!removed.ok) return removed;
      const [, gone, , , [left]] = removed.value;
      if (gone.rowCount > 0) return found;
      if (left === undefined) return NO_CONNECTION;
      return left.status === "revoked" ? STILL_REVOKING : NOT_REVOKED;
    },
  };
}

/** Locks the connections of an owner and app, so that two changes of their default follow each other. */
export function lockOwner(query: Query, tenant: string, owned: OwnedApp) {
  return query.execute(sql`
    select id from entity_connections where ${isOfOwner(tenant, owned)} order by id for update`);
}

/**
 * Gives an owner's app a default again, if it has a connection that was connected: the oldest active one, before one
 * that is not. A revoked default gives way to an active connection alone.
 */
export function fixDefault(query: Query, tenant: string, owned: OwnedApp) {
  const isGroup = isOfOwner(tenant, owned);
  return [
    query.execute(sql`
      update entity_connections set is_default = false
      where ${isGroup} and is_default and status = 'revoked'
        and exists (select from entity_connections where ${isGroup} and status = 'active')`),
    query.execute(sql`
      update entity_connections set is_default = true
      where tenant = ${tenant} and not exists (select from entity_connections where ${isGroup} and is_default)
        and id = (select id from entity_connections where ${isGroup} and consent > 0
          order by status = 'active' desc, status <> 'revoked' desc, created_at, id limit 1)`),
  ] as const;
}

function toConflict(error: Failure, { app }: OwnedApp): Failure {
  if (error.cause?.kind !== "constraint" || error.cause.constraint !== "entity_connections_alias") return error;
  const message = `Another connection of ${app} has this alias. Choose another one.`;
  return failed("conflict", message, { field: "alias" }).error;
}
