/** Rows of connections: how they are read and named in conditions, and the failures that their tables share. */
import { and, eq, type SQL, sql } from "drizzle-orm";
import { getOwnerPerson } from "../../core/connections/account.ts";
import type { Connection as AppConnection, RevocationProgress } from "../../core/connections/connection.ts";
import { type ConnectionEvent, getChange } from "../../core/connections/states.ts";
import { MAX_REVOKING } from "../../core/connections/rules.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import type { OwnedApp, SettledState } from "../../core/ports/connection-table.ts";
import type { RowSeal } from "../../core/ports/sealed-values.ts";
import { asTenant, type Connection, type Query } from "./connection.ts";
import { entityConnections as rows, people } from "./schema.ts";

/** A tenant's connections in a database. `now` makes ids only. */
export interface ConnectionStore {
  readonly connection: Connection;
  readonly tenant: string;
  readonly seal: RowSeal;
  readonly now: () => number;
}

export const NO_CONNECTION = failed("not_found", "There is no connection with this id.");

/** The database's clock at this statement, also after a wait for a lock. */
export const CLOCK = sql`clock_timestamp()`;

export function isThis(tenant: string, id: string) {
  return and(eq(rows.tenant, tenant), eq(rows.id, id));
}

/** The rows of one owner and app. */
export function isOfOwner(tenant: string, { app, person }: Pick<OwnedApp, "app" | "person">): SQL {
  return sql`${rows.tenant} = ${tenant} and ${rows.appName} = ${app} and coalesce(${rows.ownerPerson}, '') = ${person ?? ""}`;
}

/** The one row of an owner, app and alias. */
export function isOwned(tenant: string, owned: OwnedApp): SQL {
  return sql`${isOfOwner(tenant, owned)} and coalesce(${rows.alias}, '') = ${owned.alias ?? ""}`;
}

/** The condition that the row still has these tokens, or this consent. */
export function isPresent(of: SettledState): SQL {
  return "version" in of ? sql`sealed_version = ${of.version}::int` : sql`consent = ${of.consent}::int`;
}

/** The condition that an event changes the row's status. */
export function isChangedBy(event: ConnectionEvent): SQL {
  return sql`status = any (${sql.param([...getChange(event).from])}::text[])`;
}

/** The row's status after an event. */
export function toStatus(event: ConnectionEvent): SQL {
  return sql`case when ${isChangedBy(event)} then ${getChange(event).to}::text else status end`;
}

/** The token sets to revoke with the present one, the latest ones of too many. */
export const REVOKING_WITH_SEALED = sql`case when sealed is null then revoking
  else (revoking || array[sealed])[greatest(1, cardinality(revoking) + 2 - ${MAX_REVOKING}::int):] end`;

/** The token sets to revoke with one more, the latest ones of too many. */
export function withRevoking(sealed: string): SQL {
  return sql`(revoking || array[${sealed}::text])[greatest(1, cardinality(revoking) + 2 - ${MAX_REVOKING}::int):]`;
}

/** What a deleted person's connection is once nothing of it waits to be revoked. */
export function deleteOrphan(query: Query, tenant: string, id: string) {
  return query.execute(sql`
    delete from entity_connections c
    where tenant = ${tenant} and id = ${id} and status = 'revoked' and revoking = '{}' and flow_account is null
      and owner_person is not null
      and not exists (select from people p where p.tenant = c.tenant and p.id = c.owner_person)`);
}

export function selectConnections(query: Query) {
  const { tenant, id, appName, provider, ownerPerson, connectedBy, alias, isDefault, status, pendingUntil } = rows;
  const { accountLabel, scopes, unattended, delegateApprovals, consent, settingsHash, expiresAt } = rows;
  const { revokeAt, revokeTries, outage, notifiedAt, why, lastUsedAt, lastCheckedAt, createdAt, updatedAt } = rows;
  const named = { tenant, id, appName, provider, ownerPerson, connectedBy, alias, isDefault, status, pendingUntil };
  const given = { accountLabel, scopes, unattended, delegateApprovals, consent, settingsHash, expiresAt };
  const times = { revokeAt, revokeTries, outage, notifiedAt, why, lastUsedAt, lastCheckedAt, createdAt, updatedAt };
  return query
    .select({ ...named, ...given, ...times, ownerName: people.name })
    .from(rows)
    .leftJoin(people, and(eq(people.tenant, rows.tenant), eq(people.id, rows.ownerPerson)));
}

type Row = Awaited<ReturnType<typeof selectConnections>>[number];

export function toConnection(row: Row): AppConnection {
  const { appName: app, ownerPerson, ownerName, accountLabel: label, delegateApprovals: delegates, ...rest } = row;
  const { revokeAt, revokeTries, ...fields } = rest;
  const revocation: RevocationProgress | null = revokeAt === null ? null : { nextAt: revokeAt, tries: revokeTries };
  // The row of a deleted person stays until its tokens are revoked.
  const owner =
    ownerPerson === null
      ? ({ kind: "shared" } as const)
      : ({ kind: "person", id: ownerPerson, name: ownerName ?? ownerPerson } as const);
  return { ...fields, app, owner, label, delegates, revocation };
}

export function toFirst([row]: readonly Row[]): Result<AppConnection> {
  return row === undefined ? NO_CONNECTION : ok(toConnection(row));
}

export async function findConnection(
  { connection, tenant }: ConnectionStore,
  id: string,
): Promise<Result<AppConnection>> {
  const read = await asTenant(connection, tenant, (query) => [selectConnections(query).where(isThis(tenant, id))]);
  return read.ok ? toFirst(read.value[0]) : read;
}

/** The owner and the app of a connection. */
export function toOwned({ app, owner, alias }: AppConnection): OwnedApp {
  return { app, person: getOwnerPerson(owner), alias };
}
