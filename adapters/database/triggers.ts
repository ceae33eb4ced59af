/** The triggers of tenants (migrations/0039_triggers.sql). */
import { and, desc, eq, isNull, or, sql } from "drizzle-orm";
import { toCanonicalJson } from "../../core/base/canonical-json.ts";
import { type Failure, failed, ok } from "../../core/base/errors.ts";
import { iso } from "../../core/base/iso.ts";
import { cutPage } from "../../core/base/page-cursor.ts";
import { sha256Hex } from "../../core/base/sha256.ts";
import { type AuditEntry, OPERATOR_TENANT } from "../../core/ports/audit.ts";
import type { TriggerTable } from "../../core/ports/trigger-table.ts";
import { MAX_TRIGGERS, type Trigger, type TriggerConfig } from "../../core/triggers/trigger.ts";
import { insertAuditFrom } from "./audit-log.ts";
import { asTenant, callDirectory, type Connection, type Query } from "./connection.ts";
import { isBefore } from "./list-order.ts";
import { people } from "./schema.ts";
import { appTriggers } from "./trigger-schema.ts";

const NO_TRIGGER = failed("not_found", "There is no such trigger.");
/** The longest time between two attempts to delete a trigger at the provider. */
const MAX_DELAY_MS = 86_400_000;

export function triggerTable(connection: Connection): TriggerTable {
  return { ...tenantRows(connection), ...rowsOfAll(connection) };
}

type RowsOfAll =
  | "findOwner"
  | "connectionsOf"
  | "pendingSince"
  | "takeEndings"
  | "endEnding"
  | "endedSince"
  | "forgetEnded";

function tenantRows(connection: Connection): Omit<TriggerTable, RowsOfAll> {
  return {
    async create(tenant, { id, config, owner, actsFor }, act) {
      const at = iso(act.at);
      const { agent = null } = config;
      const hash = await sha256Hex(toCanonicalJson(config.config));
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          with made as (
            insert into app_triggers (tenant, id, version, app_name, trigger_name, connection, owner_person, agent, config,
              config_hash, acts_for, state, created_at, updated_at)
            select ${tenant}::text, ${id}::text, 1, ${config.app}::text, ${config.trigger}::text, ${config.connection}::text,
              ${owner}::text, ${agent}::text, ${JSON.stringify(config)}::text, ${hash}::text, ${actsFor}::text, 'pending',
              ${at}::timestamptz, ${at}::timestamptz
            where (select count(*) from app_triggers where tenant = ${tenant}) < ${MAX_TRIGGERS}
            on conflict (tenant, id) do nothing
            returning id
          )
          ${insertAuditFrom(tenant, act)} from made`),
        selectTriggers(query).where(isThis(tenant, id)),
      ]);
      if (!written.ok) return { ok: false, error: nameEqual(written.error) };
      const [made] = written.value[1];
      if (made !== undefined) return ok(toTrigger(made));
      return failed("quota_exceeded", `A tenant has at most ${MAX_TRIGGERS} triggers. Delete one first.`);
    },

    async get(tenant, id) {
      const read = await asTenant(connection, tenant, (query) => [selectTriggers(query).where(isThis(tenant, id))]);
      return read.ok ? first(read.value[0]) : read;
    },

    async page(tenant, { person, isAdmin, app }, { after, limit }) {
      const isOwn = person === null ? undefined : eq(appTriggers.owner, person);
      const isReadable = isAdmin ? undefined : or(isNull(appTriggers.owner), isOwn);
      const isOfApp = app === undefined ? undefined : eq(appTriggers.app, app);
      const isNext = isBefore(appTriggers.createdAt, appTriggers.id, after);
      const read = await asTenant(connection, tenant, (query) => [
        selectTriggers(query)
          .where(and(eq(appTriggers.tenant, tenant), isReadable, isOfApp, isNext))
          .orderBy(desc(appTriggers.createdAt), desc(appTriggers.id))
          .limit(limit + 1),
      ]);
      if (!read.ok) return read;
      return ok(cutPage(read.value[0].map(toTrigger), limit, ({ id, createdAt }) => ({ at: createdAt, id })));
    },

    async change(tenant, { id, version, state, why, providerId }, act) {
      const at = act === null ? sql`now()` : sql`${iso(act.at)}::timestamptz`;
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          with changed as (
            update app_triggers set version = version + 1, state = ${state}, why = ${why}::text,
              provider_id = ${providerId}::text, updated_at = ${at}
            where ${isThis(tenant, id)} and version = ${version}::int
            returning id
          )
          ${noteAct(tenant, act, sql`changed`)}`),
        selectTriggers(query).where(isThis(tenant, id)),
      ]);
      if (!written.ok) return { ok: false, error: nameEqual(written.error) };
      const [changed, [found]] = written.value;
      if (found === undefined) return NO_TRIGGER;
      if (changed.rowCount > 0) return ok(toTrigger(found));
      return failed("conflict", "The trigger was changed meanwhile. Read it again, and repeat the change.");
    },

    async remove(tenant, id, act) {
      const written = await asTenant(connection, tenant, (query) => [
        selectTriggers(query).where(isThis(tenant, id)),
        query.execute(sql`
          with gone as (delete from app_triggers where ${isThis(tenant, id)} returning id)
          ${noteAct(tenant, act, sql`gone`)}`),
      ]);
      return written.ok ? first(written.value[0]) : written;
    },
  };
}

