/** What the catalogue's files are compiled from, and which file each app has. */
import { and, asc, desc, eq, inArray, isNotNull, type SQL, sql } from "drizzle-orm";
import type { DescribedTrigger } from "../../core/apps/catalogue.ts";
import { ok } from "../../core/base/errors.ts";
import type { JsonSchema } from "../../core/lib/json-schema/json-schema.ts";
import type { CatalogueAction, ListedAction } from "../../core/ports/app-catalogue.ts";
import type { AppCatalogueTable, CompiledApp } from "../../core/ports/app-catalogue-table.ts";
import { OPERATOR_TENANT } from "../../core/ports/audit.ts";
import { composioActions, composioApps } from "./app-catalogue-schema.ts";
import { asTenant, type Connection } from "./connection.ts";
import { isOpen } from "./sync-jobs.ts";

type CompiledCatalogue = Pick<
  AppCatalogueTable,
  "appsToCompile" | "readApps" | "storeCompiled" | "compiledApps" | "listActions"
>;

/** The most apps that are compiled together. */
const MAX_APPS = 100;

export function compiledCatalogue(connection: Connection): CompiledCatalogue {
  return {
    async appsToCompile(actions) {
      const read = await asTenant(connection, OPERATOR_TENANT, (query) => [query.execute(selectToCompile(actions))]);
      return read.ok ? ok(read.value[0].rows.map((row) => String(row["app"]))) : read;
    },

    async readApps(apps) {
      const read = await asTenant(connection, OPERATOR_TENANT, (query) => [
        query
          .select({ app: composioApps.app, triggers: composioApps.triggers })
          .from(composioApps)
          .where(inArray(composioApps.app, [...apps])),
        query
          .select()
          .from(composioActions)
          .where(and(inArray(composioActions.app, [...apps]), eq(composioActions.status, "active")))
          .orderBy(asc(composioActions.action)),
      ]);
      if (!read.ok) return read;
      const [described, rows] = read.value;
      return ok(
        described.map(({ app, triggers }) => ({
          app,
          actions: rows.filter((row) => row.app === app).map(toAction),
          triggers: JSON.parse(triggers) as DescribedTrigger[],
        })),
      );
    },

    async storeCompiled(job, files) {
      const rows = [...files].map(([app, hash]) => ({ app, hash }));
      const written = await asTenant(connection, OPERATOR_TENANT, (query) => [
        query.execute(sql`
          update composio_apps_cache as p set compiled = f.hash
          from json_to_recordset(${JSON.stringify(rows)}::json) as f (app text, hash text)
          where p.app_name = f.app and ${isOpen(job)}`),
      ]);
      return written.ok ? ok(undefined) : written;
    },

    async compiledApps() {
      const { status, app } = composioApps;
      const actions = sql<number>`(select count(*)::int from composio_actions_cache a
        where a.app_name = composio_apps_cache.app_name and a.status = composio_apps_cache.status)`;
      const read = await asTenant(connection, OPERATOR_TENANT, (query) => [
        query
          .select({ row: composioApps, actions })
          .from(composioApps)
          .where(isNotNull(composioApps.compiled))
          .orderBy(asc(status), desc(actions), asc(app)),
      ]);
      return read.ok ? ok(read.value[0].map(({ row, actions: count }) => toApp(row, count))) : read;
    },

    async listActions(after, limit) {
      const isAfter: SQL | undefined =
        after === null
          ? undefined
          : sql`(${composioActions.app}, ${composioActions.action}) > (${after.app}, ${after.action})`;
      const isOffered = and(eq(composioActions.status, "active"), eq(composioApps.status, "active"), isAfter);
      const read = await asTenant(connection, OPERATOR_TENANT, (query) => [
        query
          .select(LISTED)
          .from(composioActions)
          .innerJoin(composioApps, eq(composioApps.app, composioActions.app))
          .where(isOffered)
          .orderBy(asc(composioActions.app), asc(composioActions.action))
          .limit(limit),
      ]);
      return read.ok ? ok(read.value[0] satisfies readonly ListedAction[]) : read;
    },
  };
}

const LISTED = {
  action: composioActions.action,
  app: composioActions.app,
  title: composioActions.title,
  description: composioActions.description,
  tags: composioActions.tags,
  isOpen: composioActions.isOpen,
  effect: composioActions.effect,
  security: composioActions.security,
  because: composioActions.because,
  capabilities: composioActions.capabilities,
  isDestructive: composioActions.isDestructive,
  parameters: composioActions.parameters,
};

/** The next apps until their actions exceed `actions`. */
function selectToCompile(actions: number): SQL {
  return sql`
    select app from (
      select next.app_name as app, row_number() over by_name as place, sum(
        (select count(*) from composio_actions_cache a where a.app_name = next.app_name and a.status = 'active')
      ) over by_name as total
      from (
        select app_name from composio_apps_cache where status = 'active' and compiled is null
        order by app_name limit ${MAX_APPS}
      ) as next
      window by_name as (order by next.app_name)
    ) as summed
    where place = 1 or total <= ${actions} order by app`;
}

function toAction(row: typeof composioActions.$inferSelect): CatalogueAction {
  const { parameters: _, status: __, input, output, ...action } = row;
  return {
    ...action,
    input: JSON.parse(input) as JsonSchema,
    output: output === null ? null : (JSON.parse(output) as JsonSchema),
  };
}

function toApp(row: typeof composioApps.$inferSelect, actionCount: number): CompiledApp {
  const { triggers, compiled, logo: _, logoOf: __, ...app } = row;
  const list = JSON.parse(triggers) as readonly unknown[];
  return {
    ...app,
    actionCount,
    triggerCount: list.length,
    provider: "composio",
    compiled: compiled ?? "",
  };
}
