/** The syncs of the catalogue of apps: at most one is under way. */
import { desc, isNull, type SQL, sql } from "drizzle-orm";
import { failed, ok } from "../../core/base/errors.ts";
import { iso } from "../../core/base/iso.ts";
import { OPERATOR_TENANT } from "../../core/ports/audit.ts";
import type { SyncJob } from "../../core/ports/app-catalogue.ts";
import type { AppCatalogueTable } from "../../core/ports/app-catalogue-table.ts";
import { composioSyncJobs } from "./app-catalogue-schema.ts";
import { asTenant, type Connection, type Query } from "./connection.ts";

type SyncJobs = Pick<AppCatalogueTable, "begin" | "findOpen" | "history" | "report" | "fail">;

/** How long an ended sync is listed. */
const HISTORY_MS = 90 * 86_400_000;

export function syncJobs(connection: Connection): SyncJobs {
  return {
    async begin({ id, kind, at }) {
      const begun = await asTenant(connection, OPERATOR_TENANT, (query) => [
        query.execute(sql`delete from composio_sync_jobs where completed_at < ${iso(at - HISTORY_MS)}::timestamptz`),
        query.execute(sql`
          insert into composio_sync_jobs (id, job_type, status, started_at, updated_at)
          values (${id}, ${kind}, 'queued', ${iso(at)}::timestamptz, ${iso(at)}::timestamptz)
          on conflict do nothing`),
        selectOpen(query),
      ]);
      if (!begun.ok) return begun;
      const [open] = begun.value[2];
      return open === undefined ? failed("conflict", "The sync has ended. Start another.") : ok(toJob(open));
    },

    async findOpen() {
      const read = await asTenant(connection, OPERATOR_TENANT, (query) => [selectOpen(query)]);
      if (!read.ok) return read;
      const [open] = read.value[0];
      if (open === undefined) return ok(null);
      const { id, kind, startedAt, updatedAt } = open;
      return ok({ id, kind, startedAt, updatedAt });
    },

    async history(limit) {
      const read = await asTenant(connection, OPERATOR_TENANT, (query) => [
        query
          .select()
          .from(composioSyncJobs)
          .orderBy(desc(composioSyncJobs.startedAt), desc(composioSyncJobs.id))
          .limit(limit),
      ]);
      return read.ok ? ok(read.value[0].map(toJob)) : read;
    },

    async report(job, { appsSynced, actionsSynced, errors, errorDetails }, at) {
      const written = await asTenant(connection, OPERATOR_TENANT, (query) => [
        query.execute(sql`
          update composio_sync_jobs set status = 'running', updated_at = ${iso(at)}::timestamptz, apps_synced = ${appsSynced},
            actions_synced = ${actionsSynced}, errors_count = ${errors}, error_details = ${JSON.stringify(errorDetails)}
          where id = ${job} and completed_at is null`),
      ]);
      return written.ok ? ok(written.value[0].rowCount > 0) : written;
    },

    async fail(job, why, at) {
      const reason = JSON.stringify([{ name: "sync", why }]);
      const written = await asTenant(connection, OPERATOR_TENANT, (query) => [
        query.execute(sql`
          update composio_sync_jobs set ${endAt(at)}, status = 'failed', errors_count = errors_count + 1,
            error_details = (${reason}::jsonb || error_details::jsonb)::text
          where id = ${job} and completed_at is null`),
      ]);
      return written.ok ? ok(undefined) : written;
    },
  };
}

/** The condition of every write of a sync: it has not ended. */
export function isOpen(job: string): SQL {
  return sql`exists (select from composio_sync_jobs where id = ${job}::text and completed_at is null)`;
}

/** What ends a row, as the list of an `update`. */
export function endAt(at: number): SQL {
  return sql`updated_at = ${iso(at)}::timestamptz, completed_at = ${iso(at)}::timestamptz,
    duration_ms = greatest(0, (extract(epoch from ${iso(at)}::timestamptz - started_at) * 1000)::bigint)`;
}

function selectOpen(query: Query) {
  return query.select().from(composioSyncJobs).where(isNull(composioSyncJobs.completedAt));
}

function toJob(row: typeof composioSyncJobs.$inferSelect): SyncJob {
  const { updatedAt: _, durationMs: __, errorDetails, ...job } = row;
  return { ...job, errorDetails: JSON.parse(errorDetails) as SyncJob["errorDetails"] };
}
