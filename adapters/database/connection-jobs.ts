/** What the sweep does for connections, read across tenants by database functions (migrations/0033_connections.sql). */
import { type SQL, sql } from "drizzle-orm";
import { iso } from "../../core/base/iso.ts";
import { ok, type Result } from "../../core/base/errors.ts";
import type { ConnectionJobs, DueConnection } from "../../core/ports/connection-jobs.ts";
import { callDirectory, type Connection } from "./connection.ts";

export function connectionJobs(connection: Connection): ConnectionJobs {
  async function readDue(from: SQL): Promise<Result<readonly DueConnection[]>> {
    const read = await callDirectory(connection, sql`select tenant, id from ${from}`);
    if (!read.ok) return read;
    return ok(read.value.map(({ tenant, id }) => ({ tenant: String(tenant), connection: String(id) })));
  }

  return {
    toCheck: (now, limit) => readDue(sql`otto_connections_to_check(${iso(now)}::timestamptz, ${limit}::int)`),

    revocationsDue: (now, limit) => readDue(sql`otto_revocations_due(${iso(now)}::timestamptz, ${limit}::int)`),

    async waitsReady(limit) {
      const read = await callDirectory(
        connection,
        sql`select tenant, app, person from otto_connection_waits(${limit}::int)`,
      );
      if (!read.ok) return read;
      return ok(
        read.value.map(({ tenant, app, person }) => ({
          tenant: String(tenant),
          app: String(app),
          person: typeof person === "string" ? person : null,
        })),
      );
    },
  };
}