/** What is read across tenants, by database functions, and the outbox of deletions, which names no tenant. */
function rowsOfAll(connection: Connection): Pick<TriggerTable, RowsOfAll> {
  return {
    async findOwner(providerId) {
      const read = await callDirectory(connection, sql`select tenant, id from otto_trigger_owner(${providerId}::text)`);
      if (!read.ok) return read;
      const [row] = read.value;
      return row === undefined ? NO_TRIGGER : ok({ tenant: String(row["tenant"]), id: String(row["id"]) });
    },

    async connectionsOf(entity, app, limit) {
      const from = sql`otto_connections_of_entity(${entity}::text, ${app}::text, ${limit}::int)`;
      const read = await callDirectory(connection, sql`select tenant, id from ${from}`);
      if (!read.ok) return read;
      return ok(read.value.map(({ tenant, id }) => ({ tenant: String(tenant), connection: String(id) })));
    },

    async pendingSince(before, limit) {
      const from = sql`otto_triggers_pending(${iso(before)}::timestamptz, ${limit}::int)`;
      const read = await callDirectory(connection, sql`select tenant, id from ${from}`);
      if (!read.ok) return read;
      return ok(read.value.map(({ tenant, id }) => ({ tenant: String(tenant), id: String(id) })));
    },

    async endedSince(before, limit) {
      const read = await asTenant(connection, OPERATOR_TENANT, (query) => [
        query.execute(sql`
          select tenant, id from ended_triggers where ended_at < ${iso(before)}::timestamptz
          order by ended_at, id limit ${limit}::int`),
      ]);
      if (!read.ok) return read;
      return ok(read.value[0].rows.map(({ tenant, id }) => ({ tenant: String(tenant), id: String(id) })));
    },

    async forgetEnded(id) {
      const gone = await asTenant(connection, OPERATOR_TENANT, (query) => [
        query.execute(sql`delete from ended_triggers where id = ${id}::text`),
      ]);
      return gone.ok ? ok(undefined) : gone;
    },

    async takeEndings(now, limit, delayMs) {
      const at = iso(now);
      const taken = await asTenant(connection, OPERATOR_TENANT, (query) => [
        query.execute(sql`
          update trigger_endings set tries = tries + 1, due_at = ${at}::timestamptz
            + least(${delayMs}::double precision * power(2, least(tries, 20)), ${MAX_DELAY_MS}) * interval '1 millisecond'
          where provider_id in (
            select provider_id from trigger_endings where due_at <= ${at}::timestamptz order by due_at limit ${limit}::int
            for update skip locked)
          returning provider_id`),
      ]);
      if (!taken.ok) return taken;
      return ok(taken.value[0].rows.map((row) => String(row["provider_id"])));
    },

    async endEnding(providerId) {
      const written = await asTenant(connection, OPERATOR_TENANT, (query) => [
        query.execute(sql`delete from trigger_endings where provider_id = ${providerId}::text`),
      ]);
      return written.ok ? ok(undefined) : written;
    },
  };
}

function noteAct(tenant: string, act: AuditEntry | null, from: ReturnType<typeof sql>) {
  return act === null ? sql`select id from ${from}` : sql`${insertAuditFrom(tenant, act)} from ${from}`;
}

type Row = Omit<Trigger, "config"> & { readonly config: string };

function isThis(tenant: string, id: string) {
  return and(eq(appTriggers.tenant, tenant), eq(appTriggers.id, id));
}

function selectTriggers(query: Query) {
  const { id, version, config, owner, state, why, providerId, createdAt, updatedAt } = appTriggers;
  const actsFor = { person: people.id, name: people.name, timeZone: people.timeZone };
  const ownerName = sql<
    string | null
  >`(select o.name from people o where o.tenant = ${appTriggers.tenant} and o.id = ${owner})`;
  return query
    .select({ id, version, config, owner, ownerName, state, why, actsFor, providerId, createdAt, updatedAt })
    .from(appTriggers)
    .leftJoin(people, and(eq(people.tenant, appTriggers.tenant), eq(people.id, appTriggers.actsFor)));
}

function first([row]: readonly Row[]) {
  return row === undefined ? NO_TRIGGER : ok(toTrigger(row));
}

function toTrigger(row: Row): Trigger {
  return { ...row, config: JSON.parse(row.config) as TriggerConfig };
}

function nameEqual(error: Failure): Failure {
  if (error.code !== "conflict") return error;
  const message = "This account has a trigger of the same event with the same settings. Change or delete that one.";
  return failed("conflict", message, { field: "config" }).error;
}
