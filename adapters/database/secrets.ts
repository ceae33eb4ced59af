/** Secrets of tenants. Only the egress module reads values here. */
import { and, desc, eq, sql } from "drizzle-orm";
import type { Secret, SecretTable } from "../../core/ports/secret-table.ts";
import { failed, ok } from "../../core/base/errors.ts";
import { cutPage } from "../../core/base/page-cursor.ts";
import { MAX_SECRETS } from "../../core/secrets/tenant-secret.ts";
import { insertAuditFrom } from "./audit-log.ts";
import { asTenant, type Connection, type Query } from "./connection.ts";
import { isBefore } from "./list-order.ts";
import { secrets } from "./schema.ts";

const NO_SECRET = failed("not_found", "There is no such secret.");

export function secretTable(connection: Connection): SecretTable {
  return {
    async create(tenant, { id, name, hosts, agents, methods, sealed }, act) {
      const at = new Date(act.at).toISOString();
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          with made as (
            insert into secrets (tenant, id, name, hosts, agents, methods, sealed, created_at, updated_at)
            select ${tenant}::text, ${id}::text, ${name}::text, ${sql.param([...hosts])}::text[], ${toArray(agents)}::text[],
              ${toArray(methods)}::text[], ${sealed}::text, ${at}::timestamptz, ${at}::timestamptz
            where (select count(*) from secrets where tenant = ${tenant}) < ${MAX_SECRETS}
            on conflict do nothing
            returning id
          )
          ${insertAuditFrom(tenant, act)} from made`),
        selectSecrets(query).where(isNamed(tenant, name)),
      ]);
      if (!written.ok) return written;
      const [kept] = written.value[1];
      if (kept?.id === id) return ok(kept);
      if (kept !== undefined)
        return failed("conflict", `A secret named ${name} already exists. Replace it by PUT.`, { field: "name" });
      return failed("quota_exceeded", `A tenant has at most ${MAX_SECRETS} secrets. Delete one first.`);
    },

    async get(tenant, name) {
      const read = await asTenant(connection, tenant, (query) => [selectSecrets(query).where(isNamed(tenant, name))]);
      if (!read.ok) return read;
      const [found] = read.value[0];
      return found === undefined ? NO_SECRET : ok(found);
    },

    async page(tenant, { after, limit }) {
      const read = await asTenant(connection, tenant, (query) => [
        selectSecrets(query)
          .where(and(eq(secrets.tenant, tenant), isBefore(secrets.createdAt, secrets.id, after)))
          .orderBy(desc(secrets.createdAt), desc(secrets.id))
          .limit(limit + 1),
      ]);
      if (!read.ok) return read;
      return ok(cutPage(read.value[0], limit, ({ id, createdAt }: Secret) => ({ at: createdAt, id })));
    },

    async update(tenant, { name, hosts, agents, methods, sealed }, act) {
      const at = new Date(act.at).toISOString();
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          with changed as (
            update secrets
            set hosts = ${sql.param([...hosts])}::text[], agents = ${toArray(agents)}::text[],
              methods = ${toArray(methods)}::text[], sealed = ${sealed}::text, updated_at = ${at}::timestamptz
            where ${isNamed(tenant, name)}
            returning id
          )
          ${insertAuditFrom(tenant, act)} from changed`),
        selectSecrets(query).where(isNamed(tenant, name)),
      ]);
      if (!written.ok) return written;
      const [found] = written.value[1];
      return found === undefined ? NO_SECRET : ok(found);
    },

    async remove(tenant, name, act) {
      const written = await asTenant(connection, tenant, (query) => [
        selectSecrets(query).where(isNamed(tenant, name)),
        query.execute(sql`
          with gone as (delete from secrets where ${isNamed(tenant, name)} returning id)
          ${insertAuditFrom(tenant, act)} from gone`),
      ]);
      if (!written.ok) return written;
      const [found] = written.value[0];
      return found === undefined ? NO_SECRET : ok(found);
    },

    async sealed(tenant) {
      const read = await asTenant(connection, tenant, (query) => [
        query
          .select({
            name: secrets.name,
            hosts: secrets.hosts,
            agents: secrets.agents,
            methods: secrets.methods,
            sealed: secrets.sealed,
          })
          .from(secrets)
          .where(eq(secrets.tenant, tenant)),
      ]);
      return read.ok ? ok(read.value[0]) : read;
    },
  };
}

function isNamed(tenant: string, name: string) {
  return and(eq(secrets.tenant, tenant), eq(secrets.name, name));
}

function selectSecrets(query: Query) {
  const { id, name, hosts, agents, methods, createdAt, updatedAt } = secrets;
  return query.select({ id, name, hosts, agents, methods, createdAt, updatedAt }).from(secrets);
}

/** A list as a parameter of type text[]; null stays null. */
function toArray(values: readonly string[] | null) {
  return sql.param(values === null ? null : [...values]);
}
