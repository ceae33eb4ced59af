/** The tenants' own keys of the catalogue's provider. */
import { and, eq, sql } from "drizzle-orm";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import type {
  OpenedProviderKey,
  ProviderKey,
  ProviderKeyTable,
  ProviderKeyTenants,
} from "../../core/ports/provider-keys.ts";
import type { RowSeal, SealedPlace } from "../../core/ports/sealed-values.ts";
import { insertAuditFrom } from "./audit-log.ts";
import { asTenant, callDirectory, type Connection, type Query } from "./connection.ts";
import { providerKeys as rows } from "./schema.ts";

const PROVIDER = "composio";
const PLACE: SealedPlace = { column: "provider_keys.sealed", id: PROVIDER };
const LOST = failed("conflict", "The key was removed while it was stored. Save it again.");

export function providerKeyTable(connection: Connection, tenant: string, seal: RowSeal): ProviderKeyTable {
  const isThis = and(eq(rows.tenant, tenant), eq(rows.provider, PROVIDER));
  return {
    async find() {
      const read = await asTenant(connection, tenant, (query) => [selectKeys(query).where(isThis)]);
      if (!read.ok) return read;
      const [row] = read.value[0];
      return ok(row === undefined ? null : await openRow(seal, row));
    },

    async put({ id, value }, act) {
      const sealed = await seal.seal(PLACE, value);
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          with done as (
            insert into provider_keys (tenant, provider, id, sealed, created_at)
            values (${tenant}, ${PROVIDER}, ${id}, ${sealed}, now())
            on conflict (tenant, provider) do update
              set id = excluded.id, sealed = excluded.sealed, created_at = excluded.created_at, refused_at = null
            returning id
          )
          ${insertAuditFrom(tenant, act)} from done`),
        selectKeys(query).where(isThis),
      ]);
      return written.ok ? toFirst(written.value[1]) : written;
    },

    async remove(act) {
      const removed = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          with gone as (delete from provider_keys where ${isThis} returning id)
          ${insertAuditFrom(tenant, act)} from gone`),
      ]);
      return removed.ok ? ok(removed.value[0].rowCount > 0) : removed;
    },

    async markRefused(id) {
      const written = await asTenant(connection, tenant, (query) => [
        query
          .update(rows)
          .set({ refusedAt: sql`now()` })
          .where(and(isThis, eq(rows.id, id))),
      ]);
      return written.ok ? ok(undefined) : written;
    },
  };
}

export function providerKeyTenants(connection: Connection): ProviderKeyTenants {
  return {
    async first() {
      const read = await callDirectory(connection, sql`select tenant from otto_first_provider_key(${PROVIDER}::text)`);
      if (!read.ok) return read;
      const tenant = read.value[0]?.["tenant"];
      return ok(typeof tenant === "string" ? tenant : null);
    },
  };
}

function selectKeys(query: Query) {
  const { id, sealed, createdAt, refusedAt } = rows;
  return query.select({ id, sealed, createdAt, refusedAt }).from(rows);
}

type Row = Awaited<ReturnType<typeof selectKeys>>[number];

async function openRow(seal: RowSeal, { sealed, ...row }: Row): Promise<OpenedProviderKey> {
  const value = await seal.open(PLACE, sealed);
  return { ...row, value: typeof value === "string" ? value : null };
}

function toFirst([row]: readonly Row[]): Result<ProviderKey> {
  if (row === undefined) return LOST;
  const { id, createdAt, refusedAt } = row;
  return ok({ id, createdAt, refusedAt });
}
