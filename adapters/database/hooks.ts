/** Hooks of tenants. Secrets are sealed before they arrive here. */
import { and, asc, desc, eq, or, sql } from "drizzle-orm";
import { type Hook, type HookConfig, MAX_HOOKS, type ReplacedSecret } from "../../core/channels/webhooks/hook.ts";
import type { HookTable } from "../../core/ports/hook-table.ts";
import { MAX_OLD_SECRETS } from "../../core/channels/webhooks/old-secrets.ts";
import { type Failure, failed, ok } from "../../core/base/errors.ts";
import { cutPage } from "../../core/base/page-cursor.ts";
import { insertAuditFrom } from "./audit-log.ts";
import { asTenant, type Connection, type Query } from "./connection.ts";
import { isBefore } from "./list-order.ts";
import { hooks, people } from "./schema.ts";

const NO_HOOK = failed("not_found", "There is no such hook.");

export function hookTable(connection: Connection): HookTable {
  return {
    async create(tenant, { id, config, sealed, actsFor = null }, act) {
      const at = new Date(act.at).toISOString();
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          with made as (
            insert into hooks (tenant, id, name, type, version, config, sealed, acts_for, acts_for_version, created_at, updated_at)
            select ${tenant}::text, ${id}::text, ${config.name}::text, ${config.type}::text, 1,
              ${JSON.stringify(config)}::text, ${sealed}::text, ${actsFor}::text, 1,
              ${at}::timestamptz, ${at}::timestamptz
            where (select count(*) from hooks where tenant = ${tenant}) < ${MAX_HOOKS}
            on conflict (tenant, id) do nothing
            returning id
          )
          ${insertAuditFrom(tenant, act)} from made`),
        selectHooks(query).where(isThis(tenant, id)),
      ]);
      if (!written.ok) return { ok: false, error: nameTaken(written.error, config.name) };
      const [made] = written.value[1];
      if (made !== undefined) return ok(toHook(made));
      return failed("quota_exceeded", `A tenant has at most ${MAX_HOOKS} hooks. Delete one first.`);
    },

    async get(tenant, id) {
      const read = await asTenant(connection, tenant, (query) => [selectHooks(query).where(isThis(tenant, id))]);
      return read.ok ? first(read.value[0]) : read;
    },

    async find(tenant, nameOrType) {
      const read = await asTenant(connection, tenant, (query) => [
        selectHooks(query)
          .where(and(eq(hooks.tenant, tenant), or(eq(hooks.name, nameOrType), eq(hooks.type, nameOrType))))
          .orderBy(sql`${hooks.name} = ${nameOrType} desc`, asc(hooks.createdAt), asc(hooks.id))
          .limit(1),
      ]);
      return read.ok ? first(read.value[0]) : read;
    },

    async page(tenant, { after, limit }) {
      const read = await asTenant(connection, tenant, (query) => [
        selectHooks(query)
          .where(and(eq(hooks.tenant, tenant), isBefore(hooks.createdAt, hooks.id, after)))
          .orderBy(desc(hooks.createdAt), desc(hooks.id))
          .limit(limit + 1),
      ]);
      if (!read.ok) return read;
      return ok(cutPage(read.value[0].map(toHook), limit, ({ id, createdAt }) => ({ at: createdAt, id })));
    },

    async update(tenant, { id, config, secret, actsFor, ifVersion }, act) {
      const at = new Date(act.at).toISOString();
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          with changed as (
            update hooks set version = version + 1, name = ${config.name}, type = ${config.type},
              config = ${JSON.stringify(config)}, acts_for = ${actsFor}::text, acts_for_version = version + 1,
              updated_at = ${at}::timestamptz ${setSecret(secret)}
            where ${isThis(tenant, id)} and (${ifVersion}::int is null or version = ${ifVersion}::int)
            returning version
          )
          ${insertAuditFrom(tenant, act)} from changed`),
        selectHooks(query).where(isThis(tenant, id)),
      ]);
      if (!written.ok) return { ok: false, error: nameTaken(written.error, config.name) };
      const [changed, [found]] = written.value;
      if (found === undefined) return NO_HOOK;
      if (changed.rowCount > 0) return ok(toHook(found));
      return failed("conflict", `The hook is at version ${found.version} now. Read it again before you change it.`, {
        field: "If-Match",
      });
    },

    async remove(tenant, id, act) {
      const written = await asTenant(connection, tenant, (query) => [
        selectHooks(query).where(isThis(tenant, id)),
        query.execute(sql`
          with gone as (delete from hooks where ${isThis(tenant, id)} returning id)
          ${insertAuditFrom(tenant, act)} from gone`),
      ]);
      return written.ok ? first(written.value[0]) : written;
    },
  };
}

type Row = Omit<Hook, "config" | "old" | "actsFor"> & {
  readonly config: string;
  /** Null without a person, and for one whose record was deleted. */
  readonly caller: { readonly person: string; readonly name: string; readonly timeZone: string } | null;
  readonly oldSealed: string[];
  readonly oldUntil: number[];
};

/** The columns of a replaced secret; empty when the secret is unchanged. */
function setSecret(secret: ReplacedSecret | null) {
  if (secret === null) return sql``;
  const { sealed, oldUntil } = secret;
  const most = sql.raw(String(MAX_OLD_SECRETS));
  if (oldUntil === null) return sql`, sealed = ${sealed}, old_sealed = '{}', old_until = '{}'`;
  return sql`, sealed = ${sealed}, old_sealed = (array_prepend(sealed, old_sealed))[1:${most}],
    old_until = (array_prepend(${oldUntil}::bigint, old_until))[1:${most}]`;
}

function isThis(tenant: string, id: string) {
  return and(eq(hooks.tenant, tenant), eq(hooks.id, id));
}

function selectHooks(query: Query) {
  const { id, version, config, sealed, oldSealed, oldUntil, createdAt, updatedAt } = hooks;
  // A release that does not know the person changed the version alone.
  const isOfVersion = eq(hooks.actsForVersion, hooks.version);
  const caller = { person: people.id, name: people.name, timeZone: people.timeZone };
  return query
    .select({ id, version, config, sealed, oldSealed, oldUntil, caller, createdAt, updatedAt })
    .from(hooks)
    .leftJoin(people, and(eq(people.tenant, hooks.tenant), eq(people.id, hooks.actsFor), isOfVersion));
}

function first([row]: readonly Row[]) {
  return row === undefined ? NO_HOOK : ok(toHook(row));
}

function toHook({ oldSealed, oldUntil, caller, ...row }: Row): Hook {
  const old = oldSealed.map((sealed, index) => ({ sealed, until: oldUntil[index] ?? 0 }));
  return { ...row, old, actsFor: caller, config: JSON.parse(row.config) as HookConfig };
}

function nameTaken(error: Failure, name: string): Failure {
  if (error.code !== "conflict") return error;
  return failed("conflict", `A hook with the name ${name} already exists. Choose another.`, { field: "name" }).error;
}
