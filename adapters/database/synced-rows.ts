/** The apps and actions that a sync reads from the provider. Each write changes nothing once the sync has ended. */
import { and, asc, gt, type SQL, sql } from "drizzle-orm";
import { ok } from "../../core/base/errors.ts";
import { iso } from "../../core/base/iso.ts";
import { OPERATOR_TENANT } from "../../core/ports/audit.ts";
import type { AppCatalogueTable, ListedApp, StoredAction, SyncScope } from "../../core/ports/app-catalogue-table.ts";
import { composioApps } from "./app-catalogue-schema.ts";
import { asTenant, type Connection } from "./connection.ts";
import { isOpen } from "./sync-jobs.ts";

type SyncedRows = Pick<
  AppCatalogueTable,
  "putApps" | "markScope" | "putActions" | "appsWithTriggers" | "putTriggers" | "countRemoval" | "settle"
>;

export function syncedRows(connection: Connection): SyncedRows {
  /** Runs statements of the operator, which alone may write these rows. */
  const run = async (...statements: readonly SQL[]) =>
    await asTenant(connection, OPERATOR_TENANT, (query) => statements.map((statement) => query.execute(statement)));
  const change = async (...statements: readonly SQL[]) => {
    const written = await run(...statements);
    return written.ok ? ok(undefined) : written;
  };

  return {
    putApps: (job, apps, at) => change(putApps(job, apps, at)),

    async markScope(job, scope) {
      const marked = await run(sql`
        update composio_apps_cache as p set reading = ${job}
        where ${isOpen(job)} and p.status = 'active' and ${isInScope(job, scope)} returning app_name as app`);
      return marked.ok ? ok(namesIn(marked.value[0]?.rows ?? [], "app").toSorted()) : marked;
    },

    async putActions(job, actions, at) {
      const put = await run(putActions(job, actions, at));
      return put.ok ? ok(namesIn(put.value[0]?.rows ?? [], "action")) : put;
    },

    async appsWithTriggers(job, after, limit) {
      const { app, triggerCount } = composioApps;
      const isNext = and(sql`reading = ${job}`, gt(triggerCount, 0), after === null ? undefined : gt(app, after));
      const read = await asTenant(connection, OPERATOR_TENANT, (query) => [
        query.select({ app }).from(composioApps).where(isNext).orderBy(asc(app)).limit(limit),
      ]);
      return read.ok ? ok(read.value[0].map((row) => row.app)) : read;
    },

    putTriggers(job, triggers) {
      const rows = [...triggers].map(([app, list]) => ({ app, triggers: JSON.stringify(list) }));
      return change(sql`
        update composio_apps_cache as p set triggers = t.triggers
        from json_to_recordset(${JSON.stringify(rows)}::json) as t (app text, triggers text)
        where p.app_name = t.app and p.reading = ${job} and ${isOpen(job)}`);
    },

    async countRemoval(job, hasListing) {
      const { removed, before } = { removed: sql`removed`, before: sql`before` };
      const counted = await run(sql`
        select count(*) filter (where a.added_by <> ${job})::int as ${before},
          count(*) filter (where ${isUnread(job)} or ${isUnlisted(job, hasListing)})::int as ${removed}
        from composio_actions_cache a join composio_apps_cache p using (app_name) where a.status = 'active'`);
      if (!counted.ok) return counted;
      const [row] = counted.value[0]?.rows ?? [];
      return ok({ before: Number(row?.["before"] ?? 0), removed: Number(row?.["removed"] ?? 0) });
    },

    settle: (job, { hasListing, at, forgetBefore }) =>
      change(
        sql`
          update composio_apps_cache as p set status = 'removed', removed_at = ${iso(at)}::timestamptz
          where ${isOpen(job)} and p.status = 'active' and ${isUnlisted(job, hasListing)}`,
        sql`
          update composio_actions_cache as a set status = 'removed', removed_at = ${iso(at)}::timestamptz
          from composio_apps_cache p
          where ${isOpen(job)} and a.app_name = p.app_name and a.status = 'active'
            and (${isUnread(job)} or p.status = 'removed')`,
        sql`
          update composio_apps_cache set synced_as = listed_as, compiled = null, reading = null
          where ${isOpen(job)} and reading = ${job}`,
        sql`
          delete from composio_actions_cache
          where ${isOpen(job)} and status = 'removed' and removed_at < ${iso(forgetBefore)}::timestamptz`,
        sql`
          delete from composio_apps_cache as p
          where ${isOpen(job)} and p.status = 'removed' and p.removed_at < ${iso(forgetBefore)}::timestamptz
            and not exists (select from composio_actions_cache a where a.app_name = p.app_name)`,
      ),
  };
}

