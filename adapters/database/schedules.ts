/** The schedules of tenants, as rows that their objects report. */
import { and, desc, eq, sql } from "drizzle-orm";
import { failed, ok } from "../../core/base/errors.ts";
import { cutPage } from "../../core/base/page-cursor.ts";
import { MAX_STORED_SCHEDULES, MAX_SCHEDULES, type ScheduleState } from "../../core/schedules/schedule.ts";
import { findScheduleCaller } from "../../core/schedules/acts-for.ts";
import type { ScheduleTable } from "../../core/ports/schedule-table.ts";
import { insertAuditFrom } from "./audit-log.ts";
import { asTenant, callDirectory, type Connection } from "./connection.ts";
import { isBefore } from "./list-order.ts";
import { people, schedules } from "./schema.ts";
import { isoOrNull } from "../../core/base/iso.ts";

const NO_SCHEDULE = failed("not_found", "There is no such schedule.");
const FULL = failed(
  "quota_exceeded",
  `A tenant has at most ${MAX_SCHEDULES} schedules, or ${MAX_STORED_SCHEDULES} with ended ones. Delete one first.`,
);

export function scheduleTable(connection: Connection): ScheduleTable {
  return {
    async create(tenant, { state, report, wakeAt }, act) {
      const at = new Date(state.createdAt).toISOString();
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          with made as (
            insert into schedules (tenant, id, report, wake_at, state, created_at, is_tracked, acts_for)
            select ${tenant}::text, ${state.id}::text, ${report}::bigint, ${isoOrNull(wakeAt)}::timestamptz,
              ${JSON.stringify(state)}::text, ${at}::timestamptz, true, ${getCaller(state)}::text
            where (select count(*) from schedules where tenant = ${tenant} and ${MAY_BE_DUE}) < ${MAX_SCHEDULES}
              and (select count(*) from schedules where tenant = ${tenant}) < ${MAX_STORED_SCHEDULES}
            on conflict do nothing
            returning id
          )
          ${insertAuditFrom(tenant, act)} from made`),
        query.select({ id: schedules.id }).from(schedules).where(isThis(tenant, state.id)),
      ]);
      if (!written.ok) return written;
      if (written.value[1].length > 0) return ok(undefined);
      return FULL;
    },

    async checkReactivation(tenant, id) {
      const read = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          select (select count(*) from schedules where tenant = ${tenant} and id <> ${id} and ${MAY_BE_DUE}) < ${MAX_SCHEDULES} as fits
          from schedules where tenant = ${tenant} and id = ${id}`),
      ]);
      if (!read.ok) return read;
      const [row] = read.value[0].rows;
      if (row === undefined) return NO_SCHEDULE;
      return row["fits"] === true ? ok(undefined) : FULL;
    },

    async report(tenant, { state, report, wakeAt }) {
      const written = await asTenant(connection, tenant, (query) => [
        query
          .update(schedules)
          .set({ report, wakeAt, state: JSON.stringify(state), isTracked: true, actsFor: getCaller(state) })
          .where(and(isThis(tenant, state.id), sql`${schedules.report} < ${report}`)),
      ]);
      return written.ok ? ok(undefined) : written;
    },

    async restore(tenant, { state, report, wakeAt }) {
      const at = new Date(state.createdAt).toISOString();
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          insert into schedules (tenant, id, report, wake_at, state, created_at, is_tracked, acts_for)
          select ${tenant}::text, ${state.id}::text, ${report}::bigint, ${isoOrNull(wakeAt)}::timestamptz,
            ${JSON.stringify(state)}::text, ${at}::timestamptz, true, ${getCaller(state)}::text
          where exists (select from tenants where id = ${tenant} and erased_at is null)
          on conflict (tenant, id) do update
            set report = excluded.report, wake_at = excluded.wake_at, state = excluded.state, is_tracked = true,
              acts_for = excluded.acts_for
          where excluded.report > schedules.report`),
      ]);
      return written.ok ? ok(undefined) : written;
    },

    async find(tenant, id) {
      const read = await asTenant(connection, tenant, (query) => [
        query
          .select({ state: schedules.state, report: schedules.report, isTracked: schedules.isTracked })
          .from(schedules)
          .where(and(isThis(tenant, id), sql`exists (select from tenants where id = ${tenant} and erased_at is null)`)),
      ]);
      if (!read.ok) return read;
      const [row] = read.value[0];
      return row === undefined ? NO_SCHEDULE : ok({ ...row, state: toState(row) });
    },

    async page(tenant, { after, limit }) {
      const read = await asTenant(connection, tenant, (query) => [
        query
          .select({ state: schedules.state, caller: people.name })
          .from(schedules)
          .leftJoin(people, and(eq(people.tenant, schedules.tenant), eq(people.id, schedules.actsFor)))
          .where(and(eq(schedules.tenant, tenant), isBefore(schedules.createdAt, schedules.id, after)))
          .orderBy(desc(schedules.createdAt), desc(schedules.id))
          .limit(limit + 1),
      ]);
      if (!read.ok) return read;
      return ok(cutPage(read.value[0].map(toNamedState), limit, ({ id, createdAt }) => ({ at: createdAt, id })));
    },

    async remove(tenant, id, act) {
      const removed = await asTenant(connection, tenant, (query) => [
        query.select({ state: schedules.state }).from(schedules).where(isThis(tenant, id)),
        ...(act === null
          ? []
          : [
              query.execute(
                sql`${insertAuditFrom(tenant, act)} from schedules where tenant = ${tenant} and id = ${id} on conflict (tenant, id) do nothing`,
              ),
            ]),
        query.delete(schedules).where(isThis(tenant, id)),
      ]);
      if (!removed.ok) return removed;
      const [row] = removed.value[0] as { state: string }[];
      return row === undefined ? NO_SCHEDULE : ok(toState(row));
    },

    async listIds(tenant, limit) {
      const read = await asTenant(connection, tenant, (query) => [
        query.select({ id: schedules.id }).from(schedules).where(eq(schedules.tenant, tenant)).limit(limit),
      ]);
      return read.ok ? ok(read.value[0].map(({ id }) => id)) : read;
    },

    async overdue(before, limit) {
      const moment = new Date(before).toISOString();
      const read = await callDirectory(
        connection,
        sql`select tenant, id from otto_overdue_schedules(${moment}::timestamptz, ${limit}::int)`,
      );
      if (!read.ok) return read;
      return ok(read.value.map((row) => ({ tenant: String(row["tenant"]), schedule: String(row["id"]) })));
    },
  };
}

/**
 * The row of a schedule that has not ended: work is due, or will be once it is resumed. Postgres parses JSON as a whole
 * and fails on escapes that its text cannot store (https://www.postgresql.org/docs/current/datatype-json.html), so
 * escapes are removed first: they occur in texts of tenants, but in no field name of the state. That is slow, so rows
 * without these words are excluded first.
 */
const MAY_BE_DUE = sql.raw(String.raw`(wake_at is not null
  or (state like '%"paused":true%' and regexp_replace(state, '\\.', '', 'g')::json ->> 'paused' = 'true'))`);

function isThis(tenant: string, id: string) {
  return and(eq(schedules.tenant, tenant), eq(schedules.id, id));
}

/** The column for queries. The state is authoritative. */
function getCaller(state: ScheduleState): string | null {
  return findScheduleCaller(state)?.person ?? null;
}

/** The state with the person's present name; null for a person whose record was deleted. */
function toNamedState({ state, caller }: { readonly state: string; readonly caller: string | null }): ScheduleState {
  const stored = toState({ state });
  const actsFor = findScheduleCaller(stored);
  return actsFor === null ? stored : { ...stored, actsFor: caller === null ? null : { ...actsFor, name: caller } };
}

function toState({ state }: { readonly state: string }): ScheduleState {
  return JSON.parse(state) as ScheduleState;
}
