/** The connections of a tenant: rows, consents and what owners change. Tokens: `connection-tokens.ts`. */
import { and, desc, eq, isNotNull, isNull, lt, ne, or, sql } from "drizzle-orm";
import {
  cleanLabel,
  cleanReason,
  findAliasProblem,
  findScopesProblem,
  findTokensProblem,
  FLOW_GRACE_MS,
  MAX_OF_OWNER,
  MAX_OF_TENANT,
} from "../../core/connections/rules.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { iso, isoOrNull } from "../../core/base/iso.ts";
import { makeId } from "../../core/base/ids.ts";
import type { Connection as AppConnection } from "../../core/connections/connection.ts";
import type { TokenSet } from "../../core/connections/tokens.ts";
import type { Flow } from "../../core/connections/flow.ts";
import type { ConnectionTable, UsedLink } from "../../core/ports/connection-table.ts";
import { insertAuditFrom } from "./audit-log.ts";
import { asTenant, type Connection } from "./connection.ts";
import { changeConnection, fixDefault, lockOwner } from "./connection-changes.ts";
import {
  CLOCK,
  type ConnectionStore,
  findConnection,
  isChangedBy,
  isOwned,
  isPresent,
  isThis,
  NO_CONNECTION,
  selectConnections,
  toConnection,
  toFirst,
  toOwned,
  toStatus,
} from "./connection-rows.ts";
import { tokenTable } from "./connection-tokens.ts";
import { findFlowAccount, FLOW_ENDED_TOO, inMs, sealFlowAccount } from "./flow-accounts.ts";
import { entityConnections as rows } from "./schema.ts";

const NO_PERSON = failed("not_found", "There is no person with this id.");
const LINK_USED = failed("gone", "This link was used. Ask for a new one.");
const FLOW_ENDED = failed("gone", "This consent was completed, replaced, or has expired. Begin again.");

