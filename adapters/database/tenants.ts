/** Tenants. Each sees its own row; the operator's list and the purge use database functions across tenants. */
import { and, eq, isNull, sql } from "drizzle-orm";
import { OPERATOR_TENANT } from "../../core/ports/audit.ts";
import type { Tenant, TenantTable } from "../../core/ports/tenant-table.ts";
import { failed, ok } from "../../core/base/errors.ts";
import { cutPage } from "../../core/base/page-cursor.ts";
import { insertAudit } from "./audit-log.ts";
import { asTenant, callDirectory, type Connection, setTenant } from "./connection.ts";
import { insertKey } from "./keys.ts";
import { insertPerson } from "./people.ts";
import { tenants } from "./schema.ts";

const NO_TENANT = failed("not_found", "There is no such tenant.");
const COLUMNS = { id: tenants.id, name: tenants.name, createdAt: tenants.createdAt };

export function tenantTable(connection: Connection): TenantTable {
  return {
    async create(tenant, firstKey, act, first) {
      const written = await asTenant(connection, tenant.id, (query) => [
        query
          .insert(tenants)
          .values({ ...tenant })
          .onConflictDoNothing(),
        ...(first === undefined ? [] : [insertPerson(query, tenant.id, first.person, first.act)]),
        insertKey(query, firstKey),
        query.execute(setTenant(OPERATOR_TENANT)),
        insertAudit(query, OPERATOR_TENANT, act),
      ]);
      return written.ok ? ok(undefined) : written;
    },

    async get(id) {
      const read = await asTenant(connection, id, (query) => [
        query
          .select(COLUMNS)
          .from(tenants)
          .where(and(eq(tenants.id, id), isNull(tenants.erasedAt))),
      ]);
      if (!read.ok) return read;
      const [found] = read.value[0];
      return found === undefined ? NO_TENANT : ok(found);
    },

    async page({ after, limit }) {
      const at = after === null ? null : new Date(after.at).toISOString();
      const read = await callDirectory(
        connection,
        sql`select id, name, created_at from otto_tenants(${at}::timestamptz, ${after?.id ?? null}::text, ${limit + 1}::int)`,
      );
      if (!read.ok) return read;
      const rows = read.value.map((row): Tenant => {
        return { id: String(row["id"]), name: String(row["name"]), createdAt: Date.parse(String(row["created_at"])) };
      });
      return ok(cutPage(rows, limit, ({ id, createdAt }) => ({ at: createdAt, id })));
    },

    async erase(id, act) {
      const found = await this.get(id);
      if (!found.ok) return found;
      const erased = and(eq(tenants.id, id), isNull(tenants.erasedAt));
      const written = await asTenant(connection, id, (query) => [
        query.update(tenants).set({ erasedAt: act.at }).where(erased),
        query.execute(setTenant(OPERATOR_TENANT)),
        insertAudit(query, OPERATOR_TENANT, act),
      ]);
      return written.ok ? found : written;
    },

    async listErased(limit) {
      const read = await callDirectory(connection, sql`select id from otto_erased_tenants(${limit}::int)`);
      return read.ok ? ok(read.value.map((row) => String(row["id"]))) : read;
    },

    async purge(id) {
      const purged = await callDirectory(connection, sql`select otto_purge_tenant(${id})`);
      return purged.ok ? ok(undefined) : purged;
    },
  };
}
