/** The apps that tenants added, and what their agents may use of them. */
import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import type { AppAssignment } from "../../core/apps/workspace/access.ts";
import {
  type ActionOverride,
  type AppConfiguration,
  formatConfiguration,
  listOverrides,
  MAX_WORKSPACE_APPS,
  parseConfiguration,
  type WorkspaceApp,
} from "../../core/apps/workspace/workspace.ts";
import { failed, ok, type Result } from "../../core/base/errors.ts";
import type { AppRights } from "../../core/ports/app-rights.ts";
import type { AgentAppSettings, WorkspaceAppChange, WorkspaceAppTable } from "../../core/ports/workspace-app-table.ts";
import { insertAudit, insertAuditFrom } from "./audit-log.ts";
import { asTenant, callDirectory, type Connection, type Query } from "./connection.ts";
import { refuseSecondApp } from "./one-name.ts";
import { workspaceToolConfig as rows } from "./schema.ts";

export function workspaceAppTable(connection: Connection): WorkspaceAppTable {
  return {
    async all(tenant) {
      const read = await asTenant(connection, tenant, (query) => [
        selectApps(query).where(isAdded(tenant)).orderBy(asc(rows.toolId)),
      ]);
      return read.ok ? ok(read.value[0].map(toApp)) : read;
    },

    async find(tenant, app) {
      const read = await asTenant(connection, tenant, (query) => [selectThis(query, tenant, app)]);
      return read.ok ? ok(toFirst(read.value[0])) : read;
    },

    async put(tenant, change, act) {
      const { app, before } = change;
      const write = before === null ? insertApp(tenant, change) : updateApp(tenant, change, before);
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`with put as (${write}) ${insertAuditFrom(tenant, act)} from put`),
        selectThis(query, tenant, app),
      ]);
      if (!written.ok) {
        const taken = `An import or an MCP server has the name ${app}. Remove it first.`;
        return refuseSecondApp(written.error, taken, "app_name") ?? written;
      }
      const [{ rowCount }, found] = written.value;
      const present = toFirst(found);
      if (rowCount > 0 && present !== null) return ok(present);
      if (present !== null)
        return failed("conflict", `${app} was changed meanwhile. Read it again before you change it.`);
      return before === null ? FULL : failed("not_found", `${app} is not added to this workspace.`);
    },

    async remove(tenant, app, act) {
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          with removed as (delete from workspace_tool_config where tenant = ${tenant} and tool_id = ${app} returning tool_id)
          ${insertAuditFrom(tenant, act)} from removed`),
      ]);
      return written.ok ? ok(written.value[0].rowCount > 0) : written;
    },

    async rights(tenant, agent) {
      const read = await asTenant(connection, tenant, (query) => [query.execute(selectRights(tenant, agent))]);
      return read.ok ? toRights(read.value[0].rows[0]) : read;
    },

    async setAgent(tenant, agent, settings, act) {
      const written = await asTenant(connection, tenant, (query) => [
        // Two changes at the same time are made one after the other, so that no row of the first is left.
        query.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`agent_apps ${tenant} ${agent}`}, 0))`),
        query.execute(sql`delete from agent_app_assignments where tenant = ${tenant} and agent = ${agent}`),
        query.execute(sql`delete from agent_tool_permissions where tenant = ${tenant} and agent = ${agent}`),
        query.execute(insertAssignments(tenant, agent, settings)),
        query.execute(insertPermissions(tenant, agent, settings)),
        insertAudit(query, tenant, act),
      ]);
      return written.ok ? ok(undefined) : written;
    },

    async toFollow(version, limit) {
      const read = await callDirectory(
        connection,
        sql`select tenant, app from otto_apps_to_follow(${version}::text, ${limit}::int)`,
      );
      return read.ok ? ok(read.value.map(({ tenant, app }) => ({ tenant: String(tenant), app: String(app) }))) : read;
    },

    async markFollowed({ tenant, app }, version) {
      const written = await asTenant(connection, tenant, (query) => [
        query
          .update(rows)
          .set({ followed: version })
          .where(and(eq(rows.tenant, tenant), eq(rows.toolId, app))),
      ]);
      return written.ok ? ok(undefined) : written;
    },
  };
}

const FULL = failed("quota_exceeded", `A tenant has at most ${MAX_WORKSPACE_APPS} apps. Remove one first.`);

function isAdded(tenant: string) {
  return and(eq(rows.tenant, tenant), eq(rows.enabled, true));
}