/** True of an action that the sync should have read, and did not. */
function isUnread(job: string): SQL {
  return sql`(p.reading is not distinct from ${job}::text and a.read_by <> ${job})`;
}

function isUnlisted(job: string, hasListing: boolean): SQL {
  return hasListing ? sql`(p.listed_by <> ${job})` : sql`false`;
}

function isInScope(job: string, scope: SyncScope): SQL {
  switch (scope.kind) {
    case "all":
      return sql`p.listed_by = ${job}`;
    case "changed":
      return sql`p.listed_by = ${job} and p.synced_as is distinct from p.listed_as`;
    case "without_schemas":
      return sql`p.app_name in (
        select app_name from composio_actions_cache where status = 'active' and parameters = '{}'
        group by app_name order by min(updated_at), app_name limit ${scope.limit})`;
  }
}

function namesIn(rows: readonly Record<string, unknown>[], column: string): string[] {
  return rows.map((row) => String(row[column]));
}

/** An app that was removed and is listed again has no actions, so they have to be read again. */
function putApps(job: string, apps: readonly ListedApp[], at: number): SQL {
  return sql`
    insert into composio_apps_cache as p (app_name, display_name, description, logo_url, categories, action_count,
      trigger_count, auth_schemes, managed_schemes, is_open, guide_url, version, provider_updated_at, status, listed_as,
      listed_by, updated_at)
    select a.app, a.title, a.description, a."logoUrl", a.categories, a."actionCount", a."triggerCount", a."authSchemes",
      a."managedSchemes", a."isOpen", a."guideUrl", a.version, a."updatedAt", 'active', a."listedAs", ${job}::text,
      ${iso(at)}::timestamptz
    from json_to_recordset(${JSON.stringify(apps)}::json) as a (app text, title text, description text, "logoUrl" text,
      categories text[], "actionCount" integer, "triggerCount" integer, "authSchemes" text[], "managedSchemes" text[],
      "isOpen" boolean, "guideUrl" text, version text, "updatedAt" text, "listedAs" text)
    where ${isOpen(job)}
    on conflict (app_name) do update set display_name = excluded.display_name, description = excluded.description,
      logo_url = excluded.logo_url, categories = excluded.categories, action_count = excluded.action_count,
      trigger_count = excluded.trigger_count, triggers = case when excluded.trigger_count > 0 then p.triggers else '[]' end,
      auth_schemes = excluded.auth_schemes,
      managed_schemes = excluded.managed_schemes, is_open = excluded.is_open, guide_url = excluded.guide_url,
      version = excluded.version, provider_updated_at = excluded.provider_updated_at, status = 'active', removed_at = null,
      listed_as = excluded.listed_as, synced_as = case when p.status = 'active' then p.synced_as end,
      listed_by = excluded.listed_by, updated_at = excluded.updated_at`;
}

function putActions(job: string, actions: readonly StoredAction[], at: number): SQL {
  const rows = actions.map(({ input, output, ...action }) => ({
    ...action,
    input: JSON.stringify(input),
    output: output === null ? null : JSON.stringify(output),
  }));
  return sql`
    insert into composio_actions_cache as o (action_name, app_name, display_name, description, parameters, output,
      parameter_names, tags, scopes, capability_tags, destructive, effect, security, because, version, is_open,
      schema_hash, status, added_by, read_by, updated_at)
    select a.action, a.app, a.title, a.description, a.input, a.output, a.parameters, a.tags, a.scopes, a.capabilities,
      a."isDestructive", a.effect, a.security, a.because, a.version, a."isOpen", a."schemaHash", 'active', ${job}::text,
      ${job}::text, ${iso(at)}::timestamptz
    from json_to_recordset(${JSON.stringify(rows)}::json) as a (action text, app text, title text, description text,
      input text, output text, parameters text[], tags text[], scopes text[], capabilities text[], "isDestructive" boolean,
      effect text, security text, because text, version text, "isOpen" boolean, "schemaHash" text)
    join composio_apps_cache p on p.app_name = a.app and p.reading = ${job}
    where ${isOpen(job)}
    on conflict (action_name) do update set app_name = excluded.app_name, display_name = excluded.display_name,
      description = excluded.description, parameters = excluded.parameters, output = excluded.output,
      parameter_names = excluded.parameter_names, tags = excluded.tags, scopes = excluded.scopes,
      capability_tags = excluded.capability_tags, destructive = excluded.destructive, effect = excluded.effect,
      security = excluded.security, because = excluded.because, version = excluded.version, is_open = excluded.is_open,
      schema_hash = excluded.schema_hash, status = 'active', removed_at = null,
      added_by = case when o.status = 'active' then o.added_by else excluded.added_by end, read_by = excluded.read_by,
      updated_at = excluded.updated_at
    returning action_name as action`;
}
