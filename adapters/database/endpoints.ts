/** The endpoints of tenants' webhooks. Secrets are sealed before they arrive here. */
import { and, desc, eq, sql } from "drizzle-orm";
import {
  type Endpoint,
  type EventPattern,
  MAX_ENDPOINTS,
  type SealedEndpoint,
} from "../../core/channels/webhooks/endpoint.ts";
import type { EndpointTable } from "../../core/ports/endpoint-table.ts";
import { MAX_OLD_SECRETS } from "../../core/channels/webhooks/old-secrets.ts";
import { failed, ok } from "../../core/base/errors.ts";
import { insertAuditFrom } from "./audit-log.ts";
import { asTenant, type Connection, type Query } from "./connection.ts";
import { endpoints } from "./schema.ts";

const NO_ENDPOINT = failed("not_found", "There is no such webhook.");

export function endpointTable(connection: Connection): EndpointTable {
  return {
    async create(tenant, { id, url, events, description, enabled, sealed }, act) {
      const at = new Date(act.at).toISOString();
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          with made as (
            insert into endpoints (tenant, id, version, url, events, description, enabled, sealed, created_at, updated_at)
            select ${tenant}::text, ${id}::text, 1, ${url}::text, ${sql.param([...events])}::text[], ${description}::text,
              ${enabled}::boolean, ${sealed}::text, ${at}::timestamptz, ${at}::timestamptz
            where (select count(*) from endpoints where tenant = ${tenant}) < ${MAX_ENDPOINTS}
            on conflict do nothing
            returning id
          )
          ${insertAuditFrom(tenant, act)} from made`),
        selectOne(query, tenant, id),
      ]);
      if (!written.ok) return written;
      const [kept] = written.value[1];
      if (kept !== undefined) return ok(toEndpoint(kept));
      return failed("quota_exceeded", `A tenant has at most ${MAX_ENDPOINTS} webhooks. Delete one first.`);
    },

    async get(tenant, id) {
      const read = await asTenant(connection, tenant, (query) => [selectOne(query, tenant, id)]);
      return read.ok ? first(read.value[0]) : read;
    },

    async all(tenant) {
      const read = await asTenant(connection, tenant, (query) => [
        query
          .select()
          .from(endpoints)
          .where(eq(endpoints.tenant, tenant))
          .orderBy(desc(endpoints.createdAt), desc(endpoints.id)),
      ]);
      return read.ok ? ok(read.value[0].map(toSealed)) : read;
    },

    async update(tenant, { id, setting: { url, events, description, enabled }, ifVersion }, act) {
      const at = new Date(act.at).toISOString();
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          with changed as (
            update endpoints set version = version + 1, url = ${url}, events = ${sql.param([...events])}::text[],
              description = ${description}, enabled = ${enabled}, disabled_why = null, updated_at = ${at}::timestamptz
            where ${isThis(tenant, id)} and (${ifVersion}::int is null or version = ${ifVersion}::int)
            returning id
          )
          ${insertAuditFrom(tenant, act)} from changed`),
        selectOne(query, tenant, id),
      ]);
      if (!written.ok) return written;
      const [changed, [found]] = written.value;
      if (found === undefined) return NO_ENDPOINT;
      if (changed.rowCount > 0) return ok(toEndpoint(found));
      const message = `The webhook is at version ${found.version} now. Read it again before you change it.`;
      return failed("conflict", message, { field: "If-Match" });
    },

    async rotate(tenant, { id, sealed, oldUntil }, act) {
      const at = new Date(act.at).toISOString();
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          with changed as (
            update endpoints set version = version + 1, sealed = ${sealed}, updated_at = ${at}::timestamptz,
              old_sealed = (array_prepend(sealed, old_sealed))[1:${sql.raw(String(MAX_OLD_SECRETS))}],
              old_until = (array_prepend(${oldUntil}::bigint, old_until))[1:${sql.raw(String(MAX_OLD_SECRETS))}]
            where ${isThis(tenant, id)}
              and not exists (select from audit where tenant = ${tenant} and id = ${act.id})
            returning id
          )
          ${insertAuditFrom(tenant, act)} from changed`),
        selectOne(query, tenant, id),
      ]);
      return written.ok ? first(written.value[1]) : written;
    },

    async disable(tenant, { id, version, why }, act) {
      const at = new Date(act.at).toISOString();
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          with changed as (
            update endpoints set version = version + 1, enabled = false, disabled_why = ${why}, updated_at = ${at}::timestamptz
            where ${isThis(tenant, id)} and version = ${version}::int and enabled
            returning id
          )
          ${insertAuditFrom(tenant, act)} from changed`),
      ]);
      return written.ok ? ok(undefined) : written;
    },

    async remove(tenant, id, act) {
      const written = await asTenant(connection, tenant, (query) => [
        selectOne(query, tenant, id),
        query.execute(sql`
          with gone as (delete from endpoints where ${isThis(tenant, id)} returning id)
          ${insertAuditFrom(tenant, act)} from gone`),
      ]);
      if (!written.ok) return written;
      return written.value[0].length > 0 ? ok(undefined) : NO_ENDPOINT;
    },
  };
}

type Row = typeof endpoints.$inferSelect;

function isThis(tenant: string, id: string) {
  return and(eq(endpoints.tenant, tenant), eq(endpoints.id, id));
}

function selectOne(query: Query, tenant: string, id: string) {
  return query.select().from(endpoints).where(isThis(tenant, id));
}

function first([row]: readonly Row[]) {
  return row === undefined ? NO_ENDPOINT : ok(toEndpoint(row));
}

function toEndpoint(row: Row): Endpoint {
  const { id, version, url, events, description, enabled, disabledWhy, oldUntil, createdAt, updatedAt } = row;
  return {
    id,
    version,
    url,
    events: events as EventPattern[],
    description,
    enabled,
    disabledWhy,
    oldSecretUntil: oldUntil[0] ?? null,
    createdAt,
    updatedAt,
  };
}

function toSealed(row: Row): SealedEndpoint {
  const { sealed, oldSealed, oldUntil } = row;
  const old = oldSealed.map((secret, index) => ({ sealed: secret, until: oldUntil[index] ?? 0 }));
  return { ...toEndpoint(row), sealed, old };
}
