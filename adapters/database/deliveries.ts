/** Deliveries for lists and the sweep. The outboxes report the rows. */
import { and, desc, eq, inArray, ne, type SQL, sql } from "drizzle-orm";
import type { DeliveryKind, DeliveryReport, DeliveryState } from "../../core/channels/outbox/delivery.ts";
import type { DeliveryTable } from "../../core/ports/delivery-table.ts";
import { failed, ok } from "../../core/base/errors.ts";
import { cutPage, type PagePosition } from "../../core/base/page-cursor.ts";
import { storable } from "../../core/base/storable.ts";
import { asTenant, type Connection } from "./connection.ts";
import { isBefore } from "./list-order.ts";
import { readOverdue } from "./overdue.ts";
import { deliveries, tenants } from "./schema.ts";
import { isoOrNull } from "../../core/base/iso.ts";

export function deliveryTable(connection: Connection): DeliveryTable {
  return {
    async upsert(tenant, reports) {
      if (reports.length === 0) return ok({ isErased: false });
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(upsert(tenant, reports)),
        query.select({ erasedAt: tenants.erasedAt }).from(tenants).where(eq(tenants.id, tenant)),
      ]);
      return written.ok ? ok({ isErased: written.value[1].some(({ erasedAt }) => erasedAt !== null) }) : written;
    },

    async get(tenant, id) {
      const read = await asTenant(connection, tenant, (query) => [
        query
          .select()
          .from(deliveries)
          .where(and(eq(deliveries.tenant, tenant), eq(deliveries.id, id))),
      ]);
      if (!read.ok) return read;
      const [row] = read.value[0];
      return row === undefined ? failed("not_found", "There is no such delivery.") : ok(toReport(row));
    },

    async page(tenant, { task, channel, to, state, kind }, { after, limit }) {
      const wanted = and(
        eq(deliveries.tenant, tenant),
        task === null ? undefined : eq(deliveries.task, task),
        channel === null ? undefined : eq(deliveries.channel, channel),
        to === null ? undefined : eq(deliveries.place, storable(to)),
        state === null ? undefined : eq(deliveries.state, state),
        kind === null ? ne(deliveries.kind, "progress") : eq(deliveries.kind, kind),
        isBefore(deliveries.createdAt, deliveries.id, after),
      );
      const read = await asTenant(connection, tenant, (query) => [
        query
          .select()
          .from(deliveries)
          .where(wanted)
          .orderBy(desc(deliveries.createdAt), desc(deliveries.id))
          .limit(limit + 1),
      ]);
      if (!read.ok) return read;
      return ok(
        cutPage(read.value[0].map(toReport), limit, ({ id, createdAt }): PagePosition => ({ at: createdAt, id })),
      );
    },

    async remove(tenant, ids) {
      if (ids.length === 0) return ok(undefined);
      const removed = await asTenant(connection, tenant, (query) => [
        query.delete(deliveries).where(and(eq(deliveries.tenant, tenant), inArray(deliveries.id, [...ids]))),
      ]);
      return removed.ok ? ok(undefined) : removed;
    },

    async outboxes(tenant, limit) {
      const read = await asTenant(connection, tenant, (query) => [
        query
          .selectDistinct({ outbox: deliveries.outbox })
          .from(deliveries)
          .where(eq(deliveries.tenant, tenant))
          .limit(limit),
      ]);
      return read.ok ? ok(read.value[0].map(({ outbox }) => outbox)) : read;
    },

    async removeOutbox(tenant, outbox) {
      const removed = await asTenant(connection, tenant, (query) => [
        query.delete(deliveries).where(and(eq(deliveries.tenant, tenant), eq(deliveries.outbox, outbox))),
      ]);
      return removed.ok ? ok(undefined) : removed;
    },

    async overdue(before, request) {
      return await readOverdue(connection, "deliveries", { before, ...request }, (row) => {
        return { id: String(row["id"]), outbox: String(row["outbox"]) };
      });
    },
  };
}

/** One statement for any number of rows, which are one JSON parameter. */
function upsert(tenant: string, reports: readonly DeliveryReport[]): SQL {
  const rows = reports.map(
    ({ id, outbox, version, channel, to, kind, task, about, state, attempts, why, ...times }) => ({
      id,
      outbox,
      version,
      channel,
      kind,
      task,
      about,
      state,
      attempts,
      place: storable(to),
      why: why === null ? null : storable(why),
      due_at: isoOrNull(times.dueAt),
      created_at: isoOrNull(times.createdAt),
      ended_at: isoOrNull(times.endedAt),
    }),
  );
  return sql`
    insert into deliveries (tenant, id, outbox, version, channel, place, kind, task, about, state, attempts, why, due_at,
      created_at, ended_at)
    select ${tenant}::text, r.id, r.outbox, r.version, r.channel, r.place, r.kind, r.task, r.about, r.state, r.attempts,
      r.why, r.due_at, r.created_at, r.ended_at
    from json_to_recordset(${JSON.stringify(rows)}::json) as r (id text, outbox text, version bigint, channel text,
      place text, kind text, task text, about text, state text, attempts integer, why text, due_at timestamptz,
      created_at timestamptz, ended_at timestamptz)
    where exists (select from tenants where id = ${tenant} and erased_at is null)
    on conflict (tenant, id) do update set version = excluded.version, state = excluded.state,
      attempts = excluded.attempts, why = excluded.why, due_at = excluded.due_at, ended_at = excluded.ended_at
    where excluded.version > deliveries.version`;
}

function toReport(row: typeof deliveries.$inferSelect): DeliveryReport {
  const { id, outbox, version, place, task, about, attempts, why, dueAt, createdAt, endedAt } = row;
  return {
    id,
    outbox,
    version,
    task,
    about,
    attempts,
    why,
    dueAt,
    createdAt,
    endedAt,
    to: place,
    channel: row.channel,
    kind: row.kind as DeliveryKind,
    state: row.state as DeliveryState,
  };
}
