/** Agents and their versions. A version stores its configuration as the JSON that was validated. */
import { and, desc, eq, inArray, isNull, lt, or, sql } from "drizzle-orm";
import { storable } from "../../core/base/storable.ts";
import type { AgentConfig } from "../../core/agents/agent.ts";
import type { Agent, AgentTable } from "../../core/ports/agent-table.ts";
import { type Failure, failed, ok } from "../../core/base/errors.ts";
import { cutPage } from "../../core/base/page-cursor.ts";
import { insertAuditFrom, insertAudit } from "./audit-log.ts";
import { asTenant, type Connection, type Query } from "./connection.ts";
import { isBefore } from "./list-order.ts";
import { agents, agentVersions } from "./schema.ts";

const NO_AGENT = failed("not_found", "There is no such agent.");

export function agentTable(connection: Connection): AgentTable {
  return {
    async create(tenant, { id, config }, act) {
      const stamped = { tenant, version: 1, createdAt: act.at };
      const written = await asTenant(connection, tenant, (query) => [
        query
          .insert(agents)
          .values({ ...stamped, id, name: config.name, updatedAt: act.at })
          .onConflictDoNothing({ target: [agents.tenant, agents.id] }),
        query
          .insert(agentVersions)
          .values({ ...stamped, agent: id, config: JSON.stringify(config) })
          .onConflictDoNothing(),
        insertAudit(query, tenant, act),
        selectLatest(query).where(and(eq(agents.tenant, tenant), eq(agents.id, id))),
      ]);
      if (!written.ok) return { ok: false, error: nameTaken(written.error, config.name) };
      const [made] = written.value[3];
      return made === undefined ? NO_AGENT : ok(toAgent(made));
    },

    async get(tenant, idOrName) {
      // No agent has such a name, and Postgres would reject the query.
      if (storable(idOrName) !== idOrName) return NO_AGENT;
      const isThis = or(eq(agents.id, idOrName), and(eq(agents.name, idOrName), isNull(agents.archivedAt)));
      const read = await asTenant(connection, tenant, (query) => [
        selectLatest(query).where(and(eq(agents.tenant, tenant), isThis)),
      ]);
      if (!read.ok) return read;
      // A name can look like another agent's id; the id takes precedence.
      const found = read.value[0].find((row) => row.id === idOrName) ?? read.value[0][0];
      return found === undefined ? NO_AGENT : ok(toAgent(found));
    },

    async page(tenant, { after, limit }) {
      const read = await asTenant(connection, tenant, (query) => [
        selectLatest(query)
          .where(
            and(eq(agents.tenant, tenant), isNull(agents.archivedAt), isBefore(agents.createdAt, agents.id, after)),
          )
          .orderBy(desc(agents.createdAt), desc(agents.id))
          .limit(limit + 1),
      ]);
      if (!read.ok) return read;
      return ok(cutPage(read.value[0].map(toAgent), limit, ({ id, createdAt }) => ({ at: createdAt, id })));
    },

    async names(tenant, ids) {
      const read = await asTenant(connection, tenant, (query) => [
        query
          .select({ id: agents.id, name: agents.name })
          .from(agents)
          .where(and(eq(agents.tenant, tenant), isNull(agents.archivedAt), inArray(agents.id, [...ids]))),
      ]);
      return read.ok ? ok(new Map(read.value[0].map(({ id, name }) => [id, name]))) : read;
    },

    async versions(tenant, id, { after, limit }) {
      const older = after === null ? undefined : lt(agentVersions.version, after.at);
      const read = await asTenant(connection, tenant, (query) => [
        query
          .select()
          .from(agentVersions)
          .where(and(eq(agentVersions.tenant, tenant), eq(agentVersions.agent, id), older))
          .orderBy(desc(agentVersions.version))
          .limit(limit + 1),
        query
          .select({ id: agents.id })
          .from(agents)
          .where(and(eq(agents.tenant, tenant), eq(agents.id, id))),
      ]);
      if (!read.ok) return read;
      const [rows, [agent]] = read.value;
      if (agent === undefined) return NO_AGENT;
      const versions = rows.map(({ version, config, createdAt }) => {
        return { id, version, config: JSON.parse(config) as AgentConfig, createdAt };
      });
      return ok(cutPage(versions, limit, ({ version }) => ({ at: version, id })));
    },

    async update(tenant, { id, config, ifVersion }, act) {
      const isThis = and(eq(agents.tenant, tenant), eq(agents.id, id));
      const at = new Date(act.at).toISOString();
      const text = JSON.stringify(config);
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          with changed as (
            update agents set version = version + 1, name = ${config.name}, updated_at = ${at}::timestamptz
            where ${isThis} and archived_at is null and (${ifVersion}::int is null or version = ${ifVersion}::int)
              and not exists (
                select from agent_versions as latest
                where latest.tenant = agents.tenant and latest.agent = agents.id
                  and latest.version = agents.version and latest.config = ${text}::text
              )
            returning version
          ), versioned as (
            insert into agent_versions (tenant, agent, version, config, created_at)
            select ${tenant}::text, ${id}::text, version, ${text}::text, ${at}::timestamptz from changed
          )
          ${insertAuditFrom(tenant, act)} from changed`),
        selectLatest(query).where(isThis),
      ]);
      if (!written.ok) return { ok: false, error: nameTaken(written.error, config.name) };
      const [changed, [found]] = written.value;
      if (found === undefined || found.archivedAt !== null) return NO_AGENT;
      // Nothing changed: another version is current, or it has this configuration already.
      if (changed.rowCount > 0 || ifVersion === null || ifVersion === found.version) return ok(toAgent(found));
      return failed("conflict", `The agent is at version ${found.version} now. Read it again before you change it.`, {
        field: "If-Match",
      });
    },

    async archive(tenant, id, act) {
      const isThis = and(eq(agents.tenant, tenant), eq(agents.id, id));
      const at = new Date(act.at).toISOString();
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          with archived as (
            update agents set archived_at = ${at}::timestamptz where ${isThis} and archived_at is null returning id
          )
          ${insertAuditFrom(tenant, act)} from archived`),
        selectLatest(query).where(isThis),
      ]);
      if (!written.ok) return written;
      const [archived, [found]] = written.value;
      return archived.rowCount === 0 || found === undefined ? NO_AGENT : ok(toAgent(found));
    },
  };
}

function selectLatest(query: Query) {
  const latest = and(
    eq(agentVersions.tenant, agents.tenant),
    eq(agentVersions.agent, agents.id),
    eq(agentVersions.version, agents.version),
  );
  const { id, version, createdAt, updatedAt, archivedAt } = agents;
  return query
    .select({ id, version, createdAt, updatedAt, archivedAt, config: agentVersions.config })
    .from(agents)
    .innerJoin(agentVersions, latest);
}

function toAgent(row: Omit<Agent, "config"> & { readonly config: string }): Agent {
  return { ...row, config: JSON.parse(row.config) as AgentConfig };
}

function nameTaken(error: Failure, name: string): Failure {
  if (error.code !== "conflict") return error;
  return failed("conflict", `An agent with the name ${name} already exists. Choose another.`, { field: "name" }).error;
}
