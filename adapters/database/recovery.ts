/** What the rebuild of a tenant's index reads and writes: its row, its keys, and counts of its other rows. */
import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import { ok } from "../../core/base/errors.ts";
import { type Counted, isLossKind, type Inventory, type Lost } from "../../core/tenant/recovery.ts";
import type { RecoveryTable } from "../../core/ports/recovery-table.ts";
import { asTenant, callDirectory, type Connection } from "./connection.ts";
import { toKeyRow } from "./keys.ts";
import { keys, projects } from "./schema.ts";

/** The counted tables and conditions, by kind. */
const COUNTS: Readonly<Record<Counted, SQL>> = {
  agents: sql`agents where tenant = `,
  people: sql`people where tenant = `,
  secrets: sql`secrets where tenant = `,
  memories: sql`memories where tenant = `,
  skills: sql`skills where tenant = `,
  tools: sql`tool_sources where hash is not null and name <> 'skills' and name not like 'mcp:%' and name not like 'app:%' and tenant = `,
  mcp_servers: sql`mcp_servers where tenant = `,
  webhooks: sql`endpoints where tenant = `,
  incoming_webhooks: sql`hooks where tenant = `,
  slack_workspaces: sql`slack_installs where status = 'active' and tenant = `,
  connections: sql`entity_connections where consent > 0 and status <> 'revoked' and tenant = `,
  keys: sql`keys where revoked_at is null and tenant = `,
  projects: sql`projects where tenant = `,
};

export function recoveryTable(connection: Connection): RecoveryTable {
  return {
    async read(tenant) {
      const counts = Object.entries(COUNTS).map(
        ([kind, from]) => sql`(select count(*)::int from ${from}${tenant}) as ${sql.identifier(kind)}`,
      );
      const read = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          select name, counter::text as counter, erased_at is not null as is_erased, ${sql.join(counts, sql`, `)}
          from tenants where id = ${tenant}`),
      ]);
      if (!read.ok) return read;
      const [row] = read.value[0].rows;
      if (row === undefined) return ok(null);
      const inventory = Object.fromEntries(Object.keys(COUNTS).map((kind) => [kind, Number(row[kind])]));
      return ok({
        name: String(row["name"]),
        counter: Number(row["counter"]),
        isErased: row["is_erased"] === true,
        inventory: inventory as Inventory,
      });
    },

    async restoreTenant({ id, name, createdAt }, counter) {
      const written = await asTenant(connection, id, (query) => [
        query.execute(sql`
          insert into tenants (id, name, created_at, counter)
          values (${id}, ${name}, ${new Date(createdAt).toISOString()}::timestamptz, ${counter})
          on conflict (id) do update set counter = greatest(tenants.counter, excluded.counter)
          where tenants.erased_at is null`),
      ]);
      return written.ok ? ok(undefined) : written;
    },

    async restoreKeys(tenant, stored) {
      if (stored.length === 0) return ok({ created: 0, refused: [] });
      const ids = stored.map(({ key }) => key.id);
      const written = await asTenant(connection, tenant, (query) => [
        query.insert(keys).values(stored.map(toKeyRow)).onConflictDoNothing().returning({ id: keys.id }),
        query
          .select({ id: keys.id })
          .from(keys)
          .where(and(eq(keys.tenant, tenant), inArray(keys.id, ids))),
      ]);
      if (!written.ok) return written;
      const [created, present] = written.value;
      const found = new Set(present.map(({ id }) => id));
      return ok({ created: created.length, refused: ids.filter((id) => !found.has(id)) });
    },

    async restoreRevoked(tenant, revoked) {
      if (revoked.length === 0) return ok(undefined);
      const rows = revoked.map(({ id, at }) => ({ id, at: new Date(at).toISOString() }));
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          update keys set revoked_at = r.at
          from json_to_recordset(${JSON.stringify(rows)}::json) as r (id text, at timestamptz)
          where keys.tenant = ${tenant} and keys.id = r.id and keys.revoked_at is null`),
      ]);
      return written.ok ? ok(undefined) : written;
    },

    async restoreProjects(tenant, names, at) {
      if (names.length === 0) return ok(undefined);
      const rows = names.map((name) => ({ tenant, name, createdAt: at }));
      const written = await asTenant(connection, tenant, (query) => [
        query.insert(projects).values(rows).onConflictDoNothing(),
      ]);
      return written.ok ? ok(undefined) : written;
    },

    async note(tenant, { phase, lost, startedAt }) {
      const note = JSON.stringify({ state: phase === "done" ? "done" : "running", at: startedAt, lost });
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`update tenants set reindex = ${note}::jsonb where id = ${tenant} and erased_at is null`),
      ]);
      return written.ok ? ok(undefined) : written;
    },

    async summary(since) {
      const read = await callDirectory(
        connection,
        sql`select what, amount::text as amount from otto_reindexes(${since}::bigint)`,
      );
      if (!read.ok) return read;
      const amounts = new Map(read.value.map((row) => [String(row["what"]), Number(row["amount"])]));
      const lost: Lost = Object.fromEntries([...amounts].filter(([what]) => isLossKind(what)));
      return ok({ running: amounts.get("running") ?? 0, lost });
    },
  };
}
