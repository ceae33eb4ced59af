/** Databases that a tenant's agents may query. Their addresses are stored sealed. */
import { and, asc, desc, eq, inArray, sql, type SQL } from "drizzle-orm";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { cutPage } from "../../core/base/page-cursor.ts";
import {
  type DatabaseCheck,
  databaseCheckSchema,
  DATABASE_STATUSES,
  databaseSettingsSchema,
} from "../../core/databases/database.ts";
import { getHost } from "../../core/databases/dsn.ts";
import { MAX_DATABASES } from "../../core/databases/limits.ts";
import type { RowSeal, SealedPlace } from "../../core/ports/sealed-values.ts";
import type { TenantDatabase, TenantDatabaseTable } from "../../core/ports/tenant-database-table.ts";
import { insertAuditFrom } from "./audit-log.ts";
import { asTenant, type Connection, type Query } from "./connection.ts";
import { isBefore } from "./list-order.ts";
import { databases as rows } from "./tenant-database-schema.ts";

const NO_DATABASE = failed("not_found", "There is no such database.");
const CHANGED = failed("conflict", "The database was changed meanwhile. Read it and try again.");

export function tenantDatabaseTable(connection: Connection, tenant: string, seal: RowSeal): TenantDatabaseTable {
  const isNamed = (name: string) => and(eq(rows.tenant, tenant), eq(sql`lower(${rows.name})`, name.toLowerCase()));
  const isVersion = (id: string, version: number) =>
    and(eq(rows.tenant, tenant), eq(rows.id, id), eq(rows.version, version));

  /** Reads the row after a change; without a row that changed, `missing`. */
  async function write(changed: SQL, id: string): Promise<Result<TenantDatabase>> {
    const written = await asTenant(connection, tenant, (query) => [
      query.execute(changed),
      selectRows(query).where(and(eq(rows.tenant, tenant), eq(rows.id, id))),
    ]);
    if (!written.ok) return written;
    const [[found], { rowCount }] = [written.value[1], written.value[0]];
    if (found === undefined) return NO_DATABASE;
    return rowCount === 0 ? CHANGED : ok(toDatabase(found));
  }

  return {
    async create({ id, name, kind, settings, dsn, agents, projects, people }, act) {
      const at = new Date(act.at).toISOString();
      const sealed = await seal.seal(toPlace(id), dsn);
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          with made as (
            insert into databases (tenant, id, name, kind, settings, sealed, agents, projects, people, status, version, created_at, updated_at)
            select ${tenant}::text, ${id}::text, ${name}::text, ${kind}::text, ${JSON.stringify(settings)}::text, ${sealed}::text,
              ${toArray(agents)}::text[], ${toArray(projects)}::text[], ${toArray(people)}::text[], 'unchecked', 1,
              ${at}::timestamptz, ${at}::timestamptz
            where (select count(*) from databases where tenant = ${tenant}) < ${MAX_DATABASES}
            on conflict do nothing
            returning id
          )
          ${insertAuditFrom(tenant, act)} from made`),
        selectRows(query).where(isNamed(name)),
      ]);
      if (!written.ok) return written;
      const [kept] = written.value[1];
      if (kept?.id === id) return ok(toDatabase(kept));
      if (kept !== undefined)
        return failed("conflict", `A database named ${name} already exists. Change it by PATCH.`, { field: "name" });
      return failed("quota_exceeded", `A tenant has at most ${MAX_DATABASES} databases. Delete one first.`);
    },

    async get(name) {
      const read = await asTenant(connection, tenant, (query) => [selectRows(query).where(isNamed(name))]);
      if (!read.ok) return read;
      const [found] = read.value[0];
      return found === undefined ? NO_DATABASE : ok(toDatabase(found));
    },

    async page({ after, limit }) {
      const read = await asTenant(connection, tenant, (query) => [
        selectRows(query)
          .where(and(eq(rows.tenant, tenant), isBefore(rows.createdAt, rows.id, after)))
          .orderBy(desc(rows.createdAt), desc(rows.id))
          .limit(limit + 1),
      ]);
      if (!read.ok) return read;
      const found = read.value[0].map(toDatabase);
      return ok(cutPage(found, limit, ({ id, createdAt }) => ({ at: createdAt, id })));
    },

    async all() {
      const read = await asTenant(connection, tenant, (query) => [
        selectRows(query).where(eq(rows.tenant, tenant)).orderBy(asc(rows.name)).limit(MAX_DATABASES),
      ]);
      return read.ok ? ok(read.value[0].map(toDatabase)) : read;
    },

    async openDsn(id, version) {
      const read = await asTenant(connection, tenant, (query) => [
        query.select({ sealed: rows.sealed }).from(rows).where(isVersion(id, version)),
      ]);
      if (!read.ok) return read;
      const [found] = read.value[0];
      if (found === undefined) return NO_DATABASE;
      const dsn = await seal.open(toPlace(id), found.sealed);
      return ok(typeof dsn === "string" ? dsn : null);
    },

    async hosts(ids) {
      const read = await asTenant(connection, tenant, (query) => [
        query
          .select({ id: rows.id, sealed: rows.sealed })
          .from(rows)
          .where(and(eq(rows.tenant, tenant), inArray(rows.id, [...ids]))),
      ]);
      if (!read.ok) return read;
      const hosts = new Map<string, string>();
      for (const { id, sealed } of read.value[0]) {
        const dsn = await seal.open(toPlace(id), sealed);
        const host = typeof dsn === "string" ? getHost(dsn) : null;
        if (host !== null) hosts.set(id, host);
      }
      return ok(hosts);
    },

    async update({ id, ifVersion, settings, dsn, agents, projects, people, status, check }, act) {
      const at = new Date(act.at).toISOString();
      const sealed = dsn === null ? null : await seal.seal(toPlace(id), dsn);
      return await write(
        sql`
          with changed as (
            update databases
            set settings = ${JSON.stringify(settings)}::text, sealed = coalesce(${sealed}::text, sealed), agents = ${toArray(agents)}::text[],
              projects = ${toArray(projects)}::text[], people = ${toArray(people)}::text[], status = ${status}::text,
              checked = ${toJson(check)}::text, version = version + 1, updated_at = ${at}::timestamptz
            where ${isVersion(id, ifVersion)}
            returning id
          )
          ${insertAuditFrom(tenant, act)} from changed`,
        id,
      );
    },

    async saveCheck({ id, version, status }, check, act) {
      return await write(
        sql`
          with changed as (
            update databases set status = ${status}::text, checked = ${toJson(check)}::text
            where ${isVersion(id, version)}
            returning id
          )
          ${insertAuditFrom(tenant, act)} from changed`,
        id,
      );
    },

    async remove(name, act) {
      const written = await asTenant(connection, tenant, (query) => [
        selectRows(query).where(isNamed(name)),
        query.execute(sql`
          with gone as (delete from databases where ${isNamed(name)} returning id)
          ${insertAuditFrom(tenant, act)} from gone`),
      ]);
      if (!written.ok) return written;
      const [found] = written.value[0];
      return found === undefined ? NO_DATABASE : ok(toDatabase(found));
    },
  };
}

function toPlace(id: string): SealedPlace {
  return { column: "databases.sealed", id };
}

function selectRows(query: Query) {
  const { id, name, kind, settings, agents, projects, people, status, checked, version, createdAt, updatedAt } = rows;
  return query
    .select({ id, name, kind, settings, agents, projects, people, status, checked, version, createdAt, updatedAt })
    .from(rows);
}

type Row = Awaited<ReturnType<typeof selectRows>>[number];

function toDatabase({ kind: _, settings, status, checked, ...row }: Row): TenantDatabase {
  return {
    ...row,
    kind: "postgres",
    settings: databaseSettingsSchema.parse(JSON.parse(settings)),
    // A status that this release does not know does not open the database.
    status: DATABASE_STATUSES.find((known) => known === status) ?? "unchecked",
    check: checked === null ? null : databaseCheckSchema.parse(JSON.parse(checked)),
  };
}

function toJson(check: DatabaseCheck | null): string | null {
  return check === null ? null : JSON.stringify(check);
}

/** A list as a parameter of type text[]; null stays null. */
function toArray(values: readonly string[] | null) {
  return sql.param(values === null ? null : [...values]);
}
