/** The audit log. Each row is written in the transaction of the act that it records. */
import { type SQL, and, desc, eq, gte, lt, or, sql } from "drizzle-orm";
import type { AuditDetails, AuditEntry, AuditFilter, AuditLog } from "../../core/ports/audit.ts";
import { ok } from "../../core/base/errors.ts";
import { cutPage } from "../../core/base/page-cursor.ts";
import { storable } from "../../core/base/storable.ts";
import { asTenant, type Connection, type Query } from "./connection.ts";
import { isBefore } from "./list-order.ts";
import { audit } from "./schema.ts";

/** The statement that adds an entry. Idempotent. */
export function insertAudit(query: Query, tenant: string, act: AuditEntry) {
  return query
    .insert(audit)
    .values({ tenant, ...act, details: formatDetails(act) })
    .onConflictDoNothing({ target: [audit.tenant, audit.id] });
}

export function auditLog(connection: Connection): AuditLog {
  return {
    async add(tenant, act) {
      const added = await asTenant(connection, tenant, (query) => [insertAudit(query, tenant, act)]);
      return added.ok ? ok(undefined) : added;
    },

    async page(tenant, { after, limit }, filter = {}) {
      const read = await asTenant(connection, tenant, (query) => [
        query
          .select()
          .from(audit)
          .where(and(eq(audit.tenant, tenant), matchesFilter(filter), isBefore(audit.at, audit.id, after)))
          .orderBy(desc(audit.at), desc(audit.id))
          .limit(limit + 1),
      ]);
      return read.ok ? ok(cutPage(read.value[0].map(toEntry), limit, ({ at, id }) => ({ at, id }))) : read;
    },
  };
}

function matchesFilter({ action, actor, target, from, before }: AuditFilter): SQL | undefined {
  return and(
    action === undefined ? undefined : or(eq(audit.action, action), sql`starts_with(${audit.action}, ${`${action}.`})`),
    actor === undefined ? undefined : eq(audit.actor, storable(actor)),
    target === undefined ? undefined : eq(audit.target, storable(target)),
    from === undefined ? undefined : gte(audit.at, from),
    before === undefined ? undefined : lt(audit.at, before),
  );
}

/**
 * `insert into audit … select …`; append `from` a query: the entry is added when the query has a row. `details` replaces
 * those of the act, for what only the statement knows.
 */
export function insertAuditFrom(tenant: string, act: AuditEntry, details = sql`${formatDetails(act)}::text`): SQL {
  const at = new Date(act.at).toISOString();
  return sql`
    insert into audit (tenant, id, at, actor, action, target, request_id, details)
    select ${tenant}::text, ${act.id}::text, ${at}::timestamptz, ${act.actor}::text, ${act.action}::text,
      ${act.target}::text, ${act.requestId}::text, ${details}`;
}

function formatDetails({ details }: AuditEntry): string | null {
  return details === undefined ? null : JSON.stringify(details);
}

function toEntry(row: typeof audit.$inferSelect): AuditEntry {
  const { id, at, actor, target, requestId } = row;
  const details = row.details === null ? {} : { details: JSON.parse(row.details) as AuditDetails };
  return { id, at, actor, action: row.action as AuditEntry["action"], target, requestId, ...details };
}
