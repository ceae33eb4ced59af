/** The MCP servers of tenants. Secrets are sealed before they arrive here. */
import { and, asc, eq, sql } from "drizzle-orm";
import type { McpServerRecord, McpServerStatus, McpServerTable } from "../../core/ports/mcp-server-table.ts";
import { failed, notSent, ok } from "../../core/base/errors.ts";
import type { McpSettings } from "../../core/mcp/config.ts";
import type { McpToolList, RefusedTool } from "../../core/mcp/tool-list.ts";
import type { McpTool } from "../../core/ports/mcp.ts";
import { insertAuditFrom, insertAudit } from "./audit-log.ts";
import { asTenant, type Connection, type Query } from "./connection.ts";
import { refuseSecondApp } from "./one-name.ts";
import { mcpServers } from "./schema.ts";

const NO_SERVER = notSent("not_found", "There is no such MCP server.");

export function mcpServerTable(connection: Connection): McpServerTable {
  return {
    async all(tenant) {
      const read = await asTenant(connection, tenant, (query) => [
        query.select().from(mcpServers).where(eq(mcpServers.tenant, tenant)).orderBy(asc(mcpServers.name)),
      ]);
      return read.ok ? ok(read.value[0].map(toRecord)) : read;
    },

    async get(tenant, name) {
      const read = await asTenant(connection, tenant, (query) => [selectOne(query, tenant, name)]);
      return read.ok ? first(read.value[0]) : read;
    },

    async access(tenant, name) {
      const { version, settings, sealed, auth, prior } = mcpServers;
      const read = await asTenant(connection, tenant, (query) => [
        query
          .select({ name: mcpServers.name, version, settings, sealed, auth, prior })
          .from(mcpServers)
          .where(isThis(tenant, name)),
      ]);
      if (!read.ok) return read;
      const [row] = read.value[0];
      if (row === undefined) return NO_SERVER;
      return ok({ ...row, settings: JSON.parse(row.settings) as McpSettings, prior: parse<unknown>(row.prior) });
    },

    async put(tenant, { name, settings, sealed, isOther }, act) {
      const at = new Date(act.at).toISOString();
      const kept = isOther ? sql`null` : sql`known.approved`;
      const keptHash = isOther ? sql`null` : sql`known.approved_hash`;
      const keptAuth = isOther ? sql`null` : sql`known.auth`;
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          insert into mcp_servers as known (tenant, name, version, settings, sealed, status, created_at, updated_at)
          values (${tenant}, ${name}, 1, ${JSON.stringify(settings)}, ${sealed}, 'failed', ${at}::timestamptz, ${at}::timestamptz)
          on conflict (tenant, name) do update set version = known.version + 1, settings = excluded.settings,
            sealed = excluded.sealed, status = 'failed', error = null, approved = ${kept}, approved_hash = ${keptHash},
            auth = ${keptAuth}, seen = null, seen_hash = null, refused = null, prior = null, updated_at = excluded.updated_at`),
        insertAudit(query, tenant, act),
        selectOne(query, tenant, name),
      ]);
      if (written.ok) return first(written.value[2]);
      const taken = `The app ${name} is added to this workspace. Choose another name.`;
      return refuseSecondApp(written.error, taken, "name") ?? written;
    },

    async saveCheck(tenant, name, version, { status, error, seen, protocolVersion, prior, at }) {
      const list = seen === null ? {} : { seen: JSON.stringify(seen.tools), seenHash: seen.hash, listChangedAt: null };
      const written = await asTenant(connection, tenant, (query) => [
        query
          .update(mcpServers)
          .set({
            status,
            error,
            checkedAt: at,
            ...list,
            ...(seen === null
              ? {}
              : { refused: JSON.stringify(seen.refused), protocolVersion, prior: JSON.stringify(prior) }),
          })
          .where(and(isThis(tenant, name), eq(mcpServers.version, version)))
          .returning(),
      ]);
      return written.ok ? first(written.value[0]) : written;
    },

    async approve(tenant, name, hash, act) {
      const isSeen = and(isThis(tenant, name), eq(mcpServers.seenHash, hash));
      const written = await asTenant(connection, tenant, (query) => [
        query
          .update(mcpServers)
          .set({ approved: sql`${mcpServers.seen}`, approvedHash: hash })
          .where(isSeen)
          .returning(),
        ...(act === null
          ? []
          : [
              query.execute(
                sql`${insertAuditFrom(tenant, act)} from mcp_servers where tenant = ${tenant} and name = ${name} and seen_hash = ${hash}`,
              ),
            ]),
        selectOne(query, tenant, name),
      ]);
      if (!written.ok) return written;
      const [approved] = written.value;
      const [row] = written.value.at(-1) as Row[];
      if (row === undefined) return NO_SERVER;
      if (approved.length > 0) return ok(toRecord(row));
      return failed("conflict", "The server's tools have changed. Read them again before you approve them.", {
        field: "hash",
      });
    },

    async saveAuth(tenant, name, auth, before) {
      const isSame = before === undefined ? sql`true` : sql`${mcpServers.auth} is not distinct from ${before}::text`;
      const written = await asTenant(connection, tenant, (query) => [
        query
          .update(mcpServers)
          .set({ auth, refreshLeaseUntil: null })
          .where(and(isThis(tenant, name), isSame))
          .returning({ name: mcpServers.name }),
      ]);
      return written.ok ? ok(written.value[0].length > 0) : written;
    },

    async leaseAuth(tenant, name, auth, ms) {
      const leased = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          update mcp_servers set refresh_lease_until = clock_timestamp() + ${ms}::float8 * interval '1 millisecond'
          where ${and(isThis(tenant, name), eq(mcpServers.auth, auth))}
            and (refresh_lease_until is null or refresh_lease_until <= clock_timestamp())`),
      ]);
      return leased.ok ? ok(leased.value[0].rowCount > 0) : leased;
    },

    async endLease(tenant, name, auth) {
      const ended = await asTenant(connection, tenant, (query) => [
        query
          .update(mcpServers)
          .set({ refreshLeaseUntil: null })
          .where(and(isThis(tenant, name), eq(mcpServers.auth, auth))),
      ]);
      return ended.ok ? ok(undefined) : ended;
    },

    async noteListChanged(tenant, name, at) {
      const written = await asTenant(connection, tenant, (query) => [
        query.update(mcpServers).set({ listChangedAt: at }).where(isThis(tenant, name)),
      ]);
      return written.ok ? ok(undefined) : written;
    },

    async remove(tenant, name, act) {
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(
          sql`${insertAuditFrom(tenant, act)} from mcp_servers where tenant = ${tenant} and name = ${name}`,
        ),
        query.delete(mcpServers).where(isThis(tenant, name)).returning({ name: mcpServers.name }),
      ]);
      if (!written.ok) return written;
      return written.value[1].length > 0 ? ok(undefined) : NO_SERVER;
    },
  };
}

