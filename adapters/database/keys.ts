/** API keys by their hashes. */
import { and, desc, eq, inArray, isNull, sql } from "drizzle-orm";
import type { ApiKey, KeyTable, NewApiKey } from "../../core/ports/tenant-table.ts";
import { failed, ok } from "../../core/base/errors.ts";
import type { Scope } from "../../core/tenant/keys.ts";
import { toKeyBounds } from "../../core/tenant/key-bounds.ts";
import { cutPage } from "../../core/base/page-cursor.ts";
import { insertAuditFrom, insertAudit } from "./audit-log.ts";
import { asTenant, type Connection, type Query } from "./connection.ts";
import { isBefore } from "./list-order.ts";
import { keys, people, tenants } from "./schema.ts";

const NO_KEY = failed("not_found", "There is no such key.");
const NO_PERSON = failed("not_found", "There is no person with this id.", { field: "person" });

/**
 * The stored form of a bound key's hash. A Worker of an earlier release ignores bounds: it looks for the plain hash and
 * finds no key.
 */
function toBoundHash(hash: string): string {
  return `bound:${hash}`;
}

/** Converts a key to its row. */
export function toKeyRow({ key: { person, ...key }, hash }: NewApiKey) {
  const { scopes, projects, agents, createdAt } = key;
  const lists = {
    scopes: [...scopes],
    projects: projects === null ? null : [...projects],
    agents: agents === null ? null : [...agents],
  };
  const bound = { person: person?.id ?? null, boundAt: person === null ? null : createdAt };
  return { ...key, ...lists, ...bound, hash: toKeyBounds(key) === null ? hash : toBoundHash(hash) };
}

/** The statement that stores a key. Idempotent by id. */
export function insertKey(query: Query, key: NewApiKey) {
  return query
    .insert(keys)
    .values(toKeyRow(key))
    .onConflictDoNothing({ target: [keys.tenant, keys.id] });
}

export function keyTable(connection: Connection): KeyTable {
  return {
    async create(newKey, act) {
      const { tenant, id } = newKey.key;
      const written = await asTenant(connection, tenant, (query) => [
        insertKey(query, newKey),
        insertAudit(query, tenant, act),
        selectKeys(query).where(and(eq(keys.tenant, tenant), eq(keys.id, id))),
      ]);
      if (!written.ok) return written;
      const [kept] = written.value[2];
      return kept === undefined ? NO_KEY : ok(toKey(kept));
    },

    async findByHash(tenant, hash) {
      const read = await asTenant(connection, tenant, (query) => [
        selectKeys(query)
          .innerJoin(tenants, eq(tenants.id, keys.tenant))
          .where(
            and(
              eq(keys.tenant, tenant),
              inArray(keys.hash, [hash, toBoundHash(hash)]),
              isNull(keys.revokedAt),
              isNull(tenants.erasedAt),
            ),
          ),
      ]);
      if (!read.ok) return read;
      const [found] = read.value[0];
      if (found === undefined) return NO_KEY;
      const { id, name, scopes, expiresAt, projects, agents, person } = toKey(found);
      return ok({ id, tenant, name, scopes, expiresAt, projects, agents, person });
    },

    async get(tenant, id) {
      const read = await asTenant(connection, tenant, (query) => [
        selectKeys(query).where(and(eq(keys.tenant, tenant), eq(keys.id, id))),
      ]);
      if (!read.ok) return read;
      const [found] = read.value[0];
      return found === undefined ? NO_KEY : ok(toKey(found));
    },

    async page(tenant, { after, limit }) {
      const read = await asTenant(connection, tenant, (query) => [
        selectKeys(query)
          .where(and(eq(keys.tenant, tenant), isBefore(keys.createdAt, keys.id, after)))
          .orderBy(desc(keys.createdAt), desc(keys.id))
          .limit(limit + 1),
      ]);
      if (!read.ok) return read;
      return ok(cutPage(read.value[0].map(toKey), limit, ({ id, createdAt }) => ({ at: createdAt, id })));
    },

    async bind(tenant, id, person, act) {
      const isThis = and(eq(keys.tenant, tenant), eq(keys.id, id));
      const boundAt = new Date(act.at).toISOString();
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          with found as (
            select id, person from keys where ${isThis} and revoked_at is null
              and (${person}::text is null or exists (
                select from people where tenant = ${tenant} and people.id = ${person}::text))
            for update
          ), changed as (
            update keys set person = ${person}::text, bound_at = ${boundAt}::timestamptz from found
            where ${isThis} and found.person is distinct from ${person}::text
            returning found.person as before
          )
          ${insertAuditFrom(tenant, act, sql`json_build_object('person', ${person}::text, 'before', changed.before)::text`)}
          from changed`),
        selectKeys(query).where(isThis),
      ]);
      if (!written.ok) return written;
      const [found] = written.value[1];
      if (found === undefined) return NO_KEY;
      if (found.key.revokedAt !== null) return failed("conflict", "This key is revoked. Bind another one.");
      if ((found.person?.id ?? null) !== person) return NO_PERSON;
      return ok({ key: toKey(found), boundAt: found.key.boundAt ?? act.at });
    },

    async revoke(tenant, id, act) {
      const isThis = and(eq(keys.tenant, tenant), eq(keys.id, id));
      const revokedAt = new Date(act.at).toISOString();
      const written = await asTenant(connection, tenant, (query) => [
        query.execute(sql`
          with revoked as (
            update keys set revoked_at = ${revokedAt}::timestamptz where ${isThis} and revoked_at is null returning id
          )
          ${insertAuditFrom(tenant, act)} from revoked`),
        selectKeys(query).where(isThis),
      ]);
      if (!written.ok) return written;
      const [found] = written.value[1];
      return found === undefined ? NO_KEY : ok(toKey(found));
    },
  };
}

/** Keys with their persons. A person that does not exist counts as none. */
function selectKeys(query: Query) {
  return query
    .select({ key: keys, person: { id: people.id, name: people.name, timeZone: people.timeZone } })
    .from(keys)
    .leftJoin(people, and(eq(people.tenant, keys.tenant), eq(people.id, keys.person)));
}

type Row = Awaited<ReturnType<typeof selectKeys>>[number];

function toKey({ key: { hash: _, boundAt: __, scopes, ...key }, person }: Row): ApiKey {
  return { ...key, scopes: scopes as Scope[], person };
}