export function connectionTable(
  connection: Connection,
  settings: Omit<ConnectionStore, "connection">,
): ConnectionTable {
  const store: ConnectionStore = { connection, ...settings };
  const { tenant, seal } = store;
  return {
    ...tokenTable(store),
    ...changeConnection(store),

    async list({ person, app, all = false, shared = true, after, limit }) {
      const isShown = or(ne(rows.status, "new"), sql`${rows.pendingUntil} > ${CLOCK}`);
      const isOwners = or(
        shared ? isNull(rows.ownerPerson) : sql`false`,
        all ? isNotNull(rows.ownerPerson) : person === null ? undefined : eq(rows.ownerPerson, person),
      );
      const read = await asTenant(connection, tenant, (query) => [
        selectConnections(query)
          .where(
            and(
              eq(rows.tenant, tenant),
              isShown,
              isOwners,
              app === undefined ? undefined : eq(rows.appName, app),
              after === undefined ? undefined : lt(rows.id, after),
            ),
          )
          .orderBy(desc(rows.id))
          .limit(limit),
      ]);
      return read.ok ? ok(read.value[0].map(toConnection)) : read;
    },

    find: (id) => findConnection(store, id),

    async ensure(owned, provider) {
      const problem = owned.alias === null ? null : findAliasProblem(owned.alias);
      if (problem !== null) return problem;
      const { app, person, alias } = owned;
      const id = makeId("connection", store.now(), crypto.getRandomValues(new Uint8Array(10)));
      const written = await asTenant(connection, tenant, (query) => [
        // Locked, so that a deletion of the person waits, and then ends this connection too.
        query.execute(sql`select id from people where tenant = ${tenant} and id = ${person} for key share`),
        query.execute(sql`
          insert into entity_connections (tenant, id, app_name, provider, owner_person, alias, status, created_at, updated_at)
          select ${tenant}::text, ${id}::text, ${app}::text, ${provider}::text, ${person}::text, ${alias}::text, 'new',
            now(), now()
          where (${person}::text is null or exists (select from people where tenant = ${tenant} and id = ${person}))
            and (exists (select from entity_connections where ${isOwned(tenant, owned)})
              or (select count(*) from entity_connections
                  where tenant = ${tenant} and owner_person is not distinct from ${person}::text) < ${MAX_OF_OWNER}
              and (select count(*) from entity_connections where tenant = ${tenant}) < ${MAX_OF_TENANT})
          on conflict (tenant, app_name, coalesce(owner_person, ''), coalesce(alias, '')) do update
            set provider = excluded.provider, updated_at = excluded.updated_at
            where entity_connections.provider <> excluded.provider`),
        selectConnections(query).where(isOwned(tenant, owned)),
        query.execute(sql`select ${person}::text is null
          or exists (select from people where tenant = ${tenant} and id = ${person}) as known`),
        query.execute(sql`select count(*)::int as amount from entity_connections where tenant = ${tenant}`),
      ]);
      if (!written.ok) return written;
      const [, , [row], known, counted] = written.value;
      if (known.rows[0]?.["known"] !== true) return NO_PERSON;
      if (row !== undefined) return ok(toConnection(row));
      const owner = person === null ? "A tenant shares" : "A person has";
      return Number(counted.rows[0]?.["amount"]) >= MAX_OF_TENANT
        ? failed("quota_exceeded", `A tenant has at most ${MAX_OF_TENANT} connections. Remove one first.`)
        : failed("quota_exceeded", `${owner} at most ${MAX_OF_OWNER} connections. Remove one first.`);
    },

    async findLinked(owned, link) {
      const read = await asTenant(connection, tenant, (query) => [
        selectConnections(query).where(isOwned(tenant, owned)),
        query.select({ used: rows.linkUsed }).from(rows).where(isOwned(tenant, owned)),
      ]);
      if (!read.ok) return read;
      const [[row], [last]] = read.value;
      const used = last?.used ?? null;
      const isUsed = used !== null && used >= formatLink(link);
      return ok({ connection: row === undefined ? null : toConnection(row), isUsed });
    },

    async beginFlow(owned, link, flow) {
      const read = await asTenant(connection, tenant, (query) => [
        query.select({ id: rows.id }).from(rows).where(isOwned(tenant, owned)),
      ]);
      if (!read.ok) return read;
      const [row] = read.value[0];
      return row === undefined ? NO_CONNECTION : await beginFlowOf(store, row.id, { link, flow });
    },

    async takeFlow(id, nonce) {
      const read = await asTenant(connection, tenant, (query) => [
        query
          .select({ sealed: rows.flow, isOpen: sql<boolean>`${rows.pendingUntil} > ${CLOCK}` })
          .from(rows)
          .where(isThis(tenant, id)),
      ]);
      if (!read.ok) return read;
      const [row] = read.value[0];
      if (row === undefined) return NO_CONNECTION;
      const { sealed, isOpen } = row;
      const flow = sealed === null ? null : await seal.open({ column: "entity_connections.flow", id }, sealed);
      if (sealed === null || flow === null || (flow as Flow).nonce !== nonce) return FLOW_ENDED;
      const taken = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          update entity_connections set flow = null, pending_until = null,
            flow_account = case when ${isOpen} then flow_account end, flow_account_until = ${inMs(FLOW_GRACE_MS)}
          where ${isThis(tenant, id)} and flow = ${sealed}::text`),
      ]);
      if (!taken.ok) return taken;
      return taken.value[0].rowCount > 0 && isOpen ? ok(flow as Flow) : FLOW_ENDED;
    },

    async complete(id, { tokens, label, scopes, unattended, settingsHash, by }, act) {
      const problem = findScopesProblem(scopes) ?? findTokensProblem(JSON.stringify(tokens));
      if (problem !== null) return problem;
      const found = await findConnection(store, id);
      if (!found.ok) return found;
      const owned = toOwned(found.value);
      const held = tokens?.kind === "account" ? await findFlowAccount(store, id, tokens.providerId) : null;
      if (held?.ok === false) return held;
      if (held?.value === null) return FLOW_ENDED;
      const isHeld = held === null ? sql`true` : sql`flow_account = ${held.value}::text`;
      const sealed = held?.value ?? (await sealTokens(store, id, tokens));
      const expiresAt = tokens?.kind === "oauth" ? tokens.expiresAt : null;
      const granted = scopes === null ? sql`null` : sql`${sql.param([...scopes])}::text[]`;
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`select id from people where tenant = ${tenant} and id = ${owned.person} for key share`),
        lockOwner(query, tenant, owned),
        query.execute(sql`
          with done as (
            update entity_connections set status = ${toStatus("consent")}, consent = consent + 1, sealed = ${sealed}::text,
              sealed_version = sealed_version + 1, expires_at = ${isoOrNull(expiresAt)}::timestamptz,
              account_label = ${cleanLabel(label)}::text, scopes = ${granted}, unattended = ${unattended},
              settings_hash = ${settingsHash}::text, connected_by = ${by.person}::text, why = null, notified_at = null,
              ${FLOW_ENDED_TOO}, refresh_lease_until = null, last_checked_at = now(), updated_at = now(),
              revoke_at = case when revoking = '{}' then null else revoke_at end,
              revoke_tries = case when revoking = '{}' then 0 else revoke_tries end,
              revoke_given_up = revoke_given_up and revoking <> '{}'
            where ${isThis(tenant, id)} and ${isHeld}
              and (owner_person is null
                or exists (select from people p where p.tenant = ${tenant} and p.id = owner_person))
            returning id
          )
          ${insertAuditFrom(tenant, act)} from done`),
        ...fixDefault(query, tenant, owned),
        selectConnections(query).where(isThis(tenant, id)),
      ]);
      if (!written.ok) return written;
      const [, , completed, , , rowsNow] = written.value;
      if (completed.rowCount > 0 || rowsNow.length === 0) return toFirst(rowsNow);
      return held === null ? NO_PERSON : FLOW_ENDED;
    },

    async settle(id, to, why, of) {
      const event = to === "failed" ? "fail" : "expire";
      const isNow = of === undefined ? sql`true` : isPresent(of);
      // What is refused while a link is open is its consent. Tokens that are refused leave the link open.
      const closed = event === "fail" ? sql`${FLOW_ENDED_TOO},` : sql``;
      const isMeant = event === "fail" ? isNow : sql`status = 'active' and ${isNow}`;
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          update entity_connections set status = ${toStatus(event)}, why = ${cleanReason(why)}::text, ${closed}
            outage = outage + case when status = 'active' and ${toStatus(event)} <> 'active' then 1 else 0 end,
            updated_at = now()
          where ${isThis(tenant, id)} and ${isMeant}`),
        selectConnections(query).where(isThis(tenant, id)),
      ]);
      return written.ok ? toFirst(written.value[1]) : written;
    },

    async expireOthers(provider, hashOf, why) {
      const isActive = and(eq(rows.tenant, tenant), eq(rows.provider, provider), eq(rows.status, "active"));
      const read = await asTenant(connection, tenant, (query) => [
        query.selectDistinct({ app: rows.appName, hash: rows.settingsHash }).from(rows).where(isActive),
      ]);
      if (!read.ok) return read;
      const others: string[] = [];
      for (const { app, hash } of read.value[0]) if (hash !== null && hash !== (await hashOf(app))) others.push(hash);
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          update entity_connections set status = ${toStatus("expire")}, why = ${cleanReason(why)}::text,
            outage = outage + 1, updated_at = now()
          where ${isActive} and settings_hash = any (${sql.param(others)}::text[])`),
      ]);
      return written.ok ? ok(written.value[0].rowCount) : written;
    },

    async restore(id) {
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          update entity_connections set status = ${toStatus("renew")}, why = null, notified_at = null,
            last_checked_at = now(), updated_at = now()
          where ${isThis(tenant, id)} and consent > 0 and sealed is null and status <> 'active'
            and ${isChangedBy("renew")}`),
        selectConnections(query).where(isThis(tenant, id)),
      ]);
      return written.ok ? toFirst(written.value[1]) : written;
    },

    async markNotified(id, outage) {
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          update entity_connections set notified_at = now()
          where ${isThis(tenant, id)} and outage = ${outage}::int and status <> 'active'`),
      ]);
      return written.ok ? ok(undefined) : written;
    },

    async markChecked(id) {
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`update entity_connections set last_checked_at = now() where ${isThis(tenant, id)}`),
      ]);
      return written.ok ? ok(undefined) : written;
    },
  };
}

/** Marks the link as used and stores the flow, unless this link or a later one was used. */
async function beginFlowOf(
  store: ConnectionStore,
  id: string,
  { link, flow }: { readonly link: UsedLink; readonly flow: Flow },
): Promise<Result<AppConnection>> {
  const { connection, tenant, seal } = store;
  const sealed = await seal.seal({ column: "entity_connections.flow", id }, flow);
  const account = await sealFlowAccount(store, id, flow);
  const used = formatLink(link);
  const until = sql`${iso(flow.until)}::timestamptz`;
  const written = await asTenant(connection, tenant, (query) => [
    query.execute(sql`
      update entity_connections set link_used = ${used}::text, flow = ${sealed}::text, pending_until = ${until},
        flow_account = ${account}::text, flow_account_until = ${account === null ? sql`null` : until}, updated_at = now()
      where ${isThis(tenant, id)} and (link_used is null or link_used < ${used}::text collate "C")`),
    // Abandoned flows of the tenant: what an earlier key sealed does not stay.
    query.execute(sql`
      update entity_connections set flow = null, flow_account = null
      where tenant = ${tenant} and flow is not null and pending_until < ${CLOCK}`),
    selectConnections(query).where(isThis(tenant, id)),
  ]);
  if (!written.ok) return written;
  const [begun, , found] = written.value;
  return begun.rowCount > 0 || found.length === 0 ? toFirst(found) : LINK_USED;
}

async function sealTokens({ seal }: ConnectionStore, id: string, tokens: TokenSet | null): Promise<string | null> {
  return tokens === null ? null : await seal.seal({ column: "entity_connections.sealed", id }, tokens);
}

/** A link's place in the order of links. Fixed digits, so that texts sort as their times. */
function formatLink({ createdAt, nonce }: UsedLink): string {
  return `${String(createdAt).padStart(15, "0")}.${nonce}`;
}