type Row = typeof mcpServers.$inferSelect;

function isThis(tenant: string, name: string) {
  return and(eq(mcpServers.tenant, tenant), eq(mcpServers.name, name));
}

function selectOne(query: Query, tenant: string, name: string) {
  return query.select().from(mcpServers).where(isThis(tenant, name));
}

function first([row]: readonly Row[]) {
  return row === undefined ? NO_SERVER : ok(toRecord(row));
}

function toRecord(row: Row): McpServerRecord {
  const { name, version, error, protocolVersion, checkedAt, listChangedAt, createdAt, updatedAt } = row;
  return {
    name,
    version,
    settings: JSON.parse(row.settings) as McpSettings,
    status: row.status as McpServerStatus,
    error,
    approved: toToolList(row.approved, row.approvedHash),
    seen: toToolList(row.seen, row.seenHash),
    refused: parse<readonly RefusedTool[]>(row.refused) ?? [],
    protocolVersion,
    checkedAt,
    listChangedAt,
    createdAt,
    updatedAt,
  };
}

function toToolList(tools: string | null, hash: string | null): McpToolList | null {
  return tools === null || hash === null ? null : { tools: JSON.parse(tools) as readonly McpTool[], hash };
}

function parse<T>(text: string | null): T | null {
  return text === null ? null : (JSON.parse(text) as T);
}
