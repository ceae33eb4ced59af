/** The catalogue of apps: what a sync stores, and which version of it is published. */
import { eq, sql } from "drizzle-orm";
import { ok } from "../../core/base/errors.ts";
import { iso } from "../../core/base/iso.ts";
import { OPERATOR_TENANT } from "../../core/ports/audit.ts";
import type { AppCatalogueTable } from "../../core/ports/app-catalogue-table.ts";
import { appCatalogue } from "./app-catalogue-schema.ts";
import { compiledCatalogue } from "./compiled-catalogue.ts";
import { asTenant, type Connection } from "./connection.ts";
import { logoRows } from "./logo-rows.ts";
import { endAt, isOpen, syncJobs } from "./sync-jobs.ts";
import { syncedRows } from "./synced-rows.ts";

/** `background`: for what no request waits for. */
export function appCatalogueTable(connection: Connection, background: Connection): AppCatalogueTable {
  return {
    ...syncJobs(connection),
    ...syncedRows(background),
    ...compiledCatalogue(background),
    ...logoRows(background),

    async publish(job, { snapshot, syncedAt, stats }) {
      const figures = JSON.stringify(
        Object.entries(stats).map(([key, value]) => ({ key, value: JSON.stringify(value) })),
      );
      const at = iso(syncedAt);
      const written = await asTenant(background, OPERATOR_TENANT, (query) => [
        query.execute(sql`
          insert into app_catalogue (name, snapshot, synced_at)
          select 'current', ${snapshot}::text, ${at}::timestamptz where ${isOpen(job)}
          on conflict (name) do update set snapshot = excluded.snapshot, synced_at = excluded.synced_at`),
        query.execute(sql`
          insert into composio_stats_cache (stat_key, stat_value, updated_at)
          select f.key, f.value, ${at}::timestamptz from json_to_recordset(${figures}::json) as f (key text, value text)
          where ${isOpen(job)}
          on conflict (stat_key) do update set stat_value = excluded.stat_value, updated_at = excluded.updated_at`),
        query.execute(sql`
          update composio_sync_jobs set ${endAt(syncedAt)}, status = 'completed'
          where id = ${job} and completed_at is null`),
      ]);
      return written.ok ? ok(written.value[2].rowCount > 0) : written;
    },

    async pointer() {
      const read = await asTenant(connection, OPERATOR_TENANT, (query) => [
        query
          .select({ snapshot: appCatalogue.snapshot, syncedAt: appCatalogue.syncedAt, logos: appCatalogue.logos })
          .from(appCatalogue)
          .where(eq(appCatalogue.name, "current")),
      ]);
      return read.ok ? ok(read.value[0][0] ?? null) : read;
    },
  };
}