function selectApps(query: Query) {
  return query.select().from(rows);
}

function selectThis(query: Query, tenant: string, app: string) {
  return selectApps(query).where(and(isAdded(tenant), eq(rows.toolId, app)));
}

function insertApp(tenant: string, { app, after }: WorkspaceAppChange): SQL {
  return sql`
    insert into workspace_tool_config (tenant, tool_id, enabled, configuration, version, created_at, updated_at)
    select ${tenant}::text, ${app}::text, true, ${formatConfiguration(after)}::text, 1, now(), now()
    where (select count(*) from workspace_tool_config where tenant = ${tenant}) < ${MAX_WORKSPACE_APPS}::int
    on conflict do nothing returning version`;
}

function updateApp(tenant: string, { app, after }: WorkspaceAppChange, before: AppConfiguration): SQL {
  return sql`
    update workspace_tool_config
    set configuration = ${formatConfiguration(after)}::text, version = version + 1, followed = null, updated_at = now()
    where tenant = ${tenant} and tool_id = ${app} and enabled and configuration = ${formatConfiguration(before)}::text
    returning version`;
}

/** One statement, so that what it says is of one moment. */
function selectRights(tenant: string, agent: string): SQL {
  const ofAgent = sql`tenant = ${tenant} and agent = ${agent}`;
  return sql`
    select
      (select coalesce(json_agg(json_build_object(
          'app', app_name, 'isActive', is_active, 'level', level, 'actions', actions) order by app_name), '[]')::text
        from agent_app_assignments where ${ofAgent}) as assignments,
      (select coalesce(json_agg(json_build_array(tool, is_active) order by tool), '[]')::text
        from agent_tool_permissions where ${ofAgent}) as permissions,
      (select coalesce(json_agg(json_build_array(tool_id, configuration::json -> 'enabled_actions') order by tool_id), '[]')::text
        from workspace_tool_config where tenant = ${tenant} and enabled) as added,
      (select coalesce(json_agg(json_build_array(given.key, given.value, known.schema_hash, known.destructive)), '[]')::text
        from workspace_tool_config as config
          cross join lateral json_each(config.configuration::json -> 'overrides') as given
          left join composio_actions_cache as known on known.action_name = given.key and known.status = 'active'
        where config.tenant = ${tenant} and config.enabled) as overrides`;
}

function toRights(row: Record<string, unknown> | undefined): Result<AppRights> {
  const { assignments, permissions, added, overrides } = row as unknown as Readonly<Record<keyof AppRights, string>>;
  const apps = JSON.parse(added) as [string, string[]][];
  const given = JSON.parse(overrides) as [string, ActionOverride, string | null, boolean | null][];
  const known = new Map(
    given.map(([action, , hash, destroys]) => [action, { schemaHash: hash ?? "", isDestructive: destroys === true }]),
  );
  const set = { overrides: Object.fromEntries(given.map(([action, override]) => [action, override])) };
  return ok({
    assignments: JSON.parse(assignments) as AppAssignment[],
    permissions: new Map(JSON.parse(permissions) as [string, boolean][]),
    added: new Map(apps.map(([app, actions]) => [app, new Set(actions)])),
    overrides: new Map(listOverrides(set, (action) => known.get(action))),
  });
}

function insertAssignments(tenant: string, agent: string, { assignments }: AgentAppSettings): SQL {
  return sql`
    insert into agent_app_assignments (tenant, agent, app_name, is_active, level, actions, updated_at)
    select ${tenant}::text, ${agent}::text, given ->> 'app', (given ->> 'isActive')::boolean, given ->> 'level',
      array(select json_array_elements_text(given -> 'actions')), now()
    from json_array_elements(${JSON.stringify(assignments)}::json) as given`;
}

function insertPermissions(tenant: string, agent: string, { permissions }: AgentAppSettings): SQL {
  return sql`
    insert into agent_tool_permissions (tenant, agent, tool, is_active, updated_at)
    select ${tenant}::text, ${agent}::text, given ->> 0, (given ->> 1)::boolean, now()
    from json_array_elements(${JSON.stringify([...permissions])}::json) as given`;
}

function toApp(row: typeof rows.$inferSelect): WorkspaceApp {
  const { toolId: app, configuration, version, createdAt, updatedAt } = row;
  return { app, configuration: parseConfiguration(configuration), version, createdAt, updatedAt };
}

function toFirst([row]: readonly (typeof rows.$inferSelect)[]): WorkspaceApp | null {
  return row === undefined ? null : toApp(row);
}
