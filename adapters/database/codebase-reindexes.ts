/** When codebases are indexed again without a request of an administrator. */
import { sql } from "drizzle-orm";
import { ok } from "../../core/base/errors.ts";
import { iso } from "../../core/base/iso.ts";
import type { CodebaseReindexes } from "../../core/ports/codebases.ts";
import { insertAuditFrom } from "./audit-log.ts";
import { asTenant, callDirectory, type Connection } from "./connection.ts";

export function codebaseReindexes(connection: Connection): CodebaseReindexes {
  return {
    async setEvery(tenant, id, { every, dueAt }, act) {
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          with written as (
            update codebases set every = ${every}, due_at = ${toMoment(dueAt)}::timestamptz, updated_at = ${iso(act.at)}::timestamptz
            where tenant = ${tenant} and id = ${id} returning id
          )
          ${insertAuditFrom(tenant, act)} from written`),
      ]);
      return written.ok ? ok(written.value[0].rowCount > 0) : written;
    },

    async due(now, limit) {
      const from = sql`otto_codebases_due(${iso(now)}::timestamptz, ${limit}::int)`;
      const read = await callDirectory(connection, sql`select tenant, id, every, due_at, builds from ${from}`);
      if (!read.ok) return read;
      return ok(
        read.value.map((row) => ({
          tenant: String(row["tenant"]),
          id: String(row["id"]),
          every: String(row["every"]),
          dueAt: Date.parse(String(row["due_at"])),
          builds: Number(row["builds"]),
        })),
      );
    },

    async setDue(tenant, id, { from, next }) {
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          update codebases set due_at = ${toMoment(next)}::timestamptz
          where tenant = ${tenant} and id = ${id} and due_at = ${iso(from)}::timestamptz`),
      ]);
      return written.ok ? ok(undefined) : written;
    },

    async setQueued(tenant, id, after, at) {
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          update codebases set status = 'queued', updated_at = ${iso(at)}::timestamptz
          where tenant = ${tenant} and id = ${id} and builds = ${after}::integer`),
      ]);
      return written.ok ? ok(undefined) : written;
    },
  };
}

function toMoment(at: number | null): string | null {
  return at === null ? null : iso(at);
}
